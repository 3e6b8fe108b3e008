import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type Passing, startProxy } from './proxy.ts';

/** A server to be killed, behind wires that count what passes. */
export type Victim = {
  origin: string;
  /** What has passed since the request began. */
  passed: Passing[];
  /** Counts from now on. @param step the message at which to kill; none when undefined */
  begin(step?: number): void;
  kill(): void;
  end(): Promise<void>;
};

/** @param env overrides of this process's settings */
export async function startVictim(environment: Record<string, string>): Promise<Victim> {
  const passed: Passing[] = [];
  let state: { isCounting: boolean; step: number | undefined } = { isCounting: false, step: undefined };
  let child: ChildProcess | undefined;
  let isDead = false;
  const kill = () => {
    isDead = true;
    child?.kill('SIGKILL');
  };
  const watch = (passing: Passing) => {
    if (isDead) return false;
    if (!state.isCounting) return true;
    passed.push(passing);
    if (passed.length - 1 === state.step) kill();
    return !isDead;
  };
  const database = new URL(environment.DATABASE_URL ?? '');
  const provider = new URL(environment.STRIPE_API_BASE ?? '');
  const wires = await Promise.all([
    startProxy('database', { host: database.hostname, port: Number(database.port) }, watch),
    startProxy('provider', { host: provider.hostname, port: Number(provider.port) }, watch),
  ]);
  database.port = String(wires[0].port);
  provider.port = String(wires[1].port);
  child = fork(path.join(import.meta.dirname, 'server.ts'), {
    env: {
      ...process.env,
      ...environment,
      DATABASE_URL: database.href,
      STRIPE_API_BASE: provider.origin,
      DATABASE_POOL: '1',
      NODE_OPTIONS: '',
    },
    execArgv: [],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    origin: `http://127.0.0.1:${port}`,
    passed,
    begin: (step) => {
      state = { isCounting: true, step };
    },
    kill,
    end: async () => {
      kill();
      if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await Promise.all(wires.map((wire) => wire.close()));
    },
  };
}
