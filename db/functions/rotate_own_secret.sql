-- Rotates a secret for the customer who confirms it with a valid one. That one stays valid for the overlap period, others
-- are revoked, and the session becomes one of the new secret. With the owner's privileges, because the service may not
-- write secrets. It takes the secret itself and not its hash, which the service can read.
--   p_newest_id  the newest valid secret that the page knew, so that a form that is sent twice rotates once
CREATE OR REPLACE FUNCTION rotate_own_secret(
  p_customer bigint, p_current text, p_newest_id bigint, p_new_hash bytea, p_session bytea, p_request_id text,
  p_address text, OUT outcome text, OUT old_expires_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_overlap CONSTANT interval := '24 hours';
  v_per_day_max CONSTANT integer := 5;
  v_current bigint;
  v_newest record;
  v_rotated record;
BEGIN
  PERFORM 1 FROM customers WHERE id = p_customer AND status = 'Active' FOR NO KEY UPDATE;
  SELECT max(id) INTO v_current FROM secrets WHERE FOUND AND customer_id = p_customer AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > now()) AND hash = sha256(convert_to(p_current, 'UTF8'));
  SELECT id, last_used_at INTO v_newest FROM secrets WHERE customer_id = p_customer AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC LIMIT 1;
  outcome := CASE
    WHEN v_current IS NULL OR octet_length(p_new_hash) IS DISTINCT FROM 32 THEN 'secret_invalid'
    WHEN v_newest.id IS DISTINCT FROM p_newest_id THEN 'newest_changed'
    -- A previous secret may replace one whose response was lost, but not one that is in use: it may have leaked.
    WHEN v_newest.id <> v_current AND v_newest.last_used_at IS NOT NULL THEN 'newest_in_use'
    WHEN (SELECT count(*) FROM secrets WHERE customer_id = p_customer AND created_at > now() - interval '1 day')
      >= v_per_day_max THEN 'too_many'
    ELSE 'rotated' END;
  IF outcome <> 'rotated' THEN RETURN; END IF;
  UPDATE secrets SET revoked_at = now() WHERE customer_id = p_customer AND id <> v_current AND revoked_at IS NULL;
  SELECT * INTO v_rotated FROM rotate_secret(p_customer, p_new_hash, v_overlap, now());
  old_expires_at := v_rotated.old_expires_at;
  UPDATE sessions SET secret_id = v_rotated.secret_id WHERE customer_id = p_customer AND id_hash = p_session;
  INSERT INTO audit (actor, action, customer_id, before, after, channel, request_id, address)
    VALUES ('customer', 'secret.rotated', p_customer, jsonb_build_object('secret_id', v_current),
      jsonb_build_object('secret_id', v_rotated.secret_id, 'old_expires_at', old_expires_at),
      'dashboard', p_request_id, p_address);
END $$;
