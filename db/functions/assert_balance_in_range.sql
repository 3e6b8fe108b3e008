-- Refuses a balance that a JSON number cannot hold exactly (2^53 - 1), at the end of any month. Volatile, so that it sees
-- the months that the calling statement has written.
CREATE OR REPLACE FUNCTION assert_balance_in_range(p_customers bigint[])
RETURNS void LANGUAGE plpgsql VOLATILE SET search_path = public, pg_temp AS $$
DECLARE
  v_near bigint[];
  v_customer bigint;
BEGIN
  -- Statements that add to different months do not see each other's sums. To pass the limit unseen, one of them would have to
  -- add almost all of it, or thousands of them a part, so other customers are not locked: their cards and sessions would wait
  -- for a large import.
  v_near := ARRAY(SELECT DISTINCT customer_id
    FROM (SELECT customer_id, sum(amount_cents) OVER (PARTITION BY customer_id ORDER BY month) AS balance
          FROM ledger_months WHERE customer_id = ANY (p_customers)) m
    WHERE abs(balance) > 1099511627776); -- 2^40
  -- On Citus, the next statement locks all customers, even if it finds none.
  IF cardinality(v_near) = 0 THEN
    RETURN;
  END IF;
  -- The second statement waits here, and its next query sees what the first one committed.
  PERFORM 1 FROM customers WHERE id = ANY (v_near) ORDER BY id FOR NO KEY UPDATE;
  SELECT customer_id INTO v_customer
    FROM (SELECT customer_id, sum(amount_cents) OVER (PARTITION BY customer_id ORDER BY month) AS balance
          FROM ledger_months WHERE customer_id = ANY (v_near)) m
    WHERE abs(balance) > 9007199254740991 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the balance of customer % would pass 9007199254740991 cents', v_customer
      USING ERRCODE = 'numeric_value_out_of_range', CONSTRAINT = 'ledger_balance_exact';
  END IF;
END $$;
