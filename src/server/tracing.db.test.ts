import { createServer, type RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { context, propagation, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handleApiRequest } from '#src/api/router.ts';
import { services } from '#src/api/services.ts';
import { testService, writtenByService } from '#tools/testing/api.ts';
import { credentialHeaders, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { listen } from '#tools/testing/listen.ts';
import { compose } from './middleware.ts';
import { startTracing, type Tracing } from './tracing.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const sampled = `00-${traceId}-00f067aa0ba902b7-01`;
const exported: Buffer[] = [];
let isSilent = false;

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  afterAll(() => server.closeAllConnections());
  afterAll(() => void server.close());
  return `http://127.0.0.1:${await listen(server)}`;
}

const collector = await serve(async (request, response) => {
  if (isSilent) return;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.url === '/v1/traces') exported.push(Buffer.concat(chunks));
  response.end();
});
const service = await testService({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector,
  OTEL_TRACES_SAMPLER_ARG: '0.5',
});
const tracing: Tracing = startTracing(services().settings);
const api = await serve(compose([tracing.middleware], getRequestListener(handleApiRequest)));

async function addCard(customer: TestCustomer, headers: Record<string, string>) {
  const response = await fetch(`${api}/api/schedule/v1/payment/cards`, {
    method: 'POST',
    headers: { ...credentialHeaders(customer), 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ token: 'tok_visa' }),
  });
  expect(response.status).toBe(200);
  await response.text();
}

const sentToProvider = async () => JSON.stringify((await service.control('GET requests')).data);

beforeEach(async () => {
  exported.length = 0;
  await service.control('DELETE requests');
});

// First, because a trace also has statements that a request leaves for later.
test('traces: record nothing of a request that is not sampled, or of health checks', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  await addCard(await newCustomer(service.db), {});
  await fetch(`${api}/api/health/live`, { headers: { traceparent: sampled } });
  await tracing.close();
  expect(exported).toEqual([]);
  expect(await sentToProvider()).not.toContain('traceparent');
});

test('traces: continue the trace of the caller, to the provider and in the log', async () => {
  await addCard(await newCustomer(service.db), { traceparent: sampled });
  const traced = ['POST addCard', 'stripe saveCard', 'postgresql', 'insert into "cards"'];
  const missing = async () => {
    await tracing.close();
    const spans = Buffer.concat(exported);
    return [Buffer.from(traceId, 'hex'), ...traced].filter((part) => !spans.includes(part));
  };
  // The span of a request ends after its response.
  await expect.poll(missing).toEqual([]);
  expect(await sentToProvider()).toContain(`"traceparent":"00-${traceId}`);
  expect(Object.values(await writtenByService(service)).join('')).toContain(`"traceId":"${traceId}"`);
});

afterEach(() => void vi.restoreAllMocks());

test('traces: record a share of the requests without a traceparent', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.49);
  await addCard(await newCustomer(service.db), {});
  await expect
    .poll(async () => {
      await tracing.close();
      // The last span that ends.
      return Buffer.concat(exported).includes('POST addCard');
    })
    .toBe(true);
  expect(await sentToProvider()).toContain('traceparent');
});

test('traces: spans of Next.js contain no queries', async () => {
  const attributes = { 'http.target': '/payout?search=Maple', 'http.url': 'https://geocoder.test/?q=Maple' };
  const caller = propagation.extract(context.active(), { traceparent: sampled });
  trace
    .getTracer('next.js')
    .startSpan('fetch GET https://geocoder.test/?q=Maple', { attributes }, caller)
    .end();
  await tracing.close();
  const spans = Buffer.concat(exported).toString('latin1');
  expect(spans).toContain('/payout');
  expect(spans).not.toContain('Maple');
});

test('traces: a collector that does not respond holds up neither requests nor the end', async () => {
  isSilent = true;
  await addCard(await newCustomer(service.db), { traceparent: sampled });
  await tracing.close();
});
