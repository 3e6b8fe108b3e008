import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { copyIn } from '#db/copy-in.ts';
import { isConflict, isUniqueViolation } from '#db/errors.ts';
import { markDatabaseUsed } from '#db/instance-lock.ts';
import { oneRow } from '#db/one-row.ts';
import { openClient, withoutTimeouts } from '#db/server.ts';
import { auditInsert } from '#src/audit.ts';
import { type AddingOptions, addingEntries, isCityMissing } from './add-entry.ts';
import type { RowProblem } from './import-row.ts';

type ImportCounts = { added: number; customers: number };
/** A row that was not added, because an entry with its reference exists. */
export type SkippedRow = {
  line: number;
  reference: string;
  /** Of the entry, signed. */
  amountCents: bigint;
  addedAt: Date;
  isReversed: boolean;
};
type SkippedRecord = Omit<SkippedRow, 'amountCents' | 'addedAt'> & {
  cents: string;
  at: string;
  reversed: number;
};

/** Of each kind. */
export const problemsMax = 100_000;
const skippedMax = 100_000;

/**
 * One import on its own connection, in one transaction: rows are staged in a temporary table, checked against
 * customers, prices and entries, and added by one statement.
 */
export class LedgerImport {
  readonly #sql: postgres.Sql;

  private constructor(sql: postgres.Sql) {
    this.#sql = sql;
  }

  static async begin(url: string): Promise<LedgerImport> {
    const sql = await openClient(url);
    try {
      // Otherwise, the server goes on after Ctrl-C until the statement ends, and others wait for its locks.
      await sql.unsafe(`BEGIN; ${withoutTimeouts} ${markDatabaseUsed} SET LOCAL client_connection_check_interval = '1s';
        SET LOCAL work_mem = '64MB'; SET LOCAL jit = off;
        CREATE TEMPORARY TABLE import_rows (line integer, username text, kind text, amount_cents bigint,
          miles double precision, at_ms double precision, description text, reference text) ON COMMIT DROP`);
      return new LedgerImport(sql);
    } catch (error) {
      // An open connection would keep the command from exiting.
      await sql.end({ timeout: 0 });
      throw error;
    }
  }

