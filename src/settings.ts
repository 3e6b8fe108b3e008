/** Every setting of the service. `.env.example` describes each. */
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { isLoopback, readDatabaseUrl } from './database-url.ts';

export class SettingsError extends Error {
  override name = 'SettingsError';
}

const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};
const share = 'must be a number from 0 to 1';
const portMax = 65_535;
const port = whole(1, portMax);
const count = (fallback: number) => whole(1, 1_000_000_000).default(fallback);
const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    );

const databaseUrl = z.string().superRefine((text, context) => {
  const read = readDatabaseUrl(text);
  if (typeof read === 'string') context.addIssue({ code: 'custom', message: read });
});

/** The database of a Redis URL is a number. */
const isRedisUrl = (text: string) =>
  /^rediss?:\/\/([^/%]|%[\da-f]{2})+(\/\d*)?$/i.test(text) && URL.canParse(text);

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const sessionSecret = z.string().min(32, 'must be at least 32 characters of random text').optional();
const webhookSecret = z.string().startsWith('whsec_', 'must start with whsec_').optional();

const schema = z.object({
  PORT: port.default(3000),
  HOST: z
    .string()
    .regex(/^[^\s[\]]+$/, 'must be a host name or an IP address, without brackets and spaces')
    .default('127.0.0.1'),
  PUBLIC_URL: url('http:', 'https:').optional(),
  METRICS_PORT: port.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:').optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number(share).min(0, share).max(1, share).default(0.01),
  TRUST_PROXY: whole(0, 10).default(0),
  WEB_CONCURRENCY: whole(1, 64).default(1),
  DRAIN_SECONDS: whole(0, 300).default(0),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_OPERATOR_URL: databaseUrl.optional(),
  DATABASE_OWNER_URL: databaseUrl.optional(),
  DATABASE_POOL: count(10),
  DATABASE_POOLER: z.enum(['transaction'], 'can only be "transaction"').optional(),
  DATABASE_REPLICA_URL: databaseUrl.optional(),
  DATABASE_REPLICA_LAG_SECONDS: whole(2, 3_600).default(5),
  DATABASE_WAIT_SECONDS: whole(0, 3_600).default(30),
  DATA_DIR: z.string().min(1).default('.data'),
  SESSION_SECRET: sessionSecret,
  SESSION_SECRET_2: sessionSecret,
  SESSION_IDLE_MINUTES: whole(5, 720).default(30),
  SESSION_HOURS: whole(1, 12).default(12),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(live|test)_/, 'must start with sk_live_, sk_test_, rk_live_, or rk_test_')
    .optional(),
  STRIPE_PUBLISHABLE_KEY: z
    .string()
    .regex(/^pk_(live|test)_/, 'must start with pk_live_ or pk_test_')
    .optional(),
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_WEBHOOK_SECRET_2: webhookSecret,
  STRIPE_API_BASE: url('http:', 'https:').optional(),
  PAYMENTS: z.enum(['sandbox'], 'can only be "sandbox"').optional(),
  SANDBOX_PORT: port.optional(),
  SERVICE_NAME: z.string().min(1).max(60).default('Scheduling Service'),
  SUPPORT_CONTACT: z.string().min(1).max(200).default('support@example.com'),
  MAP_TILE_URL: url('http:', 'https:').optional(),
  GEOCODER_URL: url('http:', 'https:').optional(),
  MAP_TILE_ATTRIBUTION: z.string().max(300).default(''),
  LOG_LEVEL: z.enum(levels, `must be one of ${levels.join(', ')}`).default('info'),
  LOG_FILE: z.string().min(1).optional(),
  LOG_FILE_MB: whole(1, 1_000_000).default(100),
  QUOTA_STORE: z
    .string()
    .refine(
      (text) => text === 'memory' || text === 'database' || isRedisUrl(text),
      'must be memory, database, or a URL such as redis://host:6379 or rediss://user:password@host, with % in a password as %25',
    )
    .default('memory'),
  LIMIT_REQUESTS_PER_MINUTE: count(600),
  LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: count(30),
  LIMIT_FAILED_AUTH_PER_ADDRESS: count(300),
  LIMIT_FAILED_AUTH_WINDOW_SECONDS: count(300),
  LIMIT_DECLINES_PER_HOUR: count(20),
  LIMIT_NEW_CARDS_PER_HOUR: count(60),
  SECURITY_EVENTS_RETENTION_DAYS: whole(1, 3_650).default(90),
  CLIENT_ADDRESSES_RETENTION_DAYS: whole(1, 3_650).default(90),
  FAILED_CARDS_RETENTION_DAYS: whole(1, 3_650).default(30),
});

