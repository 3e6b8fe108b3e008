-- Sums the months of every customer of a city again, once the city is locked FOR UPDATE. Returns how many there are then.
CREATE OR REPLACE FUNCTION rebuild_city_months(p_city bigint)
RETURNS bigint LANGUAGE sql VOLATILE SET search_path = public, pg_temp AS
  'SELECT rebuild_ledger_months(ARRAY(SELECT id FROM customers WHERE city_id = p_city))';
