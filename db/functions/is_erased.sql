-- Whether a customer's personal data was erased. A function, because Citus refuses policies with a subquery.
CREATE OR REPLACE FUNCTION is_erased(p_customer bigint) RETURNS boolean LANGUAGE plpgsql STABLE
SET search_path = public, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM customers WHERE id = p_customer AND erased_at IS NOT NULL);
END $$;
