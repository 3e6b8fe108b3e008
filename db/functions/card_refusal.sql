-- Why a customer's card of this number and expiry cannot become active, or null.
CREATE OR REPLACE FUNCTION card_refusal(
  p_customer bigint, p_fingerprint text, p_exp_month smallint, p_exp_year smallint, p_limit integer)
RETURNS text LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN CASE
    WHEN EXISTS (SELECT FROM cards WHERE customer_id = p_customer AND state = 'active'
      AND fingerprint = p_fingerprint AND exp_month = p_exp_month AND exp_year = p_exp_year)
      THEN 'card_already_added'
    WHEN (SELECT count(*) FROM cards WHERE customer_id = p_customer AND state = 'active'
      AND fingerprint IS DISTINCT FROM p_fingerprint) >= p_limit
      THEN 'card_limit_reached'
  END;
END $$;
