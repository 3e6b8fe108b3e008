/** Two PostgreSQL servers of Debian that Patroni and etcd keep as a primary and a synchronous standby. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unusedPort } from '#tools/testing/listen.ts';
import { runStatement } from '../connections.ts';
import { killWithChildren, type Program, startExecutable, untilReady } from '../processes.ts';
import type { Backend } from './haproxy.ts';

export type Node = Backend & {
  name: string;
  restPort: number;
  /** Ends Patroni and PostgreSQL without a shutdown, as a machine that is gone. */
  kill: () => Promise<void>;
  start: () => void;
};

export type Pair = {
  nodes: [Node, Node];
  /** @returns undefined while there is none */
  primary: () => Promise<Node | undefined>;
  /** Whether there is a primary and a synchronous standby. */
  isInSync: () => Promise<boolean>;
  /** Of the superuser. */
  urlOf: (node: Node) => string;
  stop: () => Promise<void>;
};

const superuser = { username: 'postgres', password: 'superuser' };

/** PostgreSQL does not run as root. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function ownFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid, gid } = account();
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  return folder;
}

export async function startPair(folder: string): Promise<Pair> {
  const etcd = await startEtcd(folder);
  const nodes = [
    await createNode(folder, 'one', etcd.port),
    await createNode(folder, 'two', etcd.port),
  ] as const;
  for (const { start } of nodes) start();
  const find = async (check: string) => {
    const found = await Promise.all(nodes.map(({ restPort }) => isOk(restPort, check)));
    return nodes.find((_, index) => found[index]);
  };
  const urlOf = ({ port }: Node) =>
    `postgres://${superuser.username}:${superuser.password}@127.0.0.1:${port}/postgres`;
  return {
    nodes: [...nodes],
    primary: () => find('/primary'),
    // Patroni's own view can be a few seconds old.
    isInSync: async () => {
      const [primary, standby] = [await find('/primary'), await find('/sync')];
      if (!primary || !standby || primary === standby) return false;
      const inSync = "select from pg_stat_replication where sync_state = 'sync'";
      return (await run(urlOf(primary), inSync).catch(() => [])).length > 0;
    },
    urlOf,
    stop: async () => {
      await Promise.all(nodes.map(({ kill }) => kill()));
      etcd.program.kill('SIGKILL');
      await etcd.program.exited;
    },
  };
}

async function isOk(port: number, check: string): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000);
  return fetch(`http://127.0.0.1:${port}${check}`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function startEtcd(folder: string): Promise<{ port: number; program: Program }> {
  const [port, peerPort] = [await unusedPort(), await unusedPort()];
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const args = Object.entries({
    'data-dir': await ownFolder(path.join(folder, 'etcd')),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    'log-level': 'warn',
  }).flatMap(([name, value]) => [`--${name}`, value]);
  const program = startExecutable('etcd', args, account());
  await untilReady(program, () => isOk(port, '/health'));
  return { port, program };
}

async function createNode(folder: string, name: string, etcdPort: number): Promise<Node> {
  const [port, restPort] = [await unusedPort(), await unusedPort()];
  const data = path.join(await ownFolder(path.join(folder, name)), 'data');
  const file = path.join(folder, `${name}.json`);
  const dcs = {
    // As short as Patroni recommends: a primary that is gone is replaced after `ttl` at the latest.
    ...{ ttl: 20, loop_wait: 2, retry_timeout: 5, synchronous_mode: true },
    postgresql: {
      use_pg_rewind: true,
      parameters: { max_connections: 300, synchronous_commit: 'on', wal_log_hints: 'on' },
    },
  };
  // YAML includes JSON.
  const configuration = {
    scope: 'scheduling',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: { dcs, initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }] },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1),
      pgpass: path.join(folder, name, 'pgpass'),
      authentication: { superuser, replication: { username: 'replicator', password: 'replicator' } },
      parameters: { unix_socket_directories: '' },
      pg_hba: [
        'host replication replicator 127.0.0.1/32 scram-sha-256',
        'host all all 127.0.0.1/32 scram-sha-256',
      ],
    },
  };
  await writeFile(file, JSON.stringify(configuration));
  let patroni: Program | undefined;
  return {
    name,
    port,
    restPort,
    checkPort: restPort,
    start: () => {
      patroni = startExecutable('patroni', [file], { ...account(), cwd: path.join(folder, name) });
    },
    kill: async () => {
      if (patroni) killWithChildren(patroni.processId);
      await patroni?.exited;
      const postmaster = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
      const [pid] = postmaster.split('\n');
      if (pid) killWithChildren(Number(pid));
    },
  };
}

/** Runs one statement. */
export const run = (url: string, statement: string) => runStatement(url, statement, { connect: 5, end: 1 });
