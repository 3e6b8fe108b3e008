/** OpenTelemetry traces of requests, sent by OTLP over HTTP. */
import { hostname } from 'node:os';
import {
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { suppressTracing, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { pathOf } from '#src/api/request-log.ts';
import { isApiPath } from '#src/api/router.ts';
import type { Settings } from '#src/settings.ts';
import type { Middleware } from './middleware.ts';

export type Tracing = { middleware: Middleware; close: () => Promise<void> };

/** A collector that does not respond must not delay the end of the process. */
const lastExportMs = 2_000;

/** Records spans from here on, including those of Next.js. The exporter reads its other settings, such as OTEL_EXPORTER_OTLP_HEADERS, itself. */
export function startTracing({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER_ARG: ratio,
}: Settings): Tracing {
  const url = `${endpoint?.replace(/\/$/, '')}/v1/traces`;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'scheduling-service',
      'service.instance.id': `${hostname()}:${process.pid}`,
    }),
    sampler,
    spanProcessors: [withoutQueries, new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    middleware: traceRequests(ratio),
    close: () => provider.forceFlush({ timeoutMillis: lastExportMs }).catch(() => {}),
  };
}

/** Removes what customers search for from the spans of Next.js. */
const withoutQueries: SpanProcessor = {
  onStart(span) {
    span.updateName(withoutQuery(span.name));
    for (const name of ['http.target', 'http.url']) {
      const url = span.attributes[name];
      if (typeof url === 'string') span.setAttribute(name, withoutQuery(url));
    }
  },
  onEnd: () => {},
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

const withoutQuery = (text: string) => text.replace(/\?.*/, '');

const tracer = trace.getTracer('scheduling-service');

const isTraced = createContextKey('traced');
const traced = ROOT_CONTEXT.setValue(isTraced, true);
/** For pages: Next.js makes so many spans that a sampler for each takes longer. */
const untraced = suppressTracing(ROOT_CONTEXT);

/** Without a trace, a statement is not a span, so an API request needs no context that says so: it takes 3% of a read. */
const sampler = new ParentBasedSampler({
  root: {
    shouldSample: (parent) => ({
      decision: parent.getValue(isTraced) ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
  },
});

/**
 * A span per request, in the caller's trace if it sends a `traceparent`. Health checks have none.
 * @param ratio of the requests without a `traceparent` that are traced: a span costs time even if a sampler drops it
 */
const traceRequests =
  (ratio: number): Middleware =>
  (request, response, next) => {
    const path = pathOf(request.url ?? '/');
    const isSampled = request.headers.traceparent !== undefined || Math.random() < ratio;
    if (!isSampled || path.startsWith('/api/health/'))
      return isApiPath(path) ? next() : context.with(untraced, next);
    const caller = propagation.extract(traced, request.headers);
    const { method = '' } = request;
    const attributes = { 'http.request.method': method };
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, caller);
    response.once('close', () => {
      const { statusCode } = response;
      span.setAttribute('http.response.status_code', statusCode);
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    return context.with(trace.setSpan(caller, span), next);
  };
