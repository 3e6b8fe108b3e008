ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_sign" CHECK ("ledger_entries"."reverses_id" is not null or "ledger_entries"."kind" = 'adjustment'
        or ("ledger_entries"."kind" = 'delivery' and "ledger_entries"."amount_cents" >= 0)
        or ("ledger_entries"."kind" in ('credit', 'payment') and "ledger_entries"."amount_cents" <= 0));--> statement-breakpoint
-- The first day of the month that an instant falls in, by the clock of a zone.
CREATE FUNCTION ledger_month(p_at timestamptz, p_zone text) RETURNS date LANGUAGE sql STABLE AS
  'SELECT date_trunc(''month'', p_at AT TIME ZONE p_zone)::date';
--> statement-breakpoint
-- Adding entries shares this lock, changing a zone takes it alone: otherwise an entry could be summed into a month of
-- the old zone after the months were rebuilt for the new one.
CREATE FUNCTION lock_ledger_calendar(p_alone boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_alone THEN PERFORM pg_advisory_xact_lock(7318002); ELSE PERFORM pg_advisory_xact_lock_shared(7318002); END IF;
END $$;
--> statement-breakpoint
-- Refuses a balance that a JSON number could not say exactly, at whatever month's end it would be asked for.
CREATE FUNCTION refuse_unsayable_balance(p_customers integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_username text;
BEGIN
  SELECT c.username INTO v_username
    FROM (SELECT customer_id, sum(amount_cents) OVER (PARTITION BY customer_id ORDER BY month) AS balance
          FROM ledger_months WHERE customer_id = ANY (p_customers)) m
    JOIN customers c ON c.id = m.customer_id
    WHERE abs(m.balance) > 9007199254740991 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the balance of % would pass 9007199254740991 cents', v_username
      USING ERRCODE = 'numeric_value_out_of_range', COLUMN = v_username, CONSTRAINT = 'ledger_balance_exact';
  END IF;
END $$;
--> statement-breakpoint
CREATE FUNCTION roll_up_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_customers integer[];
BEGIN
  PERFORM lock_ledger_calendar(false);
  WITH sums AS (
    SELECT added.customer_id, ledger_month(added.takes_effect_at, cities.timezone) AS month,
           sum(added.amount_cents) AS amount_cents, count(*) AS entries
    FROM added JOIN customers ON customers.id = added.customer_id JOIN cities ON cities.id = customers.city_id
    GROUP BY 1, 2
  ), kept AS (
    -- In one order for everyone, so that two who add to the same months wait and do not deadlock.
    INSERT INTO ledger_months AS known (customer_id, month, amount_cents, entries)
    SELECT customer_id, month, amount_cents, entries FROM sums ORDER BY customer_id, month
    ON CONFLICT (customer_id, month) DO UPDATE
      SET amount_cents = known.amount_cents + excluded.amount_cents, entries = known.entries + excluded.entries
    RETURNING customer_id
  )
  SELECT array_agg(DISTINCT customer_id) INTO v_customers FROM kept;
  PERFORM refuse_unsayable_balance(v_customers);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_entries_roll_up AFTER INSERT ON ledger_entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roll_up_entries();
--> statement-breakpoint
-- Makes the months of customers anew from their entries. @returns how many months there are then
CREATE FUNCTION rebuild_ledger_months(p_customers integer[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_months bigint;
BEGIN
  PERFORM lock_ledger_calendar(true);
  DELETE FROM ledger_months WHERE customer_id = ANY (p_customers);
  INSERT INTO ledger_months (customer_id, month, amount_cents, entries)
    SELECT e.customer_id, ledger_month(e.takes_effect_at, cities.timezone), sum(e.amount_cents), count(*)
    FROM ledger_entries e JOIN customers ON customers.id = e.customer_id JOIN cities ON cities.id = customers.city_id
    WHERE e.customer_id = ANY (p_customers)
    GROUP BY 1, 2;
  GET DIAGNOSTICS v_months = ROW_COUNT;
  PERFORM refuse_unsayable_balance(p_customers);
  RETURN v_months;
END $$;
--> statement-breakpoint
CREATE FUNCTION rebuild_after_zone_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'cities' THEN
    PERFORM lock_ledger_calendar(true);
    PERFORM rebuild_ledger_months(ARRAY(SELECT id FROM customers WHERE city_id = NEW.id));
  ELSE
    PERFORM rebuild_ledger_months(ARRAY[NEW.id]);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER cities_zone_changed AFTER UPDATE OF timezone ON cities FOR EACH ROW
  WHEN (OLD.timezone IS DISTINCT FROM NEW.timezone) EXECUTE FUNCTION rebuild_after_zone_change();
--> statement-breakpoint
CREATE TRIGGER customers_city_changed AFTER UPDATE OF city_id ON customers FOR EACH ROW
  WHEN (OLD.city_id IS DISTINCT FROM NEW.city_id) EXECUTE FUNCTION rebuild_after_zone_change();
--> statement-breakpoint
-- What of a record is new or other than before; all of it when there was none.
CREATE FUNCTION jsonb_changes(p_before jsonb, p_after jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
  'SELECT coalesce(jsonb_object_agg(key, value), ''{}'') FROM jsonb_each(p_after)
     WHERE p_before IS NULL OR p_before -> key IS DISTINCT FROM value';
--> statement-breakpoint
-- Issues a secret and lets those before it live on for the overlap, the newest of them alone: a customer has two live
-- secrets at most. A function, because it must see what another rotation did that it waited for.
CREATE FUNCTION rotate_secret(p_username text, p_hash bytea, p_overlap interval, p_actor text)
RETURNS TABLE (customer_id integer, api_key text, old_expires_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  v_customer customers;
  v_newest integer;
  v_secret integer;
  v_expires timestamptz;
BEGIN
  SELECT * INTO v_customer FROM customers c WHERE c.username = p_username FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT max(s.id) INTO v_newest FROM secrets s WHERE s.customer_id = v_customer.id AND s.revoked_at IS NULL
    AND (s.expires_at IS NULL OR s.expires_at > now());
  UPDATE secrets s SET revoked_at = now() WHERE s.customer_id = v_customer.id AND s.revoked_at IS NULL
    AND (s.id IS DISTINCT FROM v_newest OR p_overlap <= interval '0');
  UPDATE secrets s SET expires_at = least(s.expires_at, now() + p_overlap)
    WHERE s.id = v_newest AND s.revoked_at IS NULL RETURNING s.expires_at INTO v_expires;
  INSERT INTO secrets (customer_id, hash) VALUES (v_customer.id, p_hash) RETURNING id INTO v_secret;
  INSERT INTO audit_entries (actor, action, customer_id, subject, before, after) VALUES (
    p_actor, 'secret.rotated', v_customer.id, p_username, jsonb_build_object('secret_id', v_newest),
    jsonb_build_object('secret_id', v_secret, 'old_expires_at', v_expires));
  RETURN QUERY SELECT v_customer.id, v_customer.api_key, v_expires;
END $$;
