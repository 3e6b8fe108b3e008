-- The ledger and the audit are append-only: the application's role has no grants to change them, and these triggers stop
-- every other role, unless it drops them first.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;

-- CREATE OR REPLACE TRIGGER would lock the tables against writers at every migration.
DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['ledger_entries', 'audit_entries'] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgrelid = v_table::regclass AND tgname = v_table || '_append_only');
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', v_table || '_append_only', v_table);
  END LOOP;
END $$;
