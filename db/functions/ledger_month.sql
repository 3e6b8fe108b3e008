-- The first day of the month that an instant falls in, by a city's clock. Its body is parsed when it is created, so that it
-- depends on no search path, and PostgreSQL inlines it, which a search path of its own would prevent.
CREATE OR REPLACE FUNCTION ledger_month(p_at timestamptz, p_timezone text, p_month_starts timestamptz[])
RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN p_month_starts IS NULL THEN date_trunc('month', p_at AT TIME ZONE p_timezone)::date
  ELSE (date '1970-01-01' + make_interval(months => width_bucket(p_at, p_month_starts) - 1))::date END;
