/** A serving process of the model-based test, behind wires on which faults happen. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { handleApiRequest, type RequestHandler } from '#src/api/router.ts';
import { createServices, provideServices, type Services, services } from '#src/api/services.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { readSettings } from '#src/settings.ts';
import { forwardTo, startServer, startWires } from '../crash/victim.ts';

/** - `kill`: as `kill -9` - `restart`: of the database - `hang`: of the database, until time passes */
export type Interruption = 'kill' | 'restart' | 'hang';

export type Instance = {
  /** @throws when the process is killed before it responds */
  handle: RequestHandler;
  complete: () => Promise<unknown>;
  /** @param after so many messages to or from the database and the provider */
  interrupt: (how: Interruption, after: number) => void;
  /** Ends interruptions that did not happen, hangs of the database, and requests that hang at the provider. */
  recover: () => void;
  isDead: () => boolean;
  end: () => Promise<void>;
};

type Serving = Pick<Instance, 'handle' | 'complete'> & { end: () => unknown };
export type Start = (environment: Record<string, string>) => Promise<Serving>;

const current = new AsyncLocalStorage<Services>();
/** Lets every instance in this process have services of its own. */
export function separateServices(): void {
  const others = services();
  provideServices(new Proxy(others, { get: (_, name) => Reflect.get(current.getStore() ?? others, name) }));
}

/** In this process, which is fast: once its wires are closed, nothing that it still does has an effect, as after a kill. */
export const inThisProcess: Start = async (environment) => {
  const own = createServices(readSettings(environment));
  return {
    handle: (request) => current.run(own, () => handleApiRequest(request)),
    complete: () => current.run(own, () => completeCards(own)),
    // Not awaited: postgres.js waits for connections that broke.
    end: () => void own.close(),
  };
};

/** A process of its own, with background jobs. */
export const inOwnProcess: Start = async (environment) => {
  const { origin, child } = await startServer({ ...environment, BACKGROUND_JOBS: 'on' });
  const exited = once(child, 'exit');
  return {
    handle: forwardTo(origin),
    complete: () => completeCards(services()),
    end: () => {
      child.kill('SIGKILL');
      return exited;
    },
  };
};

export async function startInstance(environment: Record<string, string>, start: Start): Promise<Instance> {
  let isHanging = false;
  let planned: { how: Interruption; after: number } | undefined;
  const died = Promise.withResolvers<never>();
  died.promise.catch(() => {});
  let dead = false;
  const { environment: behindWires, wires } = await startWires(environment, ({ peer }) => {
    if (planned && planned.after-- <= 0) happen(planned.how);
    return !dead && !(isHanging && peer === 'database');
  });
  const serving = await start(behindWires);
  const closeWires = () => Promise.all([wires.database.close(), wires.provider.close()]);
  const happen = (how: Interruption) => {
    planned = undefined;
    if (how === 'restart') wires.database.cut();
    isHanging = how === 'hang';
    if (how !== 'kill') return;
    dead = true;
    void serving.end();
    died.reject(new Error('The process was killed.'));
    void closeWires();
  };
  return {
    handle: (request) => Promise.race([serving.handle(request), died.promise]),
    complete: () => Promise.race([serving.complete(), died.promise]),
    interrupt: (how, after) => {
      planned = { how, after };
    },
    recover: () => {
      planned = undefined;
      // What was lost during the hang does not come any more.
      if (isHanging) wires.database.cut();
      isHanging = false;
      wires.provider.cut();
    },
    isDead: () => dead,
    end: async () => {
      if (dead) return;
      await serving.end();
      await closeWires();
    },
  };
}
