-- Splits an audited change: personal values and the address go to audit_personal, where they can be erased.
CREATE OR REPLACE FUNCTION insert_audit() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_personal CONSTANT text[] := ARRAY['username', 'email', 'first_name', 'last_name', 'name', 'country_code', 'phone',
    'client_ip', 'brand', 'last4', 'exp_month', 'exp_year', 'description'];
  v_before jsonb;
  v_after jsonb;
BEGIN
  -- What belongs to no customer, such as a city, is not about a person.
  IF NEW.customer_id <> 0 THEN
    SELECT jsonb_object_agg(key, value) INTO v_before FROM jsonb_each(NEW.before) WHERE key = ANY (v_personal);
    SELECT jsonb_object_agg(key, value) INTO v_after FROM jsonb_each(NEW.after) WHERE key = ANY (v_personal);
    NEW.before := NEW.before - v_personal;
    NEW.after := NEW.after - v_personal;
  END IF;
  INSERT INTO audit_entries (actor, action, customer_id, subject, before, after, request_id, channel)
    VALUES (NEW.actor, NEW.action, NEW.customer_id, NEW.subject, NEW.before, NEW.after, NEW.request_id, NEW.channel);
  -- RETURNING would need the privilege to read the audit.
  NEW.id := currval('audit_entries_id_seq');
  IF NEW.customer_id <> 0 AND num_nonnulls(v_before, v_after, NEW.address) > 0 THEN
    INSERT INTO audit_personal (customer_id, audit_id, before, after, address)
      VALUES (NEW.customer_id, NEW.id, v_before, v_after, NEW.address);
  END IF;
  RETURN NEW;
END $$;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'audit'::regclass AND tgname = 'audit_insert') THEN
    CREATE TRIGGER audit_insert INSTEAD OF INSERT ON audit FOR EACH ROW EXECUTE FUNCTION insert_audit();
  END IF;
END $$;
