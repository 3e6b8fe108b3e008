-- Every way in which a card becomes active or stops being active is audited in the statement that does it. `removing` is
-- the customer's wish; a card that goes straight to `removed` was detached at the provider.
CREATE OR REPLACE FUNCTION audit_card() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  INSERT INTO audit_entries (actor, action, customer_id, subject, after)
    SELECT CASE NEW.state WHEN 'removed' THEN 'provider' ELSE 'customer:' || username END,
      CASE NEW.state WHEN 'active' THEN 'card.added' ELSE 'card.removed' END, id, username,
      jsonb_build_object('brand', NEW.brand, 'last4', NEW.last4, 'exp_month', NEW.exp_month, 'exp_year', NEW.exp_year,
        'uuid', NEW.uuid)
    FROM customers WHERE id = NEW.customer_id;
  RETURN NULL;
END $$;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'cards'::regclass AND tgname = 'cards_audit') THEN
    CREATE TRIGGER cards_audit AFTER UPDATE OF state ON cards
      FOR EACH ROW WHEN ((OLD.state = 'active') <> (NEW.state = 'active')) EXECUTE FUNCTION audit_card();
  END IF;
END $$;
