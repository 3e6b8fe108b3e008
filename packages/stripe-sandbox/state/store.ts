/**
 * The sandbox's state in one SQLite file, except faults and the keys in flight. Node's SQLite is synchronous, so an operation and its stored response are one
 * transaction: a killed process leaves both or neither. WAL with `synchronous=NORMAL` survives a killed process, not a
 * power failure, which is enough for a sandbox.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Stripe } from 'stripe';
import { jsonWithoutNumbers } from '../cards/numbers.ts';
import { Faults } from './faults.ts';

/** An object as the API shows it, and what only the sandbox knows about it: `card` is the name of a test card. */
export type StoredToken = { object: Stripe.Token; card: string };
export type StoredPaymentMethod = {
  object: Stripe.PaymentMethod;
  card: string;
  /** A detached payment method cannot be used again. */
  isDetached: boolean;
};

type Kinds = {
  token: StoredToken;
  payment_method: StoredPaymentMethod;
  customer: { object: Stripe.Customer | Stripe.DeletedCustomer };
  setup_intent: { object: Stripe.SetupIntent };
  setup_attempt: { object: Stripe.SetupAttempt };
};
export type Kind = keyof Kinds;

/** Tokens, unattached payment methods, setup attempts, sent events, and stored responses, each. */
const ROWS_MAX = 5_000;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS objects (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
    customer TEXT, json TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS objects_of_customer ON objects (customer, kind, sequence);
  CREATE TABLE IF NOT EXISTS responses (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, target TEXT NOT NULL, status INTEGER NOT NULL,
    body TEXT NOT NULL, request_id TEXT NOT NULL, created_ms INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS responses_by_age ON responses (created_ms);
  CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT, json TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, next_attempt_ms INTEGER, delivered INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX IF NOT EXISTS events_to_send ON events (next_attempt_ms) WHERE next_attempt_ms IS NOT NULL;
`;

export class Store {
  readonly database: DatabaseSync;
  readonly faults = new Faults();
  /** The idempotency keys of requests in progress. */
  readonly keysInFlight = new Set<string>();
  /** The HMAC key of card fingerprints, so that they differ between data files. */
  readonly fingerprintKey: string;

  /** Creates the data file and its folder if needed. */
  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true });
    // SQLite's own mode would let others read it. The files next to it get the same.
    closeSync(openSync(file, 'a', 0o600));
    this.database = new DatabaseSync(file);
    this.database.exec(SCHEMA);
    this.fingerprintKey = this.setting('fingerprint_key', () => randomBytes(32).toString('hex'));
  }

  /** Rolls back if `work` throws. */
  transaction<Result>(work: () => Result): Result {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      this.database.exec('ROLLBACK');
      throw error;
    }
  }

  find<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    const row = this.database.prepare('SELECT json FROM objects WHERE id = ? AND kind = ?').get(id, kind);
    return row && JSON.parse(String(row.json));
  }

  /** Inserts or replaces an object by its ID. */
  save<K extends Kind>(kind: K, stored: Kinds[K]): void {
    const { object } = stored;
    const customer = 'customer' in object && typeof object.customer === 'string' ? object.customer : null;
    this.database
      .prepare(
        `INSERT INTO objects (id, kind, customer, json) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET customer = excluded.customer, json = excluded.json`,
      )
      .run(object.id, kind, customer, jsonWithoutNumbers(stored));
  }

  /** @param customer null for all customers @returns objects, newest first */
  list<K extends Kind>(kind: K, customer: string | null = null): Kinds[K][] {
    return this.database
      .prepare(
        'SELECT json FROM objects WHERE kind = ? AND (? IS NULL OR customer = ?) ORDER BY sequence DESC',
      )
      .all(kind, customer, customer)
      .map((row) => JSON.parse(String(row.json)));
  }

  /** Deletes everything except the fingerprint key. */
  clear(): void {
    this.faults.clear();
    for (const table of ['objects', 'responses', 'requests', 'events'])
      this.database.exec(`DELETE FROM ${table}`);
  }

  /**
   * Deletes the oldest rows of what grows without end, also by requests with the publishable key. Customers, their payment
   * methods, and setup intents stay, because only the holder of the secret key creates them.
   */
  trim(): void {
    for (const rows of [
      "kind = 'token'",
      "kind = 'payment_method' AND customer IS NULL",
      "kind = 'setup_attempt'",
    ])
      this.database.exec(`DELETE FROM objects WHERE ${rows} AND sequence <= (
        SELECT sequence FROM objects WHERE ${rows} ORDER BY sequence DESC LIMIT 1 OFFSET ${ROWS_MAX})`);
    this.database.exec(`
      DELETE FROM events WHERE next_attempt_ms IS NULL AND sequence <= (SELECT max(sequence) - ${ROWS_MAX} FROM events);
      DELETE FROM responses WHERE created_ms <= (
        SELECT created_ms FROM responses ORDER BY created_ms DESC LIMIT 1 OFFSET ${ROWS_MAX});
    `);
  }

  close(): void {
    this.database.close();
  }

  private setting(name: string, make: () => string): string {
    this.database.prepare('INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)').run(name, make());
    return String(this.database.prepare('SELECT value FROM settings WHERE name = ?').get(name)?.value);
  }
}
