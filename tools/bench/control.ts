/**
 * The two reads on `node:http` or Fastify: one statement for each caller sent by postgres.js, the same check of the secret, and
 * the same JSON and log line, without limits, response validation, or ETags.
 * Arguments: `node:http` or `fastify`. Settings: `PORT`, `DATABASE_URL`, `CONNECTIONS`, `LOG_FILE`.
 */
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { eq, getTableColumns } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import Fastify from 'fastify';
import postgres from 'postgres';
import * as schema from '#db/schema.ts';
import { cities, customers } from '#db/schema.ts';
import { presentCustomer } from '#src/api/operations/get-customer.ts';
import { presentPayout } from '#src/api/operations/get-payout.ts';
import { columns, type Include, liveSecrets, recordColumns } from '#src/api/principal.ts';
import type { Card } from '#src/cards/card.ts';
import { type City, cityColumns } from '#src/cities/city.ts';
import type { Customer, CustomerRecord } from '#src/customers/get-customer.ts';
import { payoutOf } from '#src/ledger/monthly-balances.ts';
import { createLogger } from '#src/log.ts';
import { tokenHash } from '#src/tokens.ts';

export const paths = {
  detail: '/api/schedule/v1/customers/detail',
  payout: '/api/schedule/v1/customers/payout',
};

/** Placeholders for the values of a request. */
const apiKeyPlaceholder = 'the-api-key';
const nowPlaceholder = new Date(0);

type ControlResponse = { status: number; body: string; customerId?: unknown };
type Row = unknown[];
type Statement = {
  text: string;
  parametersFor: (apiKey: string, now: Date) => postgres.ParameterOrJSON<never>[];
};

/** @returns a statement that authenticates and reads, with what the service reads, for one caller */
async function statementOf(url: string, include: Include): Promise<Statement> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  let statement: { text: string; parameters: unknown[] } | undefined;
  const logger = { logQuery: (text: string, parameters: unknown[]) => (statement = { text, parameters }) };
  await drizzle(client, { schema, logger })
    .select({
      ...columns(include === 'record' ? 'nothing' : include, customers.id),
      ...(include === 'record' ? recordColumns(customers.id) : {}),
      liveSecrets,
    })
    .from(customers)
    .innerJoin(cities, eq(cities.id, customers.cityId))
    .where(eq(customers.apiKey, apiKeyPlaceholder))
    .prepare('control')
    .execute({ at: nowPlaceholder.toISOString() });
  await client.end();
  if (!statement) throw new Error('No statement was sent.');
  const { text, parameters } = statement;
  const fill = (value: unknown, apiKey: string, now: Date) => {
    if (value === apiKeyPlaceholder) return apiKey;
    return value === nowPlaceholder.toISOString() ? now.toISOString() : (value as string);
  };
  return { text, parametersFor: (apiKey, now) => parameters.map((value) => fill(value, apiKey, now)) };
}

type Reads = Record<string, Read>;
type Read = (apiKey: string | undefined, apiSecret: string | undefined) => Promise<ControlResponse>;

/** By path. Both reads share a pool of `CONNECTIONS` connections, postgres.js's default of 10 if unset. */
async function reads(url: string): Promise<Reads> {
  const client = postgres(url, { max: Number(process.env.CONNECTIONS ?? 10), onnotice: () => {} });
  const readCustomer = read(client, await statementOf(url, 'record'), (columns) =>
    presentCustomer(recordOf(columns)),
  );
  const readPayout = read(client, await statementOf(url, 'payout'), ([balance]) => {
    const { month, balanceCents, timezone } = balance as Record<
      'month' | 'balanceCents' | 'timezone',
      string
    >;
    return presentPayout(payoutOf(month, BigInt(balanceCents), timezone));
  });
  return {
    [paths.detail]: logged('getCustomer', paths.detail, readCustomer),
    [paths.payout]: logged('getPayout', paths.payout, readPayout),
  };
}

/** @param columns without those that every request reads */
type Present = (columns: Row) => object;

const customerNames = Object.keys(getTableColumns(schema.customers));
const cityNames = Object.keys(cityColumns);

function read(client: postgres.Sql, { text, parametersFor }: Statement, present: Present): Read {
  return async (apiKey, apiSecret) => {
    if (!apiKey || !apiSecret) return errorResponse(401, 'Authentication required.');
    const [row] = await client.unsafe(text, parametersFor(apiKey, new Date()), { prepare: true }).values();
    if (!row) return errorResponse(403, 'Username could not be found.');
    // The customer's ID and status come first, and the secrets last.
    const columns = (row as Row).slice(2, -1);
    const secrets = row.at(-1) as { hash: string }[];
    const hash = tokenHash(apiSecret);
    if (!secrets.some((secret) => timingSafeEqual(Buffer.from(secret.hash, 'hex'), hash)))
      return errorResponse(403, 'Invalid credentials.');
    return { status: 200, body: JSON.stringify(present(columns)), customerId: row[0] };
  };
}

const log = createLogger({
  LOG_LEVEL: 'info',
  LOG_FILE: process.env.LOG_FILE && `${process.env.LOG_FILE}.${process.pid}`,
  LOG_FILE_MB: 1_000,
});

/** @returns the read, which writes the log line that the service writes */
function logged(operation: string, path: string, read: Read): Read {
  return async (apiKey, apiSecret) => {
    const startedAt = performance.now();
    const response = await read(apiKey, apiSecret);
    const { status, customerId } = response;
    const client = { address: '127.0.0.1', requestId: randomUUID(), channel: 'api' };
    const elapsedMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const keyPrefix = apiKey?.slice(0, 13);
    log.info(
      { operation, method: 'GET', path, ...client, keyPrefix, elapsedMs, status, customerId },
      'request',
    );
    return response;
  };
}

function recordOf(columns: Row): CustomerRecord {
  const stored = columns.at(-1) as (Omit<Card, 'createdAt'> & { createdAt: string })[];
  return {
    customer: pick(customerNames, columns, 0) as Customer,
    city: pick(cityNames, columns, customerNames.length) as City,
    cards: stored.map((card) => ({ ...card, createdAt: new Date(card.createdAt) })),
  };
}

function pick(names: string[], row: Row, offset: number): unknown {
  return Object.fromEntries(names.map((name, index) => [name, row[offset + index]]));
}

function errorResponse(status: number, message: string): ControlResponse {
  return { status, body: JSON.stringify({ error: { code: status, message } }) };
}

/** A header that is not sent is undefined. */
const header = (value: string | string[] | undefined) => (value === undefined ? undefined : `${value}`);

function serveWithNode(reads: Reads, port: number): void {
  createServer(async ({ url, headers }, response) => {
    const read = reads[url ?? ''];
    const { status, body } = read
      ? await read(header(headers['x-auth-apikey']), header(headers['x-auth-apisecret']))
      : { status: 404, body: '{}' };
    response.writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  }).listen(port, '127.0.0.1');
}

async function serveWithFastify(reads: Reads, port: number): Promise<void> {
  const app = Fastify();
  for (const [path, read] of Object.entries(reads)) {
    app.get(path, async ({ headers }, reply) => {
      const { status, body } = await read(
        header(headers['x-auth-apikey']),
        header(headers['x-auth-apisecret']),
      );
      return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
    });
  }
  await app.listen({ port, host: '127.0.0.1' });
}

if (process.argv[1] === import.meta.filename) {
  const serve = process.argv[2] === 'fastify' ? serveWithFastify : serveWithNode;
  await serve(await reads(process.env.DATABASE_URL ?? ''), Number(process.env.PORT));
}
