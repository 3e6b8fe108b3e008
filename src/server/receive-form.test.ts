import { createServer } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { createServices, provideServices } from '#src/api/services.ts';
import { readSettings } from '#src/settings.ts';
import { listen } from '#tools/testing/listen.ts';
import { settingsWithoutDatabase } from '#tools/testing/settings.ts';
import { compose } from './middleware.ts';
import { receiveForm } from './receive-form.ts';

provideServices(createServices(readSettings(settingsWithoutDatabase)));
const server = createServer(compose([receiveForm], (_request, response) => void response.end()));
const port = await listen(server);
afterAll(() => void server.close());

const id = '60e26a5efe0003bbfd4bb5ec82bdf6ff5e569664dc';

async function statusOf(fields: string | [string, string][], headers: Record<string, string> = {}) {
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
      ['1_apiKey', '$h0'],
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
  for (const fields of [[ref], [ref, zero], [ref, one], [ref, zero, zero, one], [ref, zero, one, one]])
    expect(await statusOf(fields)).toBe(400);
});

test('a form without an action passes', async () => {
  expect(await statusOf([['apiKey', '$h0']])).toBe(200);
});
