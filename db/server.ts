import { setTimeout } from 'node:timers/promises';
import postgres, { type Options, type Sql } from 'postgres';
import { readDatabaseUrl, type ServerAddress, type Target } from '#src/database-url.ts';
import { DatabaseBusyError, isConnectionLost, isServerFull } from './errors.ts';
import { withTimeout } from './with-timeout.ts';

type ServerState = {
  isStandby: boolean;
  isReadOnly: boolean;
  /** Whether a commit of this role has waited for seconds, for a synchronous standby or a disk. */
  isCommitStalled: boolean;
};

/** Why a server is looked for again while its connections are open. */
type Suspicion = 'read-only' | 'stalled commit';

/** The server that a URL leads to. A pool opens new connections when `generation` has changed. */
export type Server = {
  generation: () => number;
  /** @throws DatabaseBusyError at once while no server can be used @returns a promise while the server is looked for */
  ready: () => Promise<void> | undefined;
  /** Opens connections, lazily. */
  open: (options: Options<Record<string, never>>) => Sql;
  /** Looks for the server again, because connections of this generation were lost, refuse writes, or may not end a commit. */
  suspect: (generation: number, reason?: Suspicion) => void;
  /**
   * Reads the state over a connection of its own, and looks for the server again if it does not respond.
   * @param run more to do in the same time. That it is slow says nothing about the server
   * @throws Error when it takes longer than `probeTimeoutMs`
   */
  check: (run: (client: Sql) => Promise<unknown>) => Promise<ServerState>;
  close: () => Promise<void>;
};

/** How long a server may take to accept a connection and to respond. */
export const probeTimeoutMs = 1_500;
/** How long a program waits for its first connection. */
export const connectMaxMs = 10_000;
/** Between two attempts to find a server. */
const retryMs = 250;

