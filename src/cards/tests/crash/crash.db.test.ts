import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { testService } from '#tools/testing/api.ts';
import { isThorough } from '#tools/testing/thorough.ts';
import { type Flow, flows, lostResponses } from './flows.ts';
import { type Run, responseWithoutCrash, runFlow, sentCalls, type When } from './run.ts';
import { crashTable, type Kill } from './table.ts';

const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: '100000' });
const isFull = Boolean(process.env.FULL);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const kills: Kill[] = [];
const timeout = 1_200_000;

/** mulberry32: small, and the same numbers for the same seed. */
function random(state: number): () => number {
  let next = state;
  return () => {
    next = (next + 0x6d2b79f5) | 0;
    let mixed = Math.imul(next ^ (next >>> 15), 1 | next);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One in three, depending on the seed. */
const isRestarted = (n: number) => isFull || (n + seed) % 3 === 0;

/** Records the kill in the table even if a later check fails. */
async function tryAt(flow: Flow, expected: object, when: When, name = flow.name): Promise<Run> {
  const isKill = Boolean(when.repeat) || when.step !== undefined || when.afterMs !== undefined;
  let run: Run | undefined;
  let kill: Kill | undefined;
  try {
    const count = await runFlow({ service, flow, expected }, when, (result) => {
      run = result;
      const { isRestarted: isNewProcess, afterMs } = when;
      kill = {
        flow: name,
        isRandom: afterMs !== undefined,
        isRestarted: isNewProcess,
        end: 'DID NOT HOLD',
        ...result,
      };
      if (isKill) kills.push(kill);
    });
    if (kill) kill.end = count === 1 ? 'one card' : 'no card';
    if (!run) throw new Error('Nothing was sent.');
    return run;
  } catch (error) {
    throw new Error(`${name}: ${JSON.stringify(when)}, with SEED=${seed}`, { cause: error });
  }
}

async function withoutKill(flow: Flow) {
  const expected = await responseWithoutCrash(service, flow);
  return { expected, whole: await tryAt(flow, expected, { isRestarted: false }) };
}

/**
 * Each sample has a third of the flows, depending on the seed, and in CI half of them. The seed is divided so that, over many
 * seeds, each flow continues in a new process after a kill at any message.
 */
const isChosen = (_flow: Flow, n: number) =>
  isFull || (n + Math.floor(seed / 57)) % (isThorough ? 2 : 3) === 0;

for (const flow of flows.filter(isChosen)) {
  describe(`${flow.name} (SEED=${seed})`, () => {
    let first: ReturnType<typeof withoutKill> | undefined;

    test('ends consistently when killed at every message', { timeout }, async () => {
      first ??= withoutKill(flow);
      const { expected, whole } = await first;
      expect(whole.passed.length).toBeGreaterThan(10);
      const stride = isFull ? 1 : 19;
      for (let step = seed % stride; step < whole.passed.length; step += stride) {
        await tryAt(flow, expected, { step, isRestarted: isRestarted(step) });
      }
    });

    test('ends consistently when killed at random moments', { timeout }, async () => {
      first ??= withoutKill(flow);
      const { expected, whole } = await first;
      const next = random(seed);
      const count = isFull ? 40 : 2;
      for (let n = 0; n < count; n++) {
        await tryAt(flow, expected, { afterMs: next() * whole.elapsedMs, isRestarted: isRestarted(n) });
      }
    });
  });
}

describe(`crash after a lost provider response (SEED=${seed})`, () => {
  for (const [n, { flow, operation, call }] of lostResponses.entries()) {
    test(`${operation}: ${flow.name}`, { timeout }, async () => {
      const name = `${flow.name}, when the response to ${operation} is lost`;
      const expected = await responseWithoutCrash(service, flow);
      const whole = await tryAt(flow, expected, { lost: operation, isRestarted: false });
      expect(sentCalls(whole.passed, call)).toHaveLength(2);
      for (const moment of isFull ? (['before', 'after'] as const) : (['before'] as const)) {
        const when = { repeat: { call, moment }, lost: operation, isRestarted: isRestarted(n) };
        const { passed } = await tryAt(flow, expected, when, name);
        expect([sentCalls(passed, call).length, passed.at(-1)?.moment]).toEqual([2, moment]);
      }
    });
  }
});

afterAll(async () => {
  const folder = path.join(import.meta.dirname, '../../../../reports');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'crash-matrix.md'), crashTable(kills, seed));
});