export const settingNames = Object.keys(schema.shape);
/** With those that name a file. */
export const settingVariables = settingNames.flatMap((name) => [name, `${name}_FILE`]);

type Raw = z.infer<typeof schema>;
/** Where cards go: to the provider with live or test keys, or to the sandbox. */
export type PaymentMode = 'live' | 'test' | 'sandbox';
export type Settings = Raw & {
  publicUrl: string;
  sandboxPort: number;
  mode: PaymentMode;
};

function modeOf({ PAYMENTS, DATABASE_URL, STRIPE_SECRET_KEY }: Raw): PaymentMode {
  if (PAYMENTS === 'sandbox' || (!DATABASE_URL && !STRIPE_SECRET_KEY)) return 'sandbox';
  return /_live_/.test(STRIPE_SECRET_KEY ?? '') ? 'live' : 'test';
}

const sandboxPortOf = ({ SANDBOX_PORT, PORT }: Raw) => SANDBOX_PORT ?? PORT + 1;

/** The host name by which this machine reaches a server that listens on `host`. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Whether other machines can reach the service, or are meant to. */
function isExposed({ HOST, PUBLIC_URL }: Raw): boolean {
  if (!isLoopback(HOST)) return true;
  if (PUBLIC_URL === undefined) return false;
  const { protocol, hostname } = new URL(PUBLIC_URL);
  return protocol === 'https:' || !isLoopback(hostname);
}

const compressedBytesMin = 24;

/** Repetitions and sequences compress well. 16 random bytes in hexadecimal, the shortest secret, do not. */
function isWeak(secret: string): boolean {
  return deflateRawSync(secret).length < compressedBytesMin;
}

/**
 * Whether a secret is unlike what `openssl rand` prints in hexadecimal or base64. In random characters, about every second
 * one is of another kind than the one before (`aB`, `a1`). In words and sequences, few are.
 */
function isGuessable(secret: string): boolean {
  const changes = secret.match(/(?=[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z])/g)?.length ?? 0;
  const changesMin = secret.length / (/^[0-9a-f]+$/i.test(secret) ? 10 : 4);
  return !/^[\w+/=-]+$/.test(secret) || isWeak(secret) || changes < changesMin;
}

/** Stripe's have 32 characters after the prefix. */
const webhookSecretCharsMin = 'whsec_'.length + 24;

/** Commands check it too, which need few of the settings. */
export const isLiveKeySentElsewhere = (raw: Pick<Raw, 'STRIPE_API_BASE' | 'STRIPE_SECRET_KEY'>) =>
  raw.STRIPE_API_BASE !== undefined && /_live_/.test(raw.STRIPE_SECRET_KEY ?? '');
export const sentElsewhereProblem =
  'STRIPE_API_BASE cannot be combined with live Stripe keys. Remove one of them.';

