-- A card that is active or being added is updated with the provider's details. When that makes two active cards of one number, the
-- newer one stays and the other one's removal begins, due at once. A function, because every statement in it must see
-- what the locks waited for.
-- No row when the card has changed since p_version: what the caller read of the provider may be older than that change.
CREATE OR REPLACE FUNCTION refresh_card(
  p_customer bigint, p_card bigint, p_version text, p_values jsonb, p_now timestamptz)
RETURNS TABLE (replaced_id bigint) LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
  v_card cards;
BEGIN
  -- As in activate_card, so that no other card of the number becomes active meanwhile.
  PERFORM 1 FROM customers WHERE id = p_customer FOR NO KEY UPDATE;
  SELECT * INTO v_card FROM cards
    WHERE customer_id = p_customer AND id = p_card AND state IN ('pending', 'authenticating', 'active')
      AND xmin::text = p_version FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  v_card := jsonb_populate_record(v_card, p_values);
  IF v_card.state = 'active' THEN
    SELECT least(id, p_card) INTO replaced_id FROM cards
      WHERE customer_id = p_customer AND id <> p_card AND state = 'active' AND fingerprint = v_card.fingerprint;
  END IF;
  UPDATE cards SET state = 'removing', lease_until = NULL, retries = 0, next_attempt_at = p_now, updated_at = p_now
    WHERE customer_id = p_customer AND id = replaced_id;
  UPDATE cards SET fingerprint = v_card.fingerprint, last4 = v_card.last4, brand = v_card.brand, funding = v_card.funding,
      address_country = v_card.address_country, address_zip = v_card.address_zip,
      is_apple_pay_card = v_card.is_apple_pay_card, postal_code_check = v_card.postal_code_check,
      exp_month = v_card.exp_month, exp_year = v_card.exp_year, updated_at = p_now
    WHERE customer_id = p_customer AND id = p_card;
  RETURN NEXT;
END $$;
