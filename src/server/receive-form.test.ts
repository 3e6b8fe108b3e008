import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { createServices, provideServices } from '#src/api/services.ts';
import { readSettings } from '#src/settings.ts';
import { listen } from '#tools/testing/listen.ts';
import { settingsWithoutDatabase } from '#tools/testing/settings.ts';
import { compose } from './middleware.ts';
import { receiveForm } from './receive-form.ts';

provideServices(createServices(readSettings(settingsWithoutDatabase)));
const id = '60e26a5efe0003bbfd4bb5ec82bdf6ff5e569664dc';
const otherId = '606fba9c9e74c5762dc2173e97bbf7faedd9b0a314';
const actions = new Map([
  ['/', new Set([id])],
  ['/other', new Set([otherId])],
]);
/** The parser that Next has for calls of actions. */
const busboy = createRequire(import.meta.url)('next/dist/compiled/busboy');
const server = createServer(
  // As after other steps, which can wait.
  compose(
    [(_request, _response, next) => setImmediate(next), receiveForm(actions)],
    async (request, response) => {
      if (!request.headers['content-type']?.startsWith('multipart/form-data')) return void response.end();
      const body = await buffer(request);
      if (Number(request.headers['content-length']) !== body.length) return void response.destroy();
      const fields: [string, string][] = [];
      const parser = busboy({ headers: request.headers });
      parser.on('field', (name: string, value: string) => fields.push([name, value]));
      parser.on('error', (error: Error) => response.destroy(error));
      parser.on('close', () => response.end(JSON.stringify(fields)));
      return parser.end(body);
    },
  ),
);
const port = await listen(server);
afterAll(() => void server.close());

async function statusOf(fields: string | [string, string | File][], headers: Record<string, string> = {}) {
  const form = new FormData();
  if (typeof fields !== 'string') for (const [name, value] of fields) form.append(name, value);
  const body = typeof fields === 'string' ? fields : form;
  return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers })).status;
}

const descriptor = `{"id":"${id}","bound":"$@1"}`;
const submit = (json: string, named = descriptor) =>
  statusOf([
    ['$ACTION_REF_1', ''],
    ['$ACTION_1:0', named],
    ['$ACTION_1:1', json],
    ['$ACTION_KEY', 'k1'],
    ['apiKey', '$h0'],
  ]);
const call = (json: string) =>
  statusOf(json, { 'Next-Action': id, 'Content-Type': 'text/plain;charset=UTF-8' });
const callWithForm = (json: string) =>
  statusOf(
    [
      ['_1_apiKey', '$h0'],
      ['_1f_apiKey', '$h0'],
      ['0', json],
    ],
    { 'Next-Action': id },
  );

test.each([
  '[]',
  '[{}]',
  '[{"kind":"missing","isKeyMissing":true,"retryAfterSeconds":12,"apiKey":"$$key"}]',
  '[{"retryAfterSeconds":"$undefined"},"$K1"]',
  '[null,"$K1f"]',
])('a form and a call of an action pass with %s', async (json) => {
  expect([await submit(json), await call(json), await callWithForm(json)]).toEqual([200, 200, 200]);
});

test.each([
  ['a reference to itself', '["$h0"]'],
  ['a promise', '["$@1"]'],
  ['a reference in a field', '[{"then":"$1:then"}]'],
  ['an escaped reference', '["\\u0024h0"]'],
  ['an invalid number', '["$n4242 4242 4242 4242"]'],
  ['an invalid reference to a form', '["$K1 "]'],
  ['what only begins like an undefined value', '["$undefined1"]'],
  ['a reference that holds an escaped one', '["$h$$"]'],
  ['values in values', '[{"a":{}}]'],
  ['more than two values', '[1,2,3]'],
  ['no list', '{}'],
  ['null', 'null'],
  ['no JSON', 'secret_test_1'],
  ['nothing', ''],
])('a form and a call of an action get 400 for %s', async (_, json) => {
  expect([await submit(json), await call(json), await callWithForm(json)]).toEqual([400, 400, 400]);
});

test.each([
  ['another form of arguments', `{"id":"${id}","bound":"$h0"}`],
  ['an unknown ID', '{"id":"1","bound":"$@1"}'],
  ['text before its description', ` ${descriptor}`],
  ['text after its description', `${descriptor}1`],
  ['another field', `{"id":"${id}","bound":"$@1","then":1}`],
])('a form gets 400 for an action with %s', async (_, named) => {
  expect(await submit('[{}]', named)).toBe(400);
});

test('a form gets 400 for an action without its fields, or with one of them twice', async () => {
  const ref: [string, string] = ['$ACTION_REF_2', ''];
  const zero: [string, string] = ['$ACTION_2:0', descriptor];
  const one: [string, string] = ['$ACTION_2:1', '[{}]'];
  expect(await statusOf([ref, zero, one])).toBe(200);
  const other: [string, string] = ['$ACTION_REF_3', ''];
  const refused = [
    [ref],
    [ref, zero],
    [ref, one],
    [ref, zero, zero, one],
    [ref, zero, one, one],
    [ref, zero, one, other],
  ];
  for (const fields of refused) expect(await statusOf(fields)).toBe(400);
});

