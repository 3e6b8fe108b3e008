-- Makes a pending card active in one visible step, one card of a customer at a time: the same number with another
-- expiry is replaced by it, the same number with the same expiry and a card over the limit are refused. A function,
-- because every statement in it must see what the lock waited for, and it is one round trip.
-- FOR NO KEY UPDATE: the audit's foreign key takes the customer FOR KEY SHARE after the card, which FOR UPDATE would wait
-- for: a deadlock with the removal of the card that gives way.
CREATE OR REPLACE FUNCTION activate_card(p_card integer, p_limit integer) RETURNS text LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
  v_new cards;
  v_refusal text;
BEGIN
  PERFORM 1 FROM customers WHERE id = (SELECT customer_id FROM cards WHERE id = p_card) FOR NO KEY UPDATE;
  SELECT * INTO v_new FROM cards WHERE id = p_card AND state = 'pending';
  -- Another worker may have finished this card while we waited.
  IF NOT FOUND THEN RETURN 'superseded'; END IF;
  v_refusal := card_refusal(v_new, p_limit);
  IF v_refusal IS NOT NULL THEN
    UPDATE cards SET state = 'removing', failure_code = v_refusal, lease_until = NULL, updated_at = now()
      WHERE id = p_card;
    RETURN v_refusal;
  END IF;
  UPDATE cards SET state = 'removing', lease_until = NULL, updated_at = now()
    WHERE customer_id = v_new.customer_id AND state = 'active' AND fingerprint = v_new.fingerprint;
  UPDATE cards SET state = 'active', lease_until = NULL, updated_at = now() WHERE id = p_card;
  RETURN 'active';
END $$;