  /** @param lines of `copyLine` */
  async stage(lines: AsyncIterable<string>): Promise<void> {
    await copyIn(this.#sql, 'COPY import_rows FROM STDIN', lines);
  }

  /**
   * Finds the customers, prices and, for rows without one, a reference made of what the row says and of how many rows
   * before it say the same: the same file gives the same references again, also after a price change, because a row
   * by miles does not say its price.
   */
  async resolve(areReferencesMissing: boolean): Promise<void> {
    const at = 'to_timestamp(r.at_ms / 1000)';
    const content = `r.username, r.kind, r.amount_cents, r.miles, ${at}, r.description`;
    const created = `'import-' || left(encode(sha256(convert_to(jsonb_build_array(${content})::text, 'UTF8')), 'hex'), 32)
      || '-' || row_number() OVER (PARTITION BY r.reference IS NULL, ${content} ORDER BY r.line)`;
    await this.#sql.unsafe(`
      CREATE TEMPORARY TABLE import_entries ON COMMIT DROP AS
      SELECT r.line, c.id AS customer_id, c.erased_at IS NOT NULL AS is_erased, r.kind, coalesce(r.amount_cents, (
          SELECT cities.base_price_cents + round((item ->> 'amount')::numeric * 100)::bigint
          FROM jsonb_array_elements(cities.delivery_prices::jsonb -> 'items') item
          WHERE (item ->> 'mile')::double precision >= r.miles
          ORDER BY (item ->> 'mile')::double precision LIMIT 1)) AS amount_cents,
        r.miles IS NOT NULL AS is_by_miles, ${at} AS takes_effect_at, r.description,
        ${areReferencesMissing ? `coalesce(r.reference, ${created})` : 'r.reference'} AS reference, now() AS added_at
      FROM import_rows r LEFT JOIN customers c ON c.username = r.username LEFT JOIN cities ON cities.id = c.city_id`);
    await this.#sql.unsafe('DROP TABLE import_rows; ANALYZE import_entries');
  }

  /** Problems that only the database shows, by line. */
  async findProblems(): Promise<RowProblem[]> {
    return this.#sql<RowProblem[]>`
      SELECT line, 'username' AS column, 'There is no customer with this username.' AS message
        FROM import_entries WHERE customer_id IS NULL
      UNION ALL
      SELECT line, 'miles', 'The price table of the customer''s city ends before that distance.'
        FROM import_entries WHERE customer_id IS NOT NULL AND amount_cents IS NULL
          AND (customer_id, reference) NOT IN (
            SELECT customer_id, e.reference FROM ledger_entries e JOIN import_entries i USING (customer_id, reference)
            WHERE i.amount_cents IS NULL)
      ORDER BY 1 LIMIT ${problemsMax}`;
  }

  /**
   * Rows of customers who were erased after `resolve` found them, by line. Their balance has been printed. After `add`, which
   * locks its customers, an erasure waits for the import.
   */
  async findErased(): Promise<RowProblem[]> {
    return this.#sql<RowProblem[]>`
      SELECT i.line, 'username' AS column, 'There is no customer with this username.' AS message
      FROM import_entries i JOIN customers c ON c.id = i.customer_id
      WHERE c.erased_at IS NOT NULL AND NOT i.is_erased
      ORDER BY 1 LIMIT ${problemsMax}`;
  }

  /** Problems that several rows together show, by line. */
  async findDuplicates(): Promise<RowProblem[]> {
    return this.#sql<RowProblem[]>`
      SELECT e.line, 'reference' AS column, 'The customer already has this reference in line ' || d.first || '.' AS message
        FROM import_entries e JOIN (
          SELECT customer_id, reference, min(line) AS first FROM import_entries WHERE customer_id IS NOT NULL
          GROUP BY 1, 2 HAVING count(*) > 1) d USING (customer_id, reference)
        WHERE e.line <> d.first
      ORDER BY 1 LIMIT ${problemsMax}`;
  }

  /**
   * Adds the entries that are not there yet, their monthly sums, and the audit. At first as if none of them were, which is
   * faster and is refused at the first that is. Repeated after a deadlock with an import of the same entries in another
   * order, of which PostgreSQL lets one go on, and for a customer who has moved to a new city since it began.
   * @param source for the audit
   */
  async add(actor: string, source: { name: string; sha256: string }): Promise<ImportCounts> {
    const entries = sql`
      select line as position, customer_id, kind, amount_cents, takes_effect_at, description, reference,
        null::bigint as reverses_id from import_entries where amount_cents is not null`;
    const audit = auditInsert({
      actor,
      action: 'entries.imported',
      customerId: sql`customer_id`,
      subject: source.name,
      after: sql`jsonb_build_object('entries', count(*), 'amount_cents', sum(amount_cents),
        'sha256', ${source.sha256}::text)`,
      from: sql`added group by customer_id`,
    });
    const insert = (options?: AddingOptions) =>
      oneRow(
        drizzle(this.#sql).execute<ImportCounts>(sql`
        with ${addingEntries(entries, options)}, audited as (${audit} returning 1)
        select (select count(*) from added)::integer as added, (select count(*) from audited)::integer as customers`),
      );
    await this.#sql.unsafe('SAVEPOINT nothing_added');
    const insertMissing = async (error: unknown): Promise<ImportCounts> => {
      if (!isUniqueViolation(error) && !isConflict(error) && !isCityMissing(error)) throw error;
      await this.#sql.unsafe('ROLLBACK TO nothing_added');
      return insert().catch(insertMissing);
    };
    return insert({ onConflict: sql`` }).catch(insertMissing);
  }

  /** Rows whose reference belongs to an entry that says something else. An entry by miles keeps its price of then. */
  async findConflicts(): Promise<RowProblem[]> {
    return this.#sql<RowProblem[]>`
      SELECT i.line, 'reference' AS column, 'A different entry of the customer has this reference. Give the row another reference.' AS message
      FROM import_entries i JOIN ledger_entries e USING (customer_id, reference)
      WHERE (i.kind, i.takes_effect_at, i.description) IS DISTINCT FROM (e.kind, e.takes_effect_at, e.description)
        OR NOT i.is_by_miles AND i.amount_cents <> e.amount_cents
      ORDER BY 1 LIMIT ${problemsMax}`;
  }

  /** The first 100,000 rows whose entry existed before `add`, and how many of all of them were reversed; by line. */
  async findSkipped(): Promise<{ rows: SkippedRow[]; reversed: number }> {
    const rows = await this.#sql<SkippedRecord[]>`
      SELECT i.line, e.reference, e.amount_cents::text AS cents, e.created_at::text AS at,
        r.id IS NOT NULL AS "isReversed", (count(r.id) OVER ())::integer AS reversed
      FROM import_entries i JOIN ledger_entries e USING (customer_id, reference)
        LEFT JOIN ledger_entries r ON r.customer_id = e.customer_id AND r.reverses_id = e.id
      WHERE e.created_at <> i.added_at
      ORDER BY 1 LIMIT ${skippedMax}`;
    return {
      rows: rows.map(({ line, reference, cents, at, isReversed }) => {
        return { line, reference, amountCents: BigInt(cents), addedAt: new Date(at), isReversed };
      }),
      reversed: rows[0]?.reversed ?? 0,
    };
  }

  /** Only now are customers locked whose balance is near the limit. @throws if a balance is out of range */
  async commit(): Promise<void> {
    await this.#sql.unsafe(
      'SELECT assert_balance_in_range(array_agg(DISTINCT customer_id)) FROM import_entries',
    );
    await this.#sql.unsafe('COMMIT');
  }

  /** Ends the connection and rolls back an uncommitted transaction. */
  async end(): Promise<void> {
    await this.#sql.end({ timeout: 0 });
  }
}

/** A line of COPY's text format. */
export function copyLine(cells: (string | number | bigint | null)[]): string {
  return `${cells.map((cell) => (cell === null ? '\\N' : escaped(String(cell)))).join('\t')}\n`;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escaped(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (one) => escapes[one] ?? one) : text;
}