/** SQL for a transaction that can take long, whatever the server's or the role's settings are. PostgreSQL 17 has `transaction_timeout`. */
export const withoutTimeouts = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  select set_config('transaction_timeout', '0', true) where current_setting('server_version_num')::int >= 170000;`;

const stateQuery = `select pg_is_in_recovery() as "isStandby",
  current_setting('transaction_read_only')::boolean as "isReadOnly",
  exists (
    select from pg_stat_activity
    where usename = session_user and query_start < clock_timestamp() - interval '4 seconds'
      and lower(wait_event) in ('syncrep', 'walsync', 'walwrite')
  ) as "isCommitStalled"`;

/** What several servers are chosen by: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS */
const fits: Record<Target, (state: ServerState) => boolean> = {
  any: () => true,
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
  'prefer-standby': ({ isStandby }) => isStandby,
};

/**
 * Follows the server behind a URL: when connections are lost, it is looked for among the URL's hosts, and statements are
 * refused until one is found. Decision: docs/decisions/0031-failover.md.
 * @param defaultTarget without `target_session_attrs` in the URL. Of several hosts, it is the primary
 * @param isPooled behind a connection pooler, whose clients wait while its connections are in use
 * @throws Error if the URL is not valid
 */
export function followServer(text: string, defaultTarget?: Target, isPooled = false): Server {
  const parsed = readDatabaseUrl(text);
  if (typeof parsed === 'string') throw new Error(`The address of the database ${parsed}.`);
  const { url, addresses } = parsed;
  const target = parsed.target ?? defaultTarget ?? (addresses.length > 1 ? 'primary' : 'any');
  const isPrimary = target === 'primary' || target === 'read-write';
  let [address] = addresses;
  let generation = 0;
  let isDown = false;
  let isClosed = false;
  let search: Promise<void> | undefined;
  let suspectedAtMs = -Infinity;
  let monitor: { client: Sql; generation: number } | undefined;

  const openAt = (at: ServerAddress, options: Options<Record<string, never>>) =>
    postgres(url, {
      // As lists, which its types do not know, because it would split an IPv6 address at its colons.
      ...(at as object),
      onnotice: () => {},
      connect_timeout: connectMaxMs / 1000,
      // Drizzle parses arrays itself, and postgres.js does not catch it when a connection breaks while it asks for their types.
      fetch_types: false,
      ...options,
      // Times become text: in exports, in the references of imported rows, and for postgres.js. A server's own zone is often that of its machine.
      connection: {
        application_name: 'scheduling',
        TimeZone: 'UTC',
        DateStyle: 'ISO, MDY',
        ...options.connection,
      },
    });
  const look = async (reason?: Suspicion): Promise<void> => {
    let isFull = false;
    const found = await findServer(addresses, target, {
      open: (at) => openAt(at, probeOptions),
      onError: (at, error) => {
        if (at === address && isServerFull(error)) isFull = true;
      },
    });
    if (found && !isClosed) {
      const { isReadOnly, isCommitStalled } = found.state;
      const isSame = found.address === address;
      // New connections would be as read-only as those that exist, or wait for the same standby.
      const isUnchanged =
        isSame &&
        ((reason === 'read-only' && isReadOnly) || (reason === 'stalled commit' && isCommitStalled));
      if (!isUnchanged) generation += 1;
      ({ address } = found);
      isDown = false;
      search = undefined;
      return;
    }
    // The server is there, and the connections of the pools may still work.
    if (isFull) {
      isDown = false;
      search = undefined;
      return;
    }
    isDown = true;
    // Connections that were silent have been closed meanwhile.
    const next = reason === 'read-only' ? reason : undefined;
    void setTimeout(retryMs, undefined, { ref: false }).then(() => !isClosed && begin(next));
    throw new DatabaseBusyError('The database cannot be reached.');
  };
  const begin = (reason?: Suspicion) => {
    search = look(reason);
    search.catch(() => {});
  };
  // A connection to the one server that is wanted can be opened at once.
  if (addresses.length > 1 || (parsed.target && parsed.target !== 'any')) begin();
  const suspect: Server['suspect'] = (known, reason) => {
    if (isClosed || search || known !== generation) return;
    if (reason && performance.now() - suspectedAtMs < retryMs) return;
    if (reason) suspectedAtMs = performance.now();
    begin(reason);
  };
  const closeMonitor = async () => {
    const closing = monitor?.client;
    monitor = undefined;
    await closing?.end({ timeout: 0 });
  };
  return {
    generation: () => generation,
    ready: () => {
      if (isDown) throw new DatabaseBusyError('The database cannot be reached.');
      return search;
    },
    // A pool can connect to a standby after a failover, for example by a name that is updated late.
    open: (options) => openAt(address, { ...(isPrimary && { target_session_attrs: 'primary' }), ...options }),
    suspect,
    check: async (run) => {
      if (isDown) throw new DatabaseBusyError('The database cannot be reached.');
      await search;
      if (monitor?.generation !== generation) {
        // Replaced at once, because checks can run side by side.
        closeMonitor().catch(() => {});
        monitor = { client: openAt(address, probeOptions), generation };
      }
      const { client, generation: known } = monitor;
      // Behind a pooler, a check without a response may only be waiting for a connection.
      let hasResponded = isPooled;
      const readState = async () => {
        const [state] = await client.unsafe<ServerState[]>(stateQuery);
        hasResponded = true;
        return state as ServerState;
      };
      try {
        const [state] = await withTimeout(Promise.all([readState(), run(client)]), probeTimeoutMs);
        return state;
      } catch (error) {
        // Otherwise another check has closed it, which says nothing about the server.
        const isCurrent = monitor?.client === client;
        if (isCurrent) await closeMonitor();
        const isSilent = error instanceof DatabaseBusyError && !hasResponded;
        if (isCurrent && (isSilent || isConnectionLost(error))) suspect(known);
        throw error;
      }
    },
    close: async () => {
      isClosed = true;
      await closeMonitor();
    },
  };
}

/**
 * One connection. Another one would be outside of the transaction, in which `commit` succeeds without the changes.
 * @param source a server, or the URL of one
 * @returns its client, which is closed when the connection is lost
 * @throws DatabaseBusyError when no server can be used, or the connection is not open in time: postgres.js connects again and again
 *   while a first statement waits
 */
export async function openClient(
  source: Server | string,
  { connect_timeout = connectMaxMs / 1000, ...options }: Options<Record<string, never>> = {},
): Promise<Sql> {
  const server = typeof source === 'string' ? followServer(source) : source;
  try {
    await server.ready();
  } finally {
    if (server !== source) await server.close();
  }
  const client: Sql = server.open({
    max: 1,
    max_lifetime: null,
    prepare: false,
    connect_timeout,
    onclose: () => void client.end({ timeout: 0 }),
    ...options,
  });
  try {
    await withTimeout(client.unsafe('select'), Number(connect_timeout) * 1000);
    return client;
  } catch (error) {
    client.end({ timeout: 0 }).catch(() => {});
    throw error;
  }
}

const probeOptions: Options<Record<string, never>> = {
  max: 1,
  connect_timeout: probeTimeoutMs / 1000,
  backoff: false,
  prepare: false,
  connection: { application_name: 'scheduling health check' },
};

type Found = { address: ServerAddress; state: ServerState };

type Probe = {
  open: (address: ServerAddress) => Sql;
  onError: (address: ServerAddress, error: unknown) => void;
};

/** Asks all servers at once, so that one that is silent does not delay the others. */
async function findServer(
  addresses: ServerAddress[],
  target: Target,
  { open, onError }: Probe,
): Promise<Found | undefined> {
  const probes = addresses.map(async (address): Promise<Found> => {
    const client = open(address);
    try {
      const [state] = await withTimeout(client.unsafe<ServerState[]>(stateQuery), probeTimeoutMs);
      if (!state) throw new Error('The server returned no row.');
      return { address, state };
    } catch (error) {
      onError(address, error);
      throw error;
    } finally {
      client.end({ timeout: 0 }).catch(() => {});
    }
  });
  const first = (isWanted: (state: ServerState) => boolean) =>
    Promise.any(
      probes.map(async (probe) => {
        const found = await probe;
        if (!isWanted(found.state)) throw new Error('Not the server that is wanted.');
        return found;
      }),
    ).catch(() => undefined);
  return (await first(fits[target])) ?? (target === 'prefer-standby' ? first(fits.any) : undefined);
}
