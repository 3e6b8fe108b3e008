-- Makes a pending or authenticating card active in one visible step, one card of a customer at a time. The same number with another expiry
-- is replaced by it, unless that card's addition began later; then this one is refused, as are the same number with the same expiry
-- and a card over the limit. A function, because every statement in it must see what the lock waited for, and it is one
-- round trip. A removal that begins here is due immediately.
-- The outcome is 'active', a refusal, 'superseded' when another worker finished the card meanwhile, or 'customer_missing'
-- when the provider's customer that the card was attached to was deleted meanwhile; then nothing changes.
CREATE OR REPLACE FUNCTION activate_card(
  p_customer bigint, p_card bigint, p_provider_customer text, p_postal_code_check text, p_limit integer,
  p_now timestamptz)
RETURNS TABLE (outcome text, replaced_id bigint) LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
  v_card record;
  v_provider_customer text;
  v_replaced_uuid uuid;
BEGIN
  -- NO KEY: foreign key checks lock the customer FOR KEY SHARE after the card, which FOR UPDATE would deadlock with.
  SELECT provider_customer_id INTO v_provider_customer FROM customers WHERE id = p_customer FOR NO KEY UPDATE;
  SELECT fingerprint, exp_month, exp_year INTO v_card FROM cards
    WHERE customer_id = p_customer AND id = p_card AND state IN ('pending', 'authenticating') FOR UPDATE;
  IF NOT FOUND THEN
    outcome := 'superseded';
  ELSIF v_provider_customer IS DISTINCT FROM p_provider_customer THEN
    outcome := 'customer_missing';
  ELSIF EXISTS (SELECT FROM cards WHERE customer_id = p_customer AND state = 'active'
      AND fingerprint = v_card.fingerprint AND id > p_card) THEN
    outcome := 'card_already_added';
  ELSE
    outcome := coalesce(card_refusal(p_customer, v_card.fingerprint, v_card.exp_month, v_card.exp_year, p_limit), 'active');
  END IF;
  IF outcome = 'active' THEN
    UPDATE cards SET state = 'removing', lease_until = NULL, retries = 0, next_attempt_at = p_now, updated_at = p_now
      WHERE customer_id = p_customer AND state = 'active' AND fingerprint = v_card.fingerprint
      RETURNING id, uuid INTO replaced_id, v_replaced_uuid;
    UPDATE cards SET state = 'active', provider_customer_id = p_provider_customer, replaced_uuid = v_replaced_uuid,
        postal_code_check = coalesce(p_postal_code_check, postal_code_check),
        lease_until = NULL, updated_at = p_now
      WHERE customer_id = p_customer AND id = p_card;
  ELSIF outcome NOT IN ('superseded', 'customer_missing') THEN
    UPDATE cards SET state = 'removing', failure_code = outcome, lease_until = NULL, retries = 0, next_attempt_at = p_now,
      updated_at = p_now
      WHERE customer_id = p_customer AND id = p_card;
  END IF;
  RETURN NEXT;
END $$;
