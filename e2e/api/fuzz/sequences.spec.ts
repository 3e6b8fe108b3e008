import fc from 'fast-check';
import { ScheduleClient, type ScheduleError } from '../../../client/index.ts';
import { expect, newCustomer, test } from '../../fixtures.ts';
import { type Served, targetAt, targetsOf } from './document.ts';
import { judgeOf, secondOpinion } from './judge.ts';
import { type FuzzedService, startFuzzedService } from './service.ts';

const isFull = Boolean(process.env.FULL);
const seed = Number(process.env.FUZZ_SEED ?? 20_261_120);

test.describe.configure({ mode: 'default', timeout: isFull ? 3_600_000 : 180_000 });

let service: FuzzedService;
let judgedFetch: typeof fetch;
const faults: string[] = [];
test.beforeAll(async () => {
  test.setTimeout(180_000);
  service = await startFuzzedService();
  judgedFetch = judging((await (await fetch(`${service.url}/openapi.json`)).json()) as Served);
});
test.afterAll(() => service?.stop());

/** Fetches, and notes what of an answer is outside the document. */
function judging(served: Served): typeof fetch {
  const judges = [judgeOf(served), secondOpinion(served)];
  const targets = targetsOf(served);
  return async (input, init) => {
    const { method = 'GET' } = init ?? {};
    const response = await fetch(input, init);
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.clone().text(),
    };
    const target = targetAt(targets, method, new URL(String(input)).pathname);
    if (target) faults.push(...judges.flatMap((judge) => judge(target.operation, answer, false)));
    else faults.push(`${method} ${input} is not in the document`);
    return response;
  };
}

/** Each stands for a number of its own, so that each can be on file once. */
const good = ['tok_visa', 'tok_visa_debit', 'tok_mastercard', 'tok_amex', 'tok_discover', 'tok_jcb'];
const refused = ['tok_visa_chargeDeclined', 'tok_chargeDeclinedExpiredCard'];

type Step = { kind: 'add' | 'refuse' | 'remove' | 'remove again' | 'read'; pick: number; byId: boolean };
type Card = { uuid: string; id: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('add', 'add', 'refuse', 'remove', 'remove again', 'read'),
    pick: fc.nat(),
    byId: fc.boolean(),
  }),
  { minLength: 4, maxLength: 16 },
);

/** What the cards must be after each step, by nothing but the contract. */
class Model {
  readonly #client: ScheduleClient;
  readonly #onFile = new Map<string, Card>();
  readonly #removed: Card[] = [];

  constructor(client: ScheduleClient) {
    this.#client = client;
  }

  async step({ kind, pick, byId }: Step): Promise<void> {
    if (kind === 'add') return this.#add(good[pick % good.length] ?? '');
    if (kind === 'refuse') return this.#refuse(refused[pick % refused.length] ?? '');
    if (kind === 'read') return this.#read();
    const from = kind === 'remove' ? [...this.#onFile.values()] : this.#removed;
    const card = from[pick % from.length];
    if (!card) return;
    const removal = this.#client.removeCard(byId ? card.id : card.uuid);
    if (kind === 'remove') await removal.then(() => this.#forget(card));
    else expect(await removal.catch((error: ScheduleError) => error.status)).toBe(404);
  }

  async #add(token: string): Promise<void> {
    const result = await this.#client.addCard({ token, card: {} });
    if (!result.added) throw new Error(`${token}: ${result.code}`);
    const known = this.#onFile.get(token);
    if (known) expect(result.card).toMatchObject(known);
    else this.#onFile.set(token, { uuid: result.card.uuid, id: result.card.id });
  }

  async #refuse(token: string): Promise<void> {
    expect((await this.#client.addCard({ token, card: {} })).added).toBe(false);
  }

  async #read(): Promise<void> {
    const { cards } = await this.#client.getCustomer();
    const uuids = (all: Iterable<Card>) => [...all].map(({ uuid }) => uuid).sort();
    expect(uuids(cards)).toEqual(uuids(this.#onFile.values()));
  }

  #forget(card: Card): void {
    this.#removed.push(card);
    for (const [token, { uuid }] of this.#onFile) if (uuid === card.uuid) this.#onFile.delete(token);
  }
}

test('after any sequence of adding, reading and removing, the cards are those that were added and not removed', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const { apiKey, apiSecret } = await newCustomer(service.db);
      const options = { baseUrl: service.url, apiKey, apiSecret, retries: 0, fetch: judgedFetch };
      const model = new Model(new ScheduleClient(options));
      for (const step of [...sequence, { kind: 'read' as const, pick: 0, byId: false }])
        await model.step(step);
      expect(faults).toEqual([]);
    }),
    { seed, numRuns: isFull ? 1000 : 25 },
  );
});
