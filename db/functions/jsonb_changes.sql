-- The fields of a record that are new or differ from before; all of them when there was no record.
CREATE OR REPLACE FUNCTION jsonb_changes(p_before jsonb, p_after jsonb)
RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = public, pg_temp AS
  'SELECT coalesce(jsonb_object_agg(key, value), ''{}'') FROM jsonb_each(p_after)
     WHERE p_before IS NULL OR p_before -> key IS DISTINCT FROM value';
