import type { ApiRequest, HttpResponse } from './messages.ts';
import { HttpProblem } from './problems.ts';
import { respondAndLog } from './request-log.ts';
import { services } from './services.ts';

const ok = { status: 200, body: '{"status":"ok"}' };

export const live = async (request: ApiRequest): Promise<HttpResponse> =>
  respondAndLog(request, 'health.live', ok);

/** Ready if the service is not stopping, and requests would not fail because of the database. */
export const ready = async (request: ApiRequest): Promise<HttpResponse> => {
  const startedAt = performance.now();
  const { checkReadiness, settings, stopping } = services();
  try {
    if (stopping.signal.aborted) throw new Error('The service is stopping.');
    await checkReadiness();
    const body = JSON.stringify({ status: 'ok', mode: settings.mode });
    return respondAndLog(request, 'health.ready', { status: 200, body }, startedAt);
  } catch (cause) {
    const unavailable = new HttpProblem('unavailable', { cause });
    return respondAndLog(request, 'health.ready', unavailable, startedAt);
  }
};
