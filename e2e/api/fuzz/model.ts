import { expect } from '#e2e/support/fixtures.ts';
import type { RawResponse } from '#e2e/support/http.ts';
import type { ScheduleClient, ScheduleError } from '#packages/client/index.ts';
import { segment } from './requests.ts';

/** Each has a different number, so they can be on file together. */
export const acceptedTokens = [
  'tok_visa',
  'tok_visa_debit',
  'tok_mastercard',
  'tok_amex',
  'tok_discover',
  'tok_jcb',
];
const declinedTokens = ['tok_visa_chargeDeclined', 'tok_chargeDeclinedExpiredCard'];

export const kinds = [
  'add',
  'add with a key',
  'add concurrently',
  'decline',
  'remove',
  'remove with a key',
  'remove concurrently',
  'remove again',
  'send invalid',
  'read',
] as const;
export type Step = { kind: (typeof kinds)[number]; pick: number; byId: boolean; invalidText: string };

type Card = { uuid: string; id: number };
type Call = (method: 'POST' | 'DELETE', target: string, key?: string, body?: object) => Promise<RawResponse>;

/** The cards on file after each step, according to the API contract. */
export class Model {
  readonly #client: ScheduleClient;
  readonly #call: Call;
  readonly #onFile = new Map<string, Card>();
  readonly #removed: Card[] = [];
  #keys = 0;

  /** @param call sends what the client does not: a reused idempotency key, or an invalid token */
  constructor(client: ScheduleClient, call: Call) {
    this.#client = client;
    this.#call = call;
  }

  async step({ kind, pick, byId, invalidText }: Step): Promise<void> {
    const token = acceptedTokens[pick % acceptedTokens.length] ?? '';
    if (kind === 'add') return this.#add(token);
    if (kind === 'add with a key') return this.#addWithKey(token);
    if (kind === 'add concurrently') return this.#addConcurrently(token);
    if (kind === 'decline') return this.#decline(declinedTokens[pick % declinedTokens.length] ?? '');
    if (kind === 'send invalid') return this.#sendInvalid(invalidText);
    if (kind === 'read') return this.#read();
    const from = kind === 'remove again' ? this.#removed : [...this.#onFile.values()];
    const card = from[pick % from.length];
    if (!card) return;
    const selector = String(byId ? card.id : card.uuid);
    if (kind === 'remove again') return this.#removeAgain(selector);
    if (kind === 'remove') await this.#client.removeCard(selector);
    else if (kind === 'remove concurrently') await this.#removeConcurrently(selector);
    else await this.#removeWithKey(selector);
    this.#forget(card);
  }

  async #add(token: string): Promise<void> {
    const result = await this.#client.addCard({ token, card: {} });
    if (!result.added) throw new Error(`${token}: ${result.code}`);
    this.#remember(token, result.card);
  }

  async #addWithKey(token: string): Promise<void> {
    const key = `key ${++this.#keys}`;
    const add = (cardToken: string) => this.#call('POST', '', key, { token: cardToken, card: {} });
    const first = await add(token);
    this.#remember(token, cardOf(first));
    expectReplay(await add(token), first);
    expect((await add('tok_unionpay')).status).toBe(422);
  }

  /** With and without a key, one card is added. Requests that arrive too early get 409. */
  async #addConcurrently(token: string): Promise<void> {
    const key = `key ${++this.#keys}`;
    const keys = [undefined, undefined, key, key];
    const responses = await Promise.all(
      keys.map((idempotencyKey) => this.#call('POST', '', idempotencyKey, { token, card: {} })),
    );
    expect([200, 409]).toEqual(expect.arrayContaining(responses.map(({ status }) => status)));
    const added = responses.filter(({ status }) => status === 200);
    expect(added.length).toBeGreaterThan(0);
    for (const response of added) this.#remember(token, cardOf(response));
  }

  async #removeWithKey(selector: string): Promise<void> {
    const key = `key ${++this.#keys}`;
    const first = await this.#call('DELETE', selector, key);
    expect(first.status).toBe(200);
    expectReplay(await this.#call('DELETE', selector, key), first);
    expect((await this.#call('DELETE', '999999999', key)).status).toBe(422);
  }

  async #removeConcurrently(selector: string): Promise<void> {
    const removals = [1, 2, 3].map(() => this.#call('DELETE', selector));
    const statuses = (await Promise.all(removals)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404, 404]);
  }

  async #removeAgain(selector: string): Promise<void> {
    const removal = this.#client.removeCard(selector);
    expect(await removal.catch((error: ScheduleError) => error.status)).toBe(404);
  }

  async #decline(token: string): Promise<void> {
    expect((await this.#client.addCard({ token, card: {} })).added).toBe(false);
  }

  async #sendInvalid(invalidText: string): Promise<void> {
    expect((await this.#call('POST', '', undefined, { token: invalidText, card: {} })).status).toBe(400);
    expect([400, 404, 405]).toContain((await this.#call('DELETE', segment(invalidText))).status);
  }

  async #read(): Promise<void> {
    const { cards } = await this.#client.getCustomer();
    const uuids = (all: Iterable<Card>) => [...all].map(({ uuid }) => uuid).sort();
    expect(uuids(cards)).toEqual(uuids(this.#onFile.values()));
  }

  #remember(token: string, { uuid, id }: Card): void {
    const known = this.#onFile.get(token);
    if (known) expect({ uuid, id }).toEqual(known);
    else this.#onFile.set(token, { uuid, id });
  }

  #forget(card: Card): void {
    this.#removed.push(card);
    for (const [token, { uuid }] of this.#onFile) if (uuid === card.uuid) this.#onFile.delete(token);
  }
}

function cardOf({ status, text }: RawResponse): Card {
  expect(status).toBe(200);
  return JSON.parse(text).card;
}

function expectReplay(again: RawResponse, first: RawResponse): void {
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  expect(again.headers['idempotent-replayed']).toBe('true');
}
