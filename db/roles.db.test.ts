import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isCitus, onPostgres } from '#tools/testing/citus.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { newCards, newCustomer, newEntry } from '#tools/testing/factories.ts';

const { db, owner, sql: ownerSql, url, operatorUrl, ownerUrl } = await testDatabase();
const open = (address: string) => postgres(address, { max: 1, onnotice: () => {} });
const sqlOf = { web: open(url), operator: open(operatorUrl) };
type Role = keyof typeof sqlOf;
afterAll(() => Promise.all(Object.values(sqlOf).map((sql) => sql.end())));

beforeAll(async () => {
  const customer = await newCustomer(db);
  await newCards(owner, customer, 1);
  await newEntry(db, customer, { amountCents: 1250n });
});

/** Tries a statement, and undoes it by an error in the same transaction. */
async function isRefused(role: Role, statement: string): Promise<boolean> {
  const error = await sqlOf[role].unsafe(`${statement}; SELECT 1 / 0`).catch((thrown: Error) => thrown);
  return (
    error instanceof Error &&
    /^(permission denied|must be owner|cannot|"audit" is not a table|modifying the partition value)/.test(
      error.message,
    )
  );
}

/** Tries every statement on a table. @returns those that are not refused, such as `select insert update(last_used_at)` */
async function allowed(role: Role, table: string, columns: string[]): Promise<string> {
  const statements = {
    select: `SELECT * FROM ${table} LIMIT 0`,
    // Citus asks for the customer first.
    insert: `INSERT INTO ${table} ${columns.includes('customer_id') ? '(customer_id) VALUES (1)' : 'DEFAULT VALUES'}`,
    delete: `DELETE FROM ${table} WHERE false`,
    truncate: `TRUNCATE ${table}`,
    trigger: `CREATE TRIGGER mine BEFORE INSERT ON ${table} EXECUTE FUNCTION refuse_change()`,
    alter: `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`,
    drop: `DROP TABLE ${table}`,
  };
  const names: string[] = [];
  for (const [name, statement] of Object.entries(statements))
    if (!(await isRefused(role, statement))) names.push(name);
  for (const verb of ['select', 'update']) {
    if (names.includes(verb)) continue;
    const open: string[] = [];
    for (const column of columns) {
      const statement =
        verb === 'select' ? `SELECT ${column} FROM ${table} LIMIT 0` : `UPDATE ${table} SET ${column} = NULL`;
      if (!(await isRefused(role, `${statement}${verb === 'update' ? ' WHERE false' : ''}`)))
        open.push(column);
    }
    const rest = columns.filter((column) => !open.includes(column));
    if (rest.length === 0) names.push(verb);
    else if (open.length > rest.length) names.push(`${verb}(all but ${rest.join(' ')})`);
    else if (open.length > 0) names.push(`${verb}(${open.join(' ')})`);
  }
  return names.join(' ');
}

async function allowedOn(role: Role): Promise<Record<string, string>> {
  const tables = await ownerSql<{ name: string; columns: string[] }[]>`
    SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND relname NOT LIKE 'citus%' GROUP BY 1 ORDER BY 1`;
  const rows: [string, string][] = [];
  for (const { name, columns } of tables) rows.push([name, await allowed(role, name, columns)]);
  return Object.fromEntries(rows.filter(([, names]) => names !== ''));
}

const lastAuditId = async () => (await ownerSql`SELECT max(id) AS id FROM audit_entries`)[0]?.id;
const cardColumns = 'id uuid customer_id token_hash created_at';