const rules: [(raw: Raw) => boolean, string][] = [
  [
    (raw) => {
      const ports = [raw.PORT, raw.METRICS_PORT, modeOf(raw) === 'sandbox' ? sandboxPortOf(raw) : undefined];
      const used = ports.filter((port) => port !== undefined);
      return new Set(used).size < used.length;
    },
    'PORT, METRICS_PORT, and SANDBOX_PORT (by default PORT plus one) must be different ports.',
  ],
  [
    (raw) => modeOf(raw) === 'sandbox' && sandboxPortOf(raw) > portMax,
    `SANDBOX_PORT is by default PORT plus one, so set it when PORT is ${portMax}.`,
  ],
  [
    (raw) => !raw.STRIPE_SECRET_KEY !== !raw.STRIPE_PUBLISHABLE_KEY,
    'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY go together: set both or neither.',
  ],
  [
    (raw) => /_live_/.test(raw.STRIPE_SECRET_KEY ?? '') !== /_live_/.test(raw.STRIPE_PUBLISHABLE_KEY ?? ''),
    'STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY must both be live keys or both be test keys.',
  ],
  [
    (raw) => raw.PAYMENTS === 'sandbox' && /_live_/.test(raw.STRIPE_SECRET_KEY ?? ''),
    'PAYMENTS=sandbox and live Stripe keys cannot be combined. Remove one of them.',
  ],
  [(raw) => isLiveKeySentElsewhere(raw), sentElsewhereProblem],
  [
    (raw) => modeOf(raw) === 'live' && raw.STRIPE_WEBHOOK_SECRET === undefined,
    'Live Stripe keys need STRIPE_WEBHOOK_SECRET, the signing secret of the webhook endpoint. Without it, cards that are detached at Stripe stay on file.',
  ],
  [
    (raw) => modeOf(raw) === 'live' && !raw.PUBLIC_URL?.startsWith('https:'),
    'Live Stripe keys need PUBLIC_URL with https, so that secrets and session cookies are not sent in plain text.',
  ],
  [
    (raw) =>
      modeOf(raw) === 'live' &&
      [raw.STRIPE_WEBHOOK_SECRET, raw.STRIPE_WEBHOOK_SECRET_2].some(
        (secret) => secret !== undefined && (secret.length < webhookSecretCharsMin || isWeak(secret)),
      ),
    'STRIPE_WEBHOOK_SECRET or STRIPE_WEBHOOK_SECRET_2 is not a Stripe signing secret. Copy it from the webhook endpoint in the Stripe Dashboard.',
  ],
  [
    (raw) => modeOf(raw) === 'sandbox' && raw.PAYMENTS !== 'sandbox' && isExposed(raw),
    'HOST or PUBLIC_URL makes the service reachable from other machines. Set STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY, or PAYMENTS=sandbox to accept only test cards there.',
  ],
  [
    (raw) =>
      [raw.SESSION_SECRET, raw.SESSION_SECRET_2].some(
        (secret) => secret !== undefined && isGuessable(secret),
      ),
    'SESSION_SECRET or SESSION_SECRET_2 is too easy to guess. Use random characters in hexadecimal or base64, such as the output of: openssl rand -hex 32',
  ],
  [
    (raw) => raw.DATABASE_URL !== undefined && !raw.STRIPE_SECRET_KEY && raw.PAYMENTS !== 'sandbox',
    'With DATABASE_URL set, set STRIPE_SECRET_KEY and STRIPE_PUBLISHABLE_KEY, or PAYMENTS=sandbox to run the payment sandbox.',
  ],
  [
    (raw) => raw.DATABASE_URL !== undefined && raw.SESSION_SECRET === undefined,
    'With DATABASE_URL set, set SESSION_SECRET too (32 or more random characters), so that all instances share it.',
  ],
  [
    (raw) => raw.DATABASE_OWNER_URL !== undefined,
    "DATABASE_OWNER_URL is only for `npm run migrate` and commands that read or write whole tables, because the service must not have the credentials of the role that owns the tables. Remove it from the service's environment and from `.env`.",
  ],
];

/**
 * Reads variables, each from `NAME`, or from the file in `NAME_FILE`, as Docker and Kubernetes mount secrets.
 * @throws SettingsError
 */
export function readVariables(
  env: Record<string, string | undefined>,
  names: readonly string[],
): Record<string, string | undefined> {
  const read: Record<string, string | undefined> = {};
  for (const name of names) {
    read[name] = env[name];
    const file = env[`${name}_FILE`];
    if (!file) continue;
    if (env[name]) throw new SettingsError(`${name} and ${name}_FILE are both set. Remove one of them.`);
    try {
      read[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new SettingsError(
        `${name}_FILE cannot be read from ${file} (${code}). Check its path and permissions.`,
      );
    }
  }
  return read;
}

/**
 * @param env the environment variables; an empty string counts as not set
 * @returns the settings and the values derived from them
 * @throws SettingsError with one line per invalid setting
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const settings = parseSettings(env);
  const broken = rules.filter(([isBroken]) => isBroken(settings)).map(([, sentence]) => sentence);
  if (broken.length > 0) throw new SettingsError(broken.join('\n'));
  return settings;
}

/** Like `readSettings`, but accepts settings that do not go together, because a program that does not serve needs only some. */
export function parseSettings(env: Record<string, string | undefined>): Settings {
  const variables = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(readVariables(variables, settingNames));
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`);
    throw new SettingsError(lines.join('\n'));
  }
  const raw = parsed.data;
  return {
    ...raw,
    publicUrl: new URL(raw.PUBLIC_URL ?? `http://${localHost(raw.HOST)}:${raw.PORT}`).origin,
    sandboxPort: sandboxPortOf(raw),
    mode: modeOf(raw),
  };
}
