import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { checkTarget } from './check-request.ts';

test.each([
  ['another one', ['Host', 'evil.example', 'Accept', '*/*']],
  ['none', ['Accept', '*/*']],
])('the host of an absolute-form target replaces %s everywhere', (_, rawHeaders) => {
  const request = Object.assign(new IncomingMessage(new Socket()), {
    url: 'http://127.0.0.1:3000/sign-in?next=/',
    httpVersion: '1.1',
    rawHeaders: [...rawHeaders],
  });
  const targets: unknown[] = [];
  checkTarget('http://127.0.0.1:3000')(request, new ServerResponse(request), () => targets.push(request.url));
  expect(targets).toEqual(['/sign-in?next=/']);
  expect(request.headers.host).toBe('127.0.0.1:3000');
  expect(new Headers(Array.from(pairsOf(request.rawHeaders))).get('host')).toBe('127.0.0.1:3000');
  expect(request.rawHeaders).toHaveLength(4);
});

function* pairsOf(raw: string[]): Generator<[string, string]> {
  for (let index = 0; index < raw.length; index += 2) yield [raw[index] ?? '', raw[index + 1] ?? ''];
}
