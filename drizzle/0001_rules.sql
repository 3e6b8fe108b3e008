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
-- Why a pending card cannot become active, or null.
CREATE FUNCTION card_refusal(p_new cards, p_limit integer) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM cards WHERE customer_id = p_new.customer_id AND state = 'active'
      AND fingerprint = p_new.fingerprint AND exp_month = p_new.exp_month AND exp_year = p_new.exp_year)
      THEN 'card_already_added'
    WHEN (SELECT count(*) FROM cards WHERE customer_id = p_new.customer_id AND state = 'active'
      AND fingerprint IS DISTINCT FROM p_new.fingerprint) >= p_limit
      THEN 'card_limit_reached'
  END
$$;
--> statement-breakpoint
-- Makes a pending card active in one visible step, one card of a customer at a time: the same number with another
-- expiry gives way to it, the same number with the same expiry and a card over the limit are refused. A function,
-- because every statement in it sees what the lock waited for, and it is one round trip.
CREATE FUNCTION activate_card(p_card integer, p_limit integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_new cards;
  v_refusal text;
BEGIN
  PERFORM 1 FROM customers WHERE id = (SELECT customer_id FROM cards WHERE id = p_card) FOR UPDATE;
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
