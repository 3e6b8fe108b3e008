CREATE TABLE "zone_months" (
	"timezone" text NOT NULL,
	"month" date NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	CONSTRAINT "zone_months_timezone_month_pk" PRIMARY KEY("timezone","month")
);

--> statement-breakpoint
-- The first day of the month that an instant falls in, by the clock of a zone: by the service's own data where
-- PostgreSQL's tell otherwise.
CREATE OR REPLACE FUNCTION ledger_month(p_at timestamptz, p_zone text) RETURNS date LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce(
    (SELECT month FROM zone_months WHERE timezone = p_zone AND starts_at <= p_at ORDER BY month DESC LIMIT 1),
    date_trunc('month', p_at AT TIME ZONE p_zone)::date);
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION roll_up_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_customers integer[];
BEGIN
  PERFORM lock_ledger_calendar(false);
  WITH sums AS (
    -- A million entries should not call a function each where no zone needs it.
    SELECT added.customer_id, CASE WHEN cities.timezone IN (SELECT timezone FROM zone_months)
             THEN ledger_month(added.takes_effect_at, cities.timezone)
             ELSE date_trunc('month', added.takes_effect_at AT TIME ZONE cities.timezone)::date END AS month,
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
CREATE OR REPLACE FUNCTION rebuild_ledger_months(p_customers integer[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_months bigint;
BEGIN
  PERFORM lock_ledger_calendar(true);
  DELETE FROM ledger_months WHERE customer_id = ANY (p_customers);
  INSERT INTO ledger_months (customer_id, month, amount_cents, entries)
    SELECT e.customer_id, CASE WHEN cities.timezone IN (SELECT timezone FROM zone_months)
             THEN ledger_month(e.takes_effect_at, cities.timezone)
             ELSE date_trunc('month', e.takes_effect_at AT TIME ZONE cities.timezone)::date END,
           sum(e.amount_cents), count(*)
    FROM ledger_entries e JOIN customers ON customers.id = e.customer_id JOIN cities ON cities.id = customers.city_id
    WHERE e.customer_id = ANY (p_customers)
    GROUP BY 1, 2;
  GET DIAGNOSTICS v_months = ROW_COUNT;
  PERFORM refuse_unsayable_balance(p_customers);
  RETURN v_months;
END $$;
--> statement-breakpoint
CREATE FUNCTION rebuild_after_zone_months() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_ledger_calendar(true);
  PERFORM rebuild_ledger_months(ARRAY(SELECT c.id FROM customers c JOIN cities ON cities.id = c.city_id
    WHERE cities.timezone IN (SELECT timezone FROM changed)));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER zone_months_added AFTER INSERT ON zone_months
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION rebuild_after_zone_months();
--> statement-breakpoint
CREATE TRIGGER zone_months_changed AFTER UPDATE ON zone_months
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION rebuild_after_zone_months();
