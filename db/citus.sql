-- Distributes the tables of a migrated database by customer_id on Citus. Run it once, as a superuser, while no one writes:
-- psql --single-transaction -v ON_ERROR_STOP=1 -f db/citus.sql. Then run npm run migrate again, because Citus makes
-- the view again without its trigger. The other tables stay on the coordinator. See docs/scale.md.

CREATE EXTENSION IF NOT EXISTS citus;

-- Those of append-only tables refuse each change, on every shard alike.
DO $$ BEGIN
  EXECUTE format('ALTER DATABASE %I SET citus.enable_unsafe_triggers = on', current_database());
END $$;
SET citus.enable_unsafe_triggers = on;

SELECT create_reference_table('cities');
SELECT create_reference_table('customers');
SELECT create_reference_table('secrets');
SELECT create_distributed_table('ledger_entries', 'customer_id');
SELECT create_distributed_table('ledger_months', 'customer_id', colocate_with => 'ledger_entries');
SELECT create_distributed_table('cards', 'customer_id', colocate_with => 'ledger_entries');
SELECT create_distributed_table('idempotency_keys', 'customer_id', colocate_with => 'ledger_entries');
SELECT create_distributed_table('sessions', 'customer_id', colocate_with => 'ledger_entries');
SELECT create_distributed_table('api_requests', 'customer_id', colocate_with => 'ledger_entries');
SELECT create_distributed_table('security_events', 'customer_id', colocate_with => 'ledger_entries');
SELECT create_distributed_table('audit_entries', 'customer_id', colocate_with => 'ledger_entries');
SELECT create_distributed_table('audit_personal', 'customer_id', colocate_with => 'ledger_entries');