test('a form without an action gets 400', async () => {
  expect(await statusOf([['apiKey', 'key_test_1']])).toBe(400);
  expect(await statusOf([[`$ACTION_ID_${id}`, '']])).toBe(400);
});

test.each([
  ['another page', otherId],
  ['another build', '0'.repeat(42)],
  ['a card number', `60${'4242424242424242'.padEnd(40, '0')}`],
])(
  'a form and a call get 400, with the header that Next’s scripts know, for an action of %s',
  async (_, other) => {
    const form = new FormData();
    form.set('$ACTION_REF_1', '');
    form.set('$ACTION_1:0', descriptor.replace(id, other));
    form.set('$ACTION_1:1', '[{}]');
    const called = new FormData();
    called.set('0', '[]');
    const headers = { 'Next-Action': other };
    for (const init of [{ body: form }, { body: '[]', headers }, { body: called, headers }]) {
      const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', ...init });
      expect([response.status, response.headers.get('x-nextjs-action-not-found')]).toEqual([400, '1']);
      expect(await response.text()).toContain('This page is from another version of the service.');
    }
  },
);

test('a call of an action gets 400 with an encoding with which Next does not call it', async () => {
  const headers = { 'Next-Action': id, 'Content-Type': 'application/x-www-form-urlencoded' };
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '[]', headers });
  expect(response.status).toBe(400);
});

test('a call of an action gets 400 where no page has actions', async () => {
  const init = { method: 'POST', body: '[]', headers: { 'Next-Action': id } };
  expect((await fetch(`http://127.0.0.1:${port}`, init)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/none`, init)).status).toBe(400);
});

test('a form gets 400 for an action in a second field, which React would take', async () => {
  const own: [string, string][] = [
    ['$ACTION_REF_1', ''],
    ['$ACTION_1:0', descriptor],
    ['$ACTION_1:1', '[{}]'],
  ];
  expect(await statusOf([...own, [`$ACTION_ID_${id}`, '']])).toBe(400);
});

test.each(['00', 'S0', '0x0', ' ', '-0', '', '_0', '1', '__proto__'])(
  'a call of an action gets 400 for another argument in the field %j',
  async (name) => {
    const fields: [string, string][] = [
      [name, '["$h0"]'],
      ['0', '[]'],
    ];
    expect(await statusOf(fields, { 'Next-Action': id })).toBe(400);
  },
);

test.each([
  ['a line break', '_1_a%0Ab', 'x'],
  ['a byte order mark', '\ufeff\ufeff_1_a', 'x'],
  ['too many characters', `_1_${'a'.repeat(101)}`, 'x'],
  ['a file', '_1_a', new File([], 'a')],
])('a form and a call of an action get 400 for a field with %s', async (_, name, value) => {
  const own: [string, string][] = [
    ['$ACTION_REF_1', ''],
    ['$ACTION_1:0', descriptor],
    ['$ACTION_1:1', '[{}]'],
  ];
  expect(await statusOf([...own, [name, value]])).toBe(400);
  expect(
    await statusOf(
      [
        ['0', '[]'],
        [name, value],
      ],
      { 'Next-Action': id },
    ),
  ).toBe(400);
});

test('a call of an action gets 400 for its arguments twice', async () => {
  const argument: [string, string] = ['0', '[]'];
  expect(await statusOf([argument], { 'Next-Action': id })).toBe(200);
  expect(await statusOf([argument, argument], { 'Next-Action': id })).toBe(400);
});

const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;

test.each([
  ['an ordinary header', named('_1_a')],
  ['two names', `${named('0')}\r\n${named('_1_a')}`],
  ['an encoded name', `${named('0')}; name*=utf-8''_1_a`],
  ['a type of a file', `${named('_1_a')}\r\nContent-Type: application/octet-stream`],
  ['another encoding', `${named('_1_a')}\r\nContent-Type: text/plain; charset=utf-16le`],
])('Next reads what was checked, when a field has %s', async (_, header) => {
  const parts = [`${header}\r\n\r\n["$h0"]`, `${named('0')}\r\n\r\n[]`];
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    body: `${parts.map((part) => `--x\r\n${part}\r\n`).join('')}--x--\r\n`,
    headers: { 'Next-Action': id, 'Content-Type': 'Multipart/Form-Data; boundary=x' },
  });
  expect([response.status, await response.json()]).toEqual([
    200,
    [
      ['_1_a', '["$h0"]'],
      ['0', '[]'],
    ],
  ]);
});

test('a request without a form passes, and a form is refused before its end if it is too large', async () => {
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(200);
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n${'x'.repeat(20_000)}`);
  const [response] = await once(socket, 'data');
  socket.destroy();
  expect(response).toMatch(/^HTTP\/1\.1 413 /);
});

test('a form without a body gets 400, also without a length', async () => {
  for (const length of ['', 'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n']) {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${length}\r\n${length.startsWith('T') ? '0\r\n\r\n' : ''}`);
    const [response] = await once(socket, 'data');
    socket.destroy();
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
  }
});
