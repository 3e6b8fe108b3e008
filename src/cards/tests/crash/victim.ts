import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import type { RequestHandler } from '#src/api/router.ts';
import { checkout } from '#tools/checkout.ts';
import { type Passing, startProxy, type Watch } from '#tools/testing/proxy.ts';

/** A server to be killed, behind wires that count what passes. */
export type Victim = {
  origin: string;
  /** What has passed since the request began. */
  passed: Passing[];
  /** Counts from now on. @param isLast whether to kill at the message that came last; by default at none */
  begin(isLast?: (passed: Passing[]) => boolean): void;
  kill(): void;
  end(): Promise<void>;
};

/** @returns the settings of a server whose messages to the database and to the provider pass `watch` */
export async function startWires(environment: Record<string, string>, watch: Watch) {
  const { DATABASE_URL = '', STRIPE_API_BASE = '' } = environment;
  const database = await startProxy('database', new URL(DATABASE_URL), watch);
  const provider = await startProxy('provider', new URL(STRIPE_API_BASE), watch);
  const changed = { DATABASE_URL: database.url.href, STRIPE_API_BASE: provider.url.origin };
  return { environment: { ...environment, ...changed }, wires: { database, provider } };
}

let bundled: Promise<string> | undefined;

/** @returns the server in one file, which starts in a quarter of the time of its hundreds of modules */
async function bundle(): Promise<string> {
  // In `node_modules`, because packages import others when they are first used.
  const file = path.join(checkout, 'node_modules', '.cache', 'crash-server.mjs');
  const unfinished = `${file}.${process.pid}`;
  await build({
    entryPoints: [path.join(import.meta.dirname, 'server.ts')],
    outfile: unfinished,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // As in Next's bundle: no module may look for files beside itself.
    define: { 'import.meta.dirname': 'undefined' },
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    },
  });
  await rename(unfinished, file);
  return file;
}

/** @param environment overrides of this process's settings */
export async function startServer(environment: Record<string, string>) {
  bundled ??= bundle();
  // Saves another part of the time that a server takes to start. The folder is that of src/fast-imports.mjs.
  const NODE_COMPILE_CACHE = path.join(checkout, 'node_modules', '.cache', 'node');
  const child = fork(await bundled, {
    env: { ...process.env, ...environment, NODE_OPTIONS: '', NODE_COMPILE_CACHE },
    execArgv: [],
  });
  const failed = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`The server exited with ${code}.`)),
  );
  // Once it listens, it may exit.
  failed.catch(() => {});
  const [{ port }] = (await Promise.race([once(child, 'message'), failed])) as [{ port: number }];
  return { origin: `http://127.0.0.1:${port}`, child };
}

/** Sends requests for this process to a server. */
export const forwardTo =
  (origin: string): RequestHandler =>
  (request) =>
    fetch(new Request(new URL(new URL(request.url).pathname, origin), request));

/** @param environment overrides of this process's settings */
export async function startVictim(environment: Record<string, string>): Promise<Victim> {
  const passed: Passing[] = [];
  let state = { isCounting: false, isLast: (_passed: Passing[]) => false };
  let server: ChildProcess | undefined;
  let isDead = false;
  const kill = () => {
    isDead = true;
    server?.kill('SIGKILL');
  };
  const watch = (passing: Passing) => {
    if (isDead) return false;
    if (!state.isCounting) return true;
    passed.push(passing);
    if (state.isLast(passed)) kill();
    return !isDead;
  };
  const { environment: behindWires, wires } = await startWires(environment, watch);
  const { origin, child } = await startServer({ ...behindWires, DATABASE_POOL: '1' });
  server = child;
  return {
    origin,
    passed,
    begin: (isLast = () => false) => {
      state = { isCounting: true, isLast };
    },
    kill,
    end: async () => {
      kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await Promise.all(Object.values(wires).map((wire) => wire.close()));
    },
  };
}
