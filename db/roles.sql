-- What each role may do. `migrate` applies this file as the tables' owner, after tables and functions.
--   scheduling_web       serves requests and runs the background jobs
--   scheduling_operator  runs the operator's commands
-- The owner migrates, backs up, restores, and moves. A login role of another name gets the privileges as a member: GRANT scheduling_web TO mine;

REVOKE ALL ON cities, customers, secrets, sessions, cards, provider_events, payment_mode, reconciliations,
  idempotency_keys, ledger_entries, ledger_months, api_requests, security_events, audit, audit_entries, audit_personal,
  limit_counts, schema_migrations FROM PUBLIC, scheduling_web, scheduling_operator;
REVOKE ALL ON FUNCTION activate_card, assert_balance_in_range, card_refusal, insert_audit, is_erased, is_new_audit_entry,
  jsonb_changes, ledger_month, open_session, rebuild_city_months, rebuild_ledger_months, refresh_card, refuse_change,
  rotate_own_secret, rotate_secret
  FROM PUBLIC, scheduling_web, scheduling_operator;

GRANT USAGE ON SCHEMA public TO scheduling_web, scheduling_operator;
GRANT USAGE ON SEQUENCE cards_id_seq, reconciliations_id_seq, api_requests_id_seq, security_events_id_seq,
  audit_entries_id_seq
  TO scheduling_web;
GRANT USAGE ON SEQUENCE cities_id_seq, customers_id_seq, secrets_id_seq, reconciliations_id_seq, ledger_entries_id_seq,
  audit_entries_id_seq TO scheduling_operator;
GRANT EXECUTE ON FUNCTION activate_card, card_refusal, is_erased, refresh_card, ledger_month TO scheduling_web, scheduling_operator;
GRANT EXECUTE ON FUNCTION is_new_audit_entry, open_session, rotate_own_secret TO scheduling_web;
GRANT EXECUTE ON FUNCTION assert_balance_in_range, jsonb_changes, rebuild_city_months, rebuild_ledger_months,
  rotate_secret TO scheduling_operator;

-- Both: reads, the states of cards, additions to the audit, and the end of an erasure.
GRANT SELECT ON cities, customers, secrets, sessions, cards, payment_mode, reconciliations, idempotency_keys,
  ledger_entries, ledger_months, api_requests, security_events, schema_migrations
  TO scheduling_web, scheduling_operator;
GRANT INSERT, UPDATE ON reconciliations TO scheduling_web, scheduling_operator;
GRANT UPDATE (state, lease_until, leased_by, attempt, retries, next_attempt_at, last_error, payment_method_id,
  setup_intent_id, provider_customer_id, replaced_uuid, fingerprint, failure_code, removal_key, last4, brand, funding,
  address_country, address_zip, is_apple_pay_card, postal_code_check, exp_month, exp_year, updated_at)
  ON cards TO scheduling_web, scheduling_operator;
GRANT INSERT ON audit TO scheduling_web, scheduling_operator;
-- Not the ID and the time of an entry: a taken ID would make a later entry fail.
GRANT INSERT (actor, action, customer_id, subject, before, after, request_id, channel) ON audit_entries
  TO scheduling_web, scheduling_operator;
GRANT INSERT (customer_id, audit_id, before, after, address) ON audit_personal TO scheduling_web, scheduling_operator;
-- Citus sends the defaults of columns with each row of a distributed table, reads a view with the caller's privileges, and
-- locks the reference tables that a changed one refers to, which takes a privilege to change them.
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    GRANT INSERT (id, at) ON audit_entries TO scheduling_web, scheduling_operator;
    GRANT INSERT (at) ON audit_personal TO scheduling_web, scheduling_operator;
    GRANT SELECT ON audit_entries, audit_personal TO scheduling_operator;
    GRANT UPDATE (updated_at) ON cities TO scheduling_web;
  END IF;
END $$;
GRANT SELECT (customer_id, at, address) ON audit_personal TO scheduling_web, scheduling_operator;
GRANT DELETE ON cards, sessions, idempotency_keys, api_requests, security_events, audit_personal
  TO scheduling_web, scheduling_operator;

