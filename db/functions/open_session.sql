-- Opens a session, and ends the one that the browser had before and the least recently used ones over the maximum. A
-- function, because sign-ins at the same time wait for each other and must then see each other's sessions. Fails for a customer
-- that is not active, whose sessions the change of the status has ended.
CREATE OR REPLACE FUNCTION open_session(
  p_customer bigint, p_id_hash bytea, p_secret bigint, p_device text, p_expires_at timestamptz, p_address text,
  p_previous_customer bigint, p_previous_id_hash bytea, p_max integer)
RETURNS void LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE customers SET client_ip = p_address WHERE id = p_customer AND status = 'Active';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'customer % is not active', p_customer USING ERRCODE = 'no_data_found';
  END IF;
  DELETE FROM sessions WHERE customer_id = p_previous_customer AND id_hash = p_previous_id_hash;
  DELETE FROM sessions WHERE customer_id = p_customer AND id_hash IN (
    SELECT id_hash FROM sessions WHERE customer_id = p_customer
    ORDER BY last_used_at DESC, created_at DESC OFFSET p_max - 1);
  INSERT INTO sessions (customer_id, id_hash, secret_id, device, expires_at)
    VALUES (p_customer, p_id_hash, p_secret, p_device, p_expires_at);
END $$;
