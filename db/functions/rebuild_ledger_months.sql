-- Sums the months of customers again from their entries. Volatile, so that it sees what the calling statement's locks
-- waited for. The caller has locked the customers, or their city, FOR UPDATE against statements that add entries.
-- Returns how many months there are then.
CREATE OR REPLACE FUNCTION rebuild_ledger_months(p_customers bigint[])
RETURNS bigint LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
  v_months bigint;
BEGIN
  DELETE FROM ledger_months WHERE customer_id = ANY (p_customers);
  INSERT INTO ledger_months (customer_id, month, amount_cents, entries)
    SELECT e.customer_id, ledger_month(e.takes_effect_at, cities.timezone, cities.month_starts), sum(e.amount_cents), count(*)
    FROM ledger_entries e JOIN customers ON customers.id = e.customer_id JOIN cities ON cities.id = customers.city_id
    WHERE e.customer_id = ANY (p_customers)
    GROUP BY 1, 2;
  GET DIAGNOSTICS v_months = ROW_COUNT;
  PERFORM assert_balance_in_range(p_customers);
  RETURN v_months;
END $$;
