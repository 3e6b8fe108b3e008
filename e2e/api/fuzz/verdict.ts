import { problems } from '#src/errors.ts';
import { type Served, targetAt, targetsOf } from './document.ts';
import { judgeOf, secondOpinion } from './judge.ts';
import type { RawResponse, Sent } from './send.ts';

export type Verdict = (request: Pick<Sent, 'method' | 'path'>, response: RawResponse) => string[];

/** @returns what is wrong with a response, by every judge: of an operation, or where there is none */
export function verdictOf(served: Served): Verdict {
  const judges = [judgeOf(served), secondOpinion(served)];
  const targets = targetsOf(served);
  return ({ method, path }, response) => {
    const isHead = method === 'HEAD';
    const target = targetAt(targets, method, path);
    const faults = target
      ? judges.flatMap((judge) => judge(target.operation, response, isHead))
      : elsewhereFaults(response, isHead);
    return /<html|<!doctype/i.test(response.text) ? [...faults, 'HTML'] : faults;
  };
}

/** Elsewhere there is nothing, and that is said in JSON; or not even the address could be read. */
function elsewhereFaults({ status, headers, text }: RawResponse, isHead: boolean): string[] {
  if (![400, 404, 405, 431].includes(status)) return [`${status} where there is no operation`];
  if (!headers['content-type']?.startsWith('application/json')) return ['not JSON'];
  if (isHead) return [];
  const { code, type, request_id } = JSON.parse(text).error;
  const isError = code === status && type in problems && request_id === headers['x-request-id'];
  return isError ? [] : ['not an error body'];
}
