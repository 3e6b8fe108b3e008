-- Why a pending card cannot become active, or null.
CREATE OR REPLACE FUNCTION card_refusal(p_new cards, p_limit integer) RETURNS text LANGUAGE sql STABLE SET search_path = public AS $$
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM cards WHERE customer_id = p_new.customer_id AND state = 'active'
      AND fingerprint = p_new.fingerprint AND exp_month = p_new.exp_month AND exp_year = p_new.exp_year)
      THEN 'card_already_added'
    WHEN (SELECT count(*) FROM cards WHERE customer_id = p_new.customer_id AND state = 'active'
      AND fingerprint IS DISTINCT FROM p_new.fingerprint) >= p_limit
      THEN 'card_limit_reached'
  END
$$;
