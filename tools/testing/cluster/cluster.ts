/** Two instances of the service behind a load balancer, and a pair of PostgreSQL servers behind a proxy on each "machine". */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { vi } from 'vitest';
import { openPool, type Pool } from '#db/client.ts';
import { type Sandbox, startSandbox } from '#packages/stripe-sandbox/index.ts';
import { checkout } from '#tools/checkout.ts';
import { unusedPort } from '#tools/testing/listen.ts';
import { sandboxKeys } from '../api.ts';
import { temporaryFolder } from '../processes.ts';
import { testSessionSecret } from '../settings.ts';
import { balancerSection, databaseSection, type ProxyProgram, serverStates, startProxy } from './haproxy.ts';
import { createInstance, type Instance, runToEnd } from './instance.ts';
import { type Node, type Pair, run, startPair } from './patroni.ts';
import { secondCheckout } from './releases.ts';

export type Member = Instance & { database: ProxyProgram; logFile: string };

export type Cluster = {
  /** Of the load balancer. */
  url: string;
  pair: Pair;
  members: [Member, Member];
  /** The folders of two builds of this release. */
  builds: [string, string];
  operator: Pool;
  sandbox: Sandbox;
  ownerUrl: string;
  /** Of the service's role, to one server of the pair. */
  webUrlTo: (node: Node) => string;
  /** What the load balancer thinks of a member, such as `UP`. */
  stateOf: (member: Member) => Promise<string | undefined>;
  untilAllServe: () => Promise<void>;
  close: () => Promise<void>;
};

const roles = ['scheduling_owner', 'scheduling_web', 'scheduling_operator'] as const;
/** For `vi.waitUntil`. */
const wait = { timeout: 120_000, interval: 100 };

export async function startCluster(): Promise<Cluster> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await startParts((closer) => closers.push(closer))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(onClose: (close: () => Promise<unknown>) => void): Promise<Omit<Cluster, 'close'>> {
  const folder = await temporaryFolder('cluster');
  onClose(folder.remove);
  const other = await secondCheckout('other');
  const builds: Cluster['builds'] = [checkout, other];
  for (const build of builds) await runToEnd(['tools/build.ts'], build);
  const pair = await startPair(folder.path);
  onClose(pair.stop);
  await vi.waitUntil(pair.isInSync, wait);
  const first = await pair.primary();
  if (!first) throw new Error('There is no primary.');
  for (const role of roles) await run(pair.urlOf(first), `create role ${role} login password '${role}'`);
  await run(pair.urlOf(first), 'create database scheduling owner scheduling_owner');

  const proxyTo = async (name: string) => {
    const [port, replicaPort] = [await unusedPort(), await unusedPort()];
    const sections =
      databaseSection(port, '/primary', pair.nodes) + databaseSection(replicaPort, '/replica', pair.nodes);
    const proxy = await startProxy(folder.path, { name: `database-${name}`, port, sections });
    onClose(() => {
      // One that is suspended does not stop.
      proxy.kill('SIGCONT');
      return proxy.stop();
    });
    return { ...proxy, replicaPort };
  };
  const urlOf = (role: (typeof roles)[number], port: number) =>
    `postgres://${role}:${role}@127.0.0.1:${port}/scheduling`;
  const operatorProxy = await proxyTo('operator');
  const ownerUrl = urlOf('scheduling_owner', operatorProxy.port);
  await vi.waitUntil(() => run(ownerUrl, 'select 1').catch(() => false), wait);
  await runToEnd(['src/server/migrate.ts'], checkout, { DATABASE_OWNER_URL: ownerUrl });
  const operator = openPool(urlOf('scheduling_operator', operatorProxy.port), {
    connectionsMax: 2,
    statementTimeoutMs: 4_000,
  });
  onClose(operator.close);
  const sandbox = await startSandbox({
    ...sandboxKeys,
    host: '127.0.0.1',
    port: 0,
    dataFile: path.join(folder.path, 'sandbox.sqlite'),
    pageOrigins: [],
  });
  onClose(sandbox.close);

  const [balancerPort, statsPort] = [await unusedPort(), await unusedPort()];
  const createMember = async (name: string, build: string): Promise<Member> => {
    const database = await proxyTo(name);
    const dataDir = path.join(folder.path, `instance-${name}`);
    await mkdir(dataDir);
    const logFile = path.join(dataDir, 'service.log');
    const env = {
      DATABASE_URL: urlOf('scheduling_web', database.port),
      DATABASE_REPLICA_URL: urlOf('scheduling_web', database.replicaPort),
      DATA_DIR: dataDir,
      LOG_FILE: logFile,
      WEB_CONCURRENCY: '2',
      DRAIN_SECONDS: '3',
      TRUST_PROXY: '1',
      PUBLIC_URL: `http://127.0.0.1:${balancerPort}`,
      SESSION_SECRET: testSessionSecret,
      STRIPE_SECRET_KEY: sandboxKeys.secretKey,
      STRIPE_PUBLISHABLE_KEY: sandboxKeys.publishableKey,
      STRIPE_API_BASE: sandbox.origin,
      LIMIT_REQUESTS_PER_MINUTE: '1000000',
      LIMIT_NEW_CARDS_PER_HOUR: '1000000',
    };
    const instance = createInstance(name, await unusedPort(), { folder: build, env });
    return { ...instance, database, logFile };
  };
  const members: Cluster['members'] = [
    await createMember('one', builds[0]),
    await createMember('two', builds[1]),
  ];
  for (const { start, stop } of members) {
    onClose(stop);
    await start();
  }
  const sections = balancerSection(balancerPort, statsPort, members);
  const balancer = await startProxy(folder.path, { name: 'balancer', port: balancerPort, sections });
  onClose(balancer.stop);
  const stateOf: Cluster['stateOf'] = async ({ name }) => (await serverStates(statsPort))[name];
  const untilAllServe = async () => {
    for (const member of members) await vi.waitUntil(async () => (await stateOf(member)) === 'UP', wait);
  };
  await untilAllServe();
  return {
    url: `http://127.0.0.1:${balancerPort}`,
    pair,
    members,
    builds,
    operator,
    sandbox,
    ownerUrl,
    webUrlTo: ({ port }) => urlOf('scheduling_web', port),
    stateOf,
    untilAllServe,
  };
}
