-- The first day of the month that an instant falls in, by a city's clock. A plain SQL expression without a search path,
-- so that PostgreSQL inlines it.
CREATE OR REPLACE FUNCTION ledger_month(p_at timestamptz, p_timezone text, p_month_starts timestamptz[])
RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN p_month_starts IS NULL THEN date_trunc('month', p_at AT TIME ZONE p_timezone)::date
    ELSE (date '1970-01-01' + make_interval(months => width_bucket(p_at, p_month_starts) - 1))::date END
$$;
