-- A card goes on file and off it by several ways (a request, the completer, one card giving way to another, an event of
-- the provider): a trigger sees them all, in the statement that does it. `removing` is what a customer asks for; what
-- goes straight to `removed` was detached at the provider.
CREATE FUNCTION audit_card() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_entries (actor, action, customer_id, subject, after)
    SELECT CASE NEW.state WHEN 'removed' THEN 'provider' ELSE 'customer:' || username END,
      CASE NEW.state WHEN 'active' THEN 'card.added' ELSE 'card.removed' END, id, username,
      jsonb_build_object('brand', NEW.brand, 'last4', NEW.last4, 'exp_month', NEW.exp_month, 'exp_year', NEW.exp_year,
        'uuid', NEW.uuid)
    FROM customers WHERE id = NEW.customer_id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER cards_audit AFTER UPDATE OF state ON cards
  FOR EACH ROW WHEN ((OLD.state = 'active') <> (NEW.state = 'active')) EXECUTE FUNCTION audit_card();