-- The service: its own records, and what a request changes of a customer.
GRANT INSERT ON cards, payment_mode, sessions, api_requests, security_events TO scheduling_web;
GRANT UPDATE (client_ip, provider_customer_id, updated_at) ON customers TO scheduling_web;
GRANT UPDATE (last_used_at) ON secrets, sessions TO scheduling_web;
GRANT UPDATE (address) ON audit_personal TO scheduling_web;
GRANT SELECT, INSERT, DELETE ON provider_events TO scheduling_web;
GRANT INSERT, UPDATE ON idempotency_keys TO scheduling_web;
GRANT SELECT, INSERT, UPDATE, DELETE ON limit_counts TO scheduling_web;

-- The operator: customers, secrets, cities, and the ledger.
GRANT SELECT ON audit TO scheduling_operator;
GRANT INSERT, UPDATE ON cities TO scheduling_operator;
GRANT INSERT, UPDATE ON customers TO scheduling_operator;
GRANT INSERT, UPDATE (expires_at, revoked_at), DELETE ON secrets TO scheduling_operator;
GRANT INSERT ON ledger_entries TO scheduling_operator;
GRANT INSERT, UPDATE, DELETE ON ledger_months TO scheduling_operator;

-- Rows that a privilege is too coarse for: the service may not write audit entries of an operator, or add personal values to
-- any but its new ones, and nobody may remove personal data of the audit or recent security events, except of an erased
-- customer. Altering a table locks out its readers, so each policy is created once, and a changed one needs a new name.
DO $$
DECLARE
  v_both CONSTANT text := 'TO scheduling_web, scheduling_operator';
  v_policy text[];
BEGIN
  FOREACH v_policy SLICE 1 IN ARRAY ARRAY[
    ['audit_entries', 'audit_read', 'FOR SELECT TO scheduling_operator USING (true)'],
    ['audit_entries', 'audit_operator', 'FOR INSERT TO scheduling_operator WITH CHECK (true)'],
    ['audit_entries', 'audit_web', $check$FOR INSERT TO scheduling_web WITH CHECK (channel <> 'cli'
      AND actor IN ('customer', 'provider') AND (action LIKE 'card.%' OR action LIKE 'session.%'))$check$],
    ['audit_personal', 'personal_read', 'FOR SELECT ' || v_both || ' USING (true)'],
    ['audit_personal', 'personal_operator', 'FOR INSERT TO scheduling_operator WITH CHECK (true)'],
    ['audit_personal', 'personal_web', $check$FOR INSERT TO scheduling_web
      WITH CHECK (is_new_audit_entry(customer_id, audit_id))$check$],
    ['audit_personal', 'personal_expiry', $check$FOR UPDATE TO scheduling_web
      USING (at <= now() - interval '1 day') WITH CHECK (address IS NULL)$check$],
    ['audit_personal', 'personal_of_erased', 'FOR DELETE ' || v_both || ' USING (is_erased(customer_id))'],
    ['security_events', 'security_read', 'FOR SELECT ' || v_both || ' USING (true)'],
    ['security_events', 'security_insert', 'FOR INSERT TO scheduling_web WITH CHECK (true)'],
    ['security_events', 'security_expiry', $check$FOR DELETE TO scheduling_web
      USING (at <= now() - interval '1 day')$check$],
    ['security_events', 'security_of_erased', 'FOR DELETE ' || v_both || ' USING (is_erased(customer_id))']
  ] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_policy WHERE polrelid = v_policy[1]::regclass AND polname = v_policy[2]);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_policy[1]);
    EXECUTE format('CREATE POLICY %I ON %I %s', v_policy[2], v_policy[1], v_policy[3]);
  END LOOP;
  -- On Citus, the functions of policies cannot read other tables, so these privileges are as coarse as those of the table.
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
    AND NOT EXISTS (SELECT FROM pg_policy WHERE polname LIKE 'citus_%') THEN
    CREATE POLICY citus_insert ON audit_personal FOR INSERT TO scheduling_web WITH CHECK (true);
    CREATE POLICY citus_delete ON audit_personal FOR DELETE TO scheduling_web, scheduling_operator USING (true);
    CREATE POLICY citus_delete ON security_events FOR DELETE TO scheduling_web, scheduling_operator USING (true);
  END IF;
END $$;
