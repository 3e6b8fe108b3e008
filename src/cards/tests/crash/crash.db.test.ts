import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { testService } from '#tools/testing/api.ts';
import { type Flow, flows, lostAnswers } from './flows.ts';
import { answerWithoutCrash, type Run, runFlow, type When } from './run.ts';
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

/** One in three, another one for another seed. */
const isRestarted = (n: number) => isFull || (n + seed) % 3 === 0;

/** Tries one moment. It is in the table from the kill on, whatever comes of it. */
async function tryAt(flow: Flow, answer: object, when: When, name = flow.name): Promise<Run> {
  const isKill = when.step !== undefined || when.afterMs !== undefined;
  let seen: Run | undefined;
  let kill: Kill | undefined;
  try {
    const count = await runFlow({ service, flow, answer }, when, (run) => {
      seen = run;
      const { isRestarted: isNewProcess, afterMs } = when;
      kill = {
        flow: name,
        isRandom: afterMs !== undefined,
        isRestarted: isNewProcess,
        end: 'DID NOT HOLD',
        ...run,
      };
      if (isKill) kills.push(kill);
    });
    if (kill) kill.end = count === 1 ? 'one card' : 'no card';
    if (!seen) throw new Error('Nothing was sent.');
    return seen;
  } catch (error) {
    throw new Error(`${name}: ${JSON.stringify(when)}, with SEED=${seed}`, { cause: error });
  }
}

for (const flow of flows) {
  describe(`${flow.name} (SEED=${seed})`, () => {
    test('ends consistently when killed at every message', { timeout }, async () => {
      const answer = await answerWithoutCrash(service, flow);
      const whole = await tryAt(flow, answer, { isRestarted: false });
      expect(whole.passed.length).toBeGreaterThan(10);
      const stride = isFull ? 1 : 19;
      for (let step = seed % stride; step < whole.passed.length; step += stride) {
        await tryAt(flow, answer, { step, isRestarted: isRestarted(step) });
      }
    });

    test('ends consistently when killed at random moments', { timeout }, async () => {
      const next = random(seed);
      const answer = await answerWithoutCrash(service, flow);
      const { elapsedMs } = await tryAt(flow, answer, { isRestarted: false });
      const most = isFull ? 40 : 2;
      for (let n = 0; n < most; n++) {
        await tryAt(flow, answer, { afterMs: next() * elapsedMs, isRestarted: isRestarted(n) });
      }
    });
  });
}

describe(`crash after a lost provider response (SEED=${seed})`, () => {
  for (const { flow, operation, call } of lostAnswers) {
    test(`${operation}: ${flow.name}`, { timeout }, async () => {
      const name = `${flow.name}, when the response to ${operation} is lost`;
      const answer = await answerWithoutCrash(service, flow);
      const whole = await tryAt(flow, answer, { lost: operation, isRestarted: false });
      const calls = whole.passed.flatMap(({ what, moment, bytes }, step) =>
        what === call && moment === 'before' && bytes.toString('latin1').startsWith('POST ') ? [step] : [],
      );
      // What was lost is asked for once more: the kill is before that, or when that was answered.
      expect(calls).toHaveLength(2);
      const [, again = 0] = calls;
      for (const step of isFull ? [again, again + 1] : [again]) {
        await tryAt(flow, answer, { step, lost: operation, isRestarted: isRestarted(step) }, name);
      }
    });
  }
});

afterAll(async () => {
  const folder = path.join(import.meta.dirname, '../../../../reports');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'crash-matrix.md'), crashTable(kills, seed));
});
