-- The ledger and the audit are append-only, whoever asks: grants keep the application's role out, these keep out
-- everyone who has not first dropped the trigger.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- Makes a pending card active in one visible step, one card of a customer at a time: the same number with another
-- expiry gives way to it, the same number with the same expiry and a card over the limit are refused. A function,
-- because every statement in it sees what the lock waited for, and it is one round trip.
CREATE FUNCTION activate_card(
  p_card integer, p_attempt integer, p_limit integer, p_fingerprint text, p_last4 text, p_brand text, p_funding text,
  p_address_country text, p_address_zip text, p_is_apple_pay boolean, p_exp_month smallint, p_exp_year smallint
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_customer integer;
  v_refusal text;
BEGIN
  SELECT customer_id INTO v_customer FROM cards WHERE id = p_card;
  PERFORM 1 FROM customers WHERE id = v_customer FOR UPDATE;
  -- Another worker may have finished this card while we waited.
  IF NOT EXISTS (SELECT 1 FROM cards WHERE id = p_card AND state = 'pending' AND attempt = p_attempt) THEN
    RETURN 'superseded';
  END IF;
  IF EXISTS (SELECT 1 FROM cards WHERE customer_id = v_customer AND state = 'active' AND fingerprint = p_fingerprint
      AND exp_month = p_exp_month AND exp_year = p_exp_year) THEN
    v_refusal := 'card_already_added';
  ELSIF (SELECT count(*) FROM cards WHERE customer_id = v_customer AND state = 'active'
      AND fingerprint IS DISTINCT FROM p_fingerprint) >= p_limit THEN
    v_refusal := 'card_limit_reached';
  END IF;
  IF v_refusal IS NOT NULL THEN
    UPDATE cards SET state = 'removing', failure_code = v_refusal, lease_until = NULL, updated_at = now()
      WHERE id = p_card;
    RETURN v_refusal;
  END IF;
  UPDATE cards SET state = 'removing', lease_until = NULL, updated_at = now()
    WHERE customer_id = v_customer AND state = 'active' AND fingerprint = p_fingerprint;
  UPDATE cards SET state = 'active', lease_until = NULL, updated_at = now(), fingerprint = p_fingerprint,
      last4 = p_last4, brand = p_brand, funding = p_funding, address_country = p_address_country,
      address_zip = p_address_zip, is_apple_pay_card = p_is_apple_pay, exp_month = p_exp_month, exp_year = p_exp_year
    WHERE id = p_card;
  RETURN 'active';
END $$;
