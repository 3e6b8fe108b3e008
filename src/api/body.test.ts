import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { readBody, readText, validate } from './body.ts';
import type { ApiResponse, Middleware, RequestContext } from './operation.ts';
import { addCard } from './operations/add-card.ts';
import { getPayout } from './operations/get-payout.ts';
import { removeCard } from './operations/remove-card.ts';
import type { HttpProblem } from './problems.ts';

const passed: ApiResponse = { status: 200, body: '' };
const x = (length: number) => 'x'.repeat(length);

/** @returns the context after the step, or the code of the problem and its details */
async function outcomeOf(middleware: Middleware, context: Partial<RequestContext>, operation = addCard) {
  const step = middleware(operation);
  try {
    await step?.(context as RequestContext, async () => passed);
    return context;
  } catch (error) {
    const { code, details } = error as HttpProblem;
    return details.length > 0
      ? [code, ...details.map(({ param, message }) => `${param}: ${message}`)]
      : [code];
  }
}

function post(body: BodyInit, headers: Record<string, string> = { 'Content-Type': 'application/json' }) {
  return new Request('http://127.0.0.1/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
}

/** Sends pieces without a Content-Length. */
const streamed = (...pieces: string[]) => new Blob(pieces).stream();

describe('request body', () => {
  it.each([
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['Application/JSON ;charset=utf-8', true],
    ['text/plain', false],
    ['application/jsonx', false],
    ['application/problem+json', false],
    ['', false],
  ])('returns 415 unless the type is application/json: %s is accepted: %s', async (type, isAccepted) => {
    const outcome = await outcomeOf(readBody, { request: post('{}', { 'Content-Type': type }) });
    expect(outcome).toEqual(
      isAccepted ? expect.objectContaining({ bodyText: '{}' }) : ['unsupported_media_type'],
    );
  });

  it.each([
    ['with a Content-Length', (text: string) => post(text)],
    ['in pieces', (text: string) => post(streamed(text.slice(0, 9_000), text.slice(9_000)))],
  ])('returns 413 for more than 16 KiB, %s', async (_, send) => {
    const full = `${x(16_382)}é`;
    expect(await outcomeOf(readBody, { request: send(full) })).toMatchObject({ bodyText: full });
    await expect(readText(send(`${full}x`))).rejects.toMatchObject({
      code: 'body_too_large',
      message: 'The request body is larger than 16 KiB.',
    });
  });

  it('returns 413 without reading the rest', async () => {
    const pull = vi.fn((controller: ReadableStreamDefaultController) =>
      controller.enqueue(new Uint8Array(10_000)),
    );
    const request = post(new ReadableStream({ pull }));
    expect(await outcomeOf(readBody, { request })).toEqual(['body_too_large']);
    expect(pull.mock.calls.length).toBeLessThan(10);
  });

  it('returns 400 for a body that does not arrive completely', async () => {
    const pull = (controller: ReadableStreamDefaultController) => controller.error(new Error('aborted'));
    const request = post(new ReadableStream({ pull }));
    expect(await outcomeOf(readBody, { request })).toEqual(['request_unreadable']);
  });

  it('ignores a byte order mark, but only at the start', async () => {
    expect(await outcomeOf(readBody, { request: post('\uFEFF{}') })).toMatchObject({ bodyText: '{}' });
    const text = '{"note":"\uFEFF"}';
    expect(await outcomeOf(readBody, { request: post(text) })).toMatchObject({ bodyText: text });
  });

  it('can be missing, and then is empty', async () => {
    const request = new Request('http://127.0.0.1/', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(await outcomeOf(readBody, { request })).toMatchObject({ bodyText: '' });
    expect(await outcomeOf(validate, { request, pathParams: {}, bodyText: '' })).toEqual(['malformed_json']);
  });

  it('returns 415 for a body without a type', async () => {
    expect(await outcomeOf(readBody, { request: post(streamed('{}'), {}) })).toEqual([
      'unsupported_media_type',
    ]);
  });

  it('is not read for an operation without one', () => {
    expect(readBody(getPayout)).toBeNull();
    expect(readBody(removeCard)).toBeNull();
  });

  it('is not read if its Content-Length is too large', async () => {
    const request = {
      headers: new Headers({ 'content-length': '11' }),
      body: streamed('x'),
    } as unknown as Request;
    await expect(readText(request, 10)).rejects.toMatchObject({ code: 'body_too_large' });
    expect(await readText(request, 11)).toBe('x');
  });
});

describe('addCard: validation', () => {
  const token = 'tok_visa';
  const read = (body: unknown, headers: Record<string, string> = {}) =>
    outcomeOf(validate, {
      request: new Request('http://127.0.0.1/', { headers }),
      pathParams: {},
      bodyText: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const cardOf = async (card: unknown) => {
    const outcome = await read({ token, card });
    return Array.isArray(outcome) ? outcome : (outcome.input?.body as { card: object } | undefined)?.card;
  };

  it('takes what is omitted or null for undefined', async () => {
    for (const card of [undefined, null, {}, { last4: null, expMonth: null }])
      expect(await cardOf(card)).toEqual({});
    expect(await read({ token })).toMatchObject({
      input: { body: { token, card: {} }, idempotencyKey: null },
    });
  });

  it('ignores unknown fields, and `__proto__` and `constructor` change no object', async () => {
    for (const name of ['__proto__', 'constructor']) {
      const body = `{"token":"tok_visa","card":{"${name}":{"last4":"4242"}},"${name}":{"card":{"last4":"4242"}}}`;
      expect(await read(body)).toMatchObject({ input: { body: { token, card: {} } } });
      expect((await cardOf({ other: 1 })) as object).not.toHaveProperty('last4');
      expect({}).not.toHaveProperty('last4');
    }
  });

  const controls = ['a\u0007', 'a\u0085b'];
  it.each<[string, unknown[], unknown[]]>([
    ['addressCountry', ['', 'US', x(60)], [x(61), ...controls]],
    ['addressZip', ['', '94103', x(20)], [x(21), ...controls]],
    ['brand', ['', 'visa', x(40)], [x(41), ...controls]],
    ['funding', ['', 'credit', x(20)], [x(21), ...controls]],
    ['last4', ['0000', '4242'], ['', '424', '42424', '424x', 4242]],
    ['isApplePayCard', [true, false], ['true', 1]],
  ])('%s', async (field, valid, invalid) => {
    for (const value of valid) expect(await cardOf({ [field]: value })).toEqual({ [field]: value });
    for (const value of invalid)
      expect([value, await cardOf({ [field]: value })]).toEqual([
        value,
        ['invalid_input', expect.stringMatching(`^card\\.${field}: (Must .*|Is required)\\.$`)],
      ]);
  });

  it.each([
    [
      'expMonth',
      ['1', '9', '01', '12', 1, 12],
      ['', '0', '00', '13', '001', 0, 13, 1.5, true, {}],
      'Must be a month from 1 to 12.',
    ],
    [
      'expYear',
      ['00', '31', '1000', '2031', '2999', 0, 31, 99, 1000, 2999],
      ['', '1', '203', '0999', '3000', '20311', -1, 100, 999, 3000, 31.5, true],
      'Must be a year of two or four digits.',
    ],
  ])('%s, as text or integer', async (field, valid, invalid, message) => {
    for (const value of valid) expect(await cardOf({ [field]: value })).toEqual({ [field]: String(value) });
    for (const value of invalid)
      expect([value, await cardOf({ [field]: value })]).toEqual([
        value,
        ['invalid_input', `card.${field}: ${message}`],
      ]);
  });

  it.each([
    ['tok_visa', true],
    ['pm_card_visa', true],
    [`tok_${x(251)}`, true],
    [`tok_${x(252)}`, false],
    ['tok_', false],
    ['src_1', false],
    ['xtok_1', false],
    ['tok_1 ', false],
    ['tok_1\n', false],
  ])('the token %j is valid: %s', async (value, isValid) => {
    expect(Array.isArray(await read({ token: value }))).toBe(!isValid);
  });

  it.each([
    [{}, ['token: Is required.']],
    [{ token: 7 }, ['token: Must be a string.']],
    [{ token, card: [] }, ['card: Must be an object.']],
    [null, ['body: Must be an object.']],
    [{ token: `tok_${x(300)}` }, ['token: Must have at most 255 characters.']],
    [
      { token, card: { last4: 7, isApplePayCard: 1 } },
      ['card.last4: Must be a string.', 'card.isApplePayCard: Must be a boolean.'],
    ],
  ])('returns 400 for $0 and names every parameter', async (body, problems) => {
    expect(await read(body)).toEqual(['invalid_input', ...problems]);
  });

  it.each([
    ['malformed JSON', '{', 'malformed_json'],
    ['a card number in an unknown field', { token, note: '4242424242424242' }, 'card_number_in_request'],
    [
      'a card number as escapes',
      String.raw`{"token":"tok_visa","note":"\u0034242424242424242"}`,
      'card_number_in_request',
    ],
    [
      'a number that JSON.parse rounds to another',
      '{"token":"tok_visa","n":4000000000000000006}',
      'card_number_in_request',
    ],
  ])('returns 400 for %s', async (_, body, code) => {
    expect(await read(body)).toEqual([code]);
  });

  it.each([
    ['a', true],
    ['k'.repeat(255), true],
    ['~ !', true],
    ['', false],
    ['k'.repeat(256), false],
    ['k\u007f', false],
    ['ké', false],
  ])('the Idempotency-Key %j is valid: %s', async (key, isValid) => {
    const outcome = await read({ token }, { 'Idempotency-Key': key });
    expect(outcome).toEqual(
      isValid
        ? expect.objectContaining({ input: expect.objectContaining({ idempotencyKey: key }) })
        : ['idempotency_key_invalid'],
    );
  });
});

describe('validation of the query and the headers', () => {
  const schemas = {
    query: z.object({ limit: z.string().regex(/^\d+$/) }),
    headers: z.object({ 'x-unit': z.enum(['mile', 'kilometer']), 'x-note': z.string().optional() }),
  };
  const read = (query: string, headers: Record<string, string>) => {
    const request = new Request(`http://127.0.0.1/${query}`, { headers });
    return outcomeOf(validate, { request, pathParams: {} }, { ...getPayout, request: schemas });
  };

  it('reads them', async () => {
    expect(await read('?limit=7', { 'X-Unit': 'mile' })).toMatchObject({ input: { query: { limit: '7' } } });
  });

  it('returns 400 and names what is missing or invalid', async () => {
    expect(await read('', { 'X-Unit': 'mile' })).toEqual(['invalid_input', 'limit: Is required.']);
    expect(await read('?limit=x', { 'X-Unit': 'mile' })).toEqual(['invalid_input', 'limit: Is not valid.']);
    expect(await read('?limit=7', {})).toEqual(['invalid_input', 'x-unit: Is not valid.']);
    expect(await read('?limit=7', { 'X-Unit': 'yard' })).toEqual(['invalid_input', 'x-unit: Is not valid.']);
  });
});

it.each([
  ['7', true],
  ['9'.repeat(60), true],
  ['7f0c5d1e-3d0f-4c39-9a43-3f1f5b1d7c11', true],
  ['7F0C5D1E-3D0F-4C39-9A43-3F1F5B1D7C11', true],
  ['', false],
  ['7x', false],
  ['-7', false],
  ['7f0c5d1e', false],
])('removeCard: the selector %s is valid: %s', async (uuid, isValid) => {
  const request = new Request('http://127.0.0.1/');
  const outcome = await outcomeOf(validate, { request, pathParams: { uuid } }, removeCard);
  expect(outcome).toEqual(
    isValid
      ? expect.objectContaining({ input: expect.objectContaining({ params: { uuid } }) })
      : ['invalid_input', 'uuid: Must be the uuid or the integer id of a card.'],
  );
});
