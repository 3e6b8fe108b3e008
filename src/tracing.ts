/** OpenTelemetry spans within the trace of a request. Without a trace, nothing is recorded. */
import { type Attributes, context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

const tracer = trace.getTracer('scheduling-service');

/**
 * Records a call of another system as a span of the current trace, if there is one.
 * @param attributes named as in https://opentelemetry.io/docs/specs/semconv/; nothing of a customer
 */
export async function traceCall<T>(name: string, attributes: Attributes, call: () => Promise<T>): Promise<T> {
  if (!trace.getActiveSpan()) return call();
  return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await call();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The headers with which another service continues the current trace: https://www.w3.org/TR/trace-context/ */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Names the span of the current request. @returns the ID of its trace, if it has one */
export function nameTrace(name: string): string | undefined {
  const span = trace.getActiveSpan();
  span?.updateName(name);
  return span?.spanContext().traceId;
}
