/** Connections that tests open themselves, and the URLs of their databases. */
import postgres from 'postgres';

export const withParts = (url: string, parts: Partial<URL>) => Object.assign(new URL(url), parts).href;

export const inDatabase = (url: string, name: string) => withParts(url, { pathname: `/${name}` });

/** Seconds until the connection is open, and until it is closed. */
type Timeouts = { connect?: number; end?: number };

/** @param run is called with a client of one connection, which ends afterward */
export async function withClient<Result>(
  url: string,
  run: (client: postgres.Sql) => Promise<Result>,
  { connect = 30, end }: Timeouts = {},
): Promise<Result> {
  const client = postgres(url, { max: 1, connect_timeout: connect, onnotice: () => {} });
  return run(client).finally(() => client.end({ timeout: end }));
}

/** @returns its rows */
export const runStatement = (url: string, sql: string, timeouts?: Timeouts): Promise<postgres.Row[]> =>
  withClient(url, (client) => client.unsafe(sql), timeouts);