describe('roles', () => {
  it('allow the service its own writes only, and not the ledger, months, secrets, or audit', async () => {
    expect(await allowedOn('web')).toEqual({
      api_requests: 'select insert delete',
      audit: 'insert',
      audit_entries: 'insert',
      audit_personal: 'insert delete select(customer_id at address) update(address)',
      cards: `select insert delete update(all but ${cardColumns})`,
      cities: 'select',
      customers: 'select update(client_ip provider_customer_id updated_at)',
      idempotency_keys: 'select insert delete update',
      ledger_entries: 'select',
      ledger_months: 'select',
      limit_counts: 'select insert delete update',
      payment_mode: 'select insert',
      provider_events: 'select insert delete',
      reconciliations: 'select insert update',
      schema_migrations: 'select',
      secrets: 'select update(last_used_at)',
      security_events: 'select insert delete',
      sessions: 'select insert delete update(last_used_at)',
      ...(isCitus && {
        cities: 'select update(updated_at)',
        idempotency_keys: 'select insert delete update(all but customer_id)',
      }),
    });
  });

  it('allow the operator what commands need, and not changes of the ledger or the audit', async () => {
    expect(await allowedOn('operator')).toEqual({
      api_requests: 'select delete',
      audit: 'select insert',
      audit_entries: 'insert',
      audit_personal: 'insert delete select(customer_id at address)',
      cards: `select delete update(all but ${cardColumns})`,
      cities: 'select insert update',
      customers: 'select insert update',
      idempotency_keys: 'select delete',
      ledger_entries: 'select insert',
      ledger_months: 'select insert delete update',
      payment_mode: 'select',
      reconciliations: 'select insert update',
      schema_migrations: 'select',
      secrets: 'select insert delete update(expires_at revoked_at)',
      security_events: 'select delete',
      sessions: 'select delete',
      ...(isCitus && {
        audit_entries: 'select insert',
        audit_personal: 'select insert delete',
        ledger_months: 'select insert delete update(all but customer_id)',
      }),
    });
  });

  it.each([
    [
      'web',
      'activate_card card_refusal is_erased is_new_audit_entry ledger_month open_session refresh_card rotate_own_secret',
    ],
    [
      'operator',
      'activate_card assert_balance_in_range card_refusal is_erased jsonb_changes ledger_month rebuild_city_months rebuild_ledger_months refresh_card rotate_secret',
    ],
  ] as const)('let %s call only the functions that it uses', async (role, names) => {
    const rows = await sqlOf[role]`
      SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        AND has_function_privilege(oid, 'EXECUTE') ORDER BY 1`;
    expect(rows.map((row) => row.proname).join(' ')).toBe(names);
  });

  it.each([
    'CREATE TABLE mine ()',
    'CREATE SCHEMA mine',
    'CREATE ROLE mine',
    "CREATE FUNCTION mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    'GRANT scheduling_operator TO scheduling_web',
    `SET ROLE ${new URL(ownerUrl).username}`,
    'SET session_replication_role = replica',
    "COPY cities TO PROGRAM 'cat'",
    "SELECT pg_read_file('/etc/passwd')",
  ])('allow neither role: %s', async (statement) => {
    for (const sql of Object.values(sqlOf))
      await expect(sql.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
  });

  const audit = (actor: string, action: string, channel: string) =>
    `INSERT INTO audit (actor, action, customer_id, subject, channel) VALUES ('${actor}', '${action}', 1, 's', '${channel}')`;

  it.each([
    ['an operator as the actor', audit('operator:anna', 'card.removed', 'dashboard')],
    ["an operator's action", audit('customer', 'secret.rotated', 'api')],
    ["the command line's channel", audit('customer', 'card.removed', 'cli')],
  ])('refuse an audit entry of the service with %s', async (_what, statement) => {
    await expect(sqlOf.web.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
    await sqlOf.operator.unsafe(statement);
  });

  onPostgres('policies', () => {
    it.each([
      ['after', `after) VALUES (1, $1, '{"name": "forged"}')`],
      ['address', "address) VALUES (1, $1, '192.0.2.1')"],
    ])('let the service not add a value to the `%s` of an entry of an operator', async (column, values) => {
      await sqlOf.operator.unsafe(audit('operator:anna', 'secret.revoked', 'cli'));
      const id = await lastAuditId();
      const insert = `INSERT INTO audit_personal (customer_id, audit_id, ${values}`;
      await expect(sqlOf.web.unsafe(insert, [id])).rejects.toMatchObject({ code: '42501' });
      const [shown] = await sqlOf.operator`SELECT * FROM audit WHERE id = ${id}`;
      expect(shown?.[column]).toBeNull();
    });

    it.each([
      ['personal values', 'audit_personal (customer_id, audit_id) VALUES (1, $1)'],
      [
        'entries',
        `audit_entries (id, actor, action, customer_id, channel) VALUES ($1, 'customer', 'card.added', 1, 'api')`,
      ],
    ])('let the service not take the IDs of later %s of the audit', async (_what, values) => {
      const nextId = Number(await lastAuditId()) + 1;
      await expect(sqlOf.web.unsafe(`INSERT INTO ${values}`, [nextId])).rejects.toMatchObject({
        code: '42501',
      });
      await sqlOf.operator`INSERT INTO audit (actor, action, customer_id, after, channel)
      VALUES ('operator:anna', 'customer.updated', 1, '{"name": "Ada"}', 'cli')`;
      expect((await ownerSql`SELECT after FROM audit WHERE id = ${nextId}`)[0]?.after).toEqual({
        name: 'Ada',
      });
    });

    it('let the service not add personal values to an earlier entry of a customer', async () => {
      await sqlOf.web.unsafe(audit('customer', 'card.removed', 'api'));
      const insert = 'INSERT INTO audit_personal (customer_id, audit_id) VALUES (1, $1)';
      await expect(sqlOf.web.unsafe(insert, [await lastAuditId()])).rejects.toMatchObject({ code: '42501' });
    });

    it('let the service delete security events after a day, and not before', async () => {
      await ownerSql`INSERT INTO security_events (customer_id, event, address, channel, at)
      SELECT id, days, '::1', 'api', now() - make_interval(hours => days)
      FROM customers, unnest(ARRAY[23, 25]) AS days`;
      expect((await sqlOf.web`DELETE FROM security_events WHERE at <= now()`).count).toBe(1);
      expect((await ownerSql`SELECT event FROM security_events`).map((row) => row.event)).toEqual(['23']);
    });
  });

  it('let the service audit what customers and the provider do', async () => {
    await sqlOf.web.unsafe(audit('customer', 'session.opened', 'dashboard'));
    await sqlOf.web`INSERT INTO audit (actor, action, customer_id, after, channel, address)
      VALUES ('customer', 'card.added', 1, '{"last4": "4242"}', 'api', '192.0.2.1')`;
    const [shown] = await ownerSql`SELECT * FROM audit WHERE id = ${await lastAuditId()}`;
    expect(shown).toMatchObject({ after: { last4: '4242' }, address: '192.0.2.1' });
    await sqlOf.web.unsafe(audit('provider', 'card.removed', 'provider'));
  });

  it('let the service rotate a secret with the current one, and not with its hash or a table of its own', async () => {
    const { id, apiSecret } = await newCustomer(db);
    const other = await newCustomer(db);
    const secretsOf = () =>
      ownerSql`SELECT id, revoked_at FROM secrets WHERE customer_id = ${id} ORDER BY id`;
    const before = await secretsOf();
    await sqlOf.web.unsafe('CREATE TEMP TABLE secrets (LIKE secrets); CREATE TEMP TABLE audit_entries ()');
    const rotate = async (customer: number, current: string) => {
      const [row] = await sqlOf.web`
        SELECT outcome FROM rotate_own_secret(${customer}, ${current}, ${before.at(-1)?.id}, sha256('new'), NULL,
          'request-1', '::1')`;
      return row?.outcome;
    };
    const [hash] =
      await ownerSql`SELECT encode(hash, 'escape') AS hash FROM secrets WHERE customer_id = ${id}`;
    for (const wrong of ['', hash?.hash, other.apiSecret])
      expect(await rotate(id, wrong)).toBe('secret_invalid');
    expect(await rotate(other.id, apiSecret)).toBe('secret_invalid');
    for (const status of ['Inactive', 'Suspended', 'Active']) {
      expect(await secretsOf()).toEqual(before);
      await ownerSql`UPDATE customers SET status = ${status} WHERE id = ${id}`;
      expect(await rotate(id, apiSecret)).toBe(status === 'Active' ? 'rotated' : 'secret_invalid');
    }
    expect(await secretsOf()).toHaveLength(2);
    await sqlOf.web.unsafe('DROP TABLE pg_temp.secrets, pg_temp.audit_entries');
    for (const statement of ["UPDATE secrets SET hash = ''", 'UPDATE secrets SET revoked_at = NULL'])
      expect(await isRefused('web', statement)).toBe(true);
    expect(await isRefused('operator', `SELECT rotate_own_secret(1, '', 1, '', NULL, NULL, NULL)`)).toBe(
      true,
    );
  });
});
