-- Issues a secret. Of the earlier ones, the newest that was used, or else the newest, stays valid for the overlap period,
-- because the newest may never have reached the customer. The others are revoked: a customer has at most two valid
-- secrets. A function, because it must see what another rotation or an erasure did that it waited for. No row for an
-- erased customer.
CREATE OR REPLACE FUNCTION rotate_secret(p_customer bigint, p_hash bytea, p_overlap interval, p_now timestamptz)
RETURNS TABLE (secret_id bigint, old_secret_id bigint, old_expires_at timestamptz)
LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM customers WHERE id = p_customer AND erased_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT coalesce(max(s.id) FILTER (WHERE s.last_used_at IS NOT NULL), max(s.id)) INTO old_secret_id FROM secrets s WHERE s.customer_id = p_customer AND s.revoked_at IS NULL
    AND (s.expires_at IS NULL OR s.expires_at > p_now);
  UPDATE secrets s SET revoked_at = p_now WHERE s.customer_id = p_customer AND s.revoked_at IS NULL
    AND (s.id IS DISTINCT FROM old_secret_id OR p_overlap <= interval '0');
  UPDATE secrets s SET expires_at = least(s.expires_at, p_now + p_overlap)
    WHERE s.customer_id = p_customer AND s.id = old_secret_id AND s.revoked_at IS NULL
    RETURNING s.expires_at INTO old_expires_at;
  INSERT INTO secrets (customer_id, hash) VALUES (p_customer, p_hash) RETURNING id INTO secret_id;
  RETURN NEXT;
END $$;
