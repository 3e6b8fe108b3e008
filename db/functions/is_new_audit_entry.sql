-- Whether an audit entry of a customer or the provider was written in this transaction. With the owner's privileges, because
-- the service may not read the audit.
CREATE OR REPLACE FUNCTION is_new_audit_entry(p_customer bigint, p_id bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN EXISTS (SELECT FROM audit_entries
    WHERE customer_id = p_customer AND id = p_id AND xmin = pg_current_xact_id()::xid AND actor IN ('customer', 'provider'));
END $$;
