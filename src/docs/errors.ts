import { recordedProblems } from '#src/api/openapi-responses.ts';
import { cardRefusals } from '#src/api/operations/card-refusals.ts';
import { type ProblemCode, problems } from '#src/api/problems.ts';
import recorded from '#src/api/recorded/responses.json' with { type: 'json' };
import { declineEntries, parameterErrorEntries } from './error-entries.ts';
import { codeBlock, jsonBlock, table } from './markdown.ts';

/** The generated parts of the errors guide, by placeholder. */
export function errorPlaceholders() {
  return {
    errorExample: jsonBlock('Response: invalid parameters', recordedProblems.invalid_input),
    errors: statusSections(),
    parameterErrors: table(
      ['Message', 'Cause'],
      parameterErrorEntries.map(({ message, cause }) => [message, cause]),
    ),
    declineExample: jsonBlock('Response: declined card', recorded.refusals.card_declined),
    declines: declineTable(),
    declineExamples: responseLines('Recorded responses', Object.values(recorded.refusals)),
  };
}

function statusSections(): string {
  const codes = Object.keys(problems) as ProblemCode[];
  const statuses = [...new Set(codes.map((code) => problems[code].status))];
  return statuses
    .flatMap((status) => [
      `## Status ${status}`,
      table(
        ['Type', 'Message', 'Cause', 'Fix'],
        codes.filter((code) => problems[code].status === status).map(problemRow),
      ),
      responseLines(
        `Recorded responses with status ${status}`,
        Object.values(recordedProblems).filter(({ error }) => error.code === status),
      ),
    ])
    .join('\n\n');
}

function problemRow(code: ProblemCode): string[] {
  const { message, cause, fix } = problems[code];
  return [`[\`${code}\`](#${code})`, message, cause, fix];
}

function declineTable(): string {
  const reasons = Object.keys(cardRefusals) as (keyof typeof cardRefusals)[];
  const rows = reasons.map((reason) => {
    const { code, message } = cardRefusals[reason];
    const { cause, fix } = declineEntries[reason];
    return [`[\`${code}\`](#declined-${reason})`, message, cause, fix];
  });
  return table(['Code', 'Message', 'Cause', 'Fix'], rows);
}

/** One response per line. */
function responseLines(title: string, bodies: object[]): string {
  const code = bodies.map((body) => JSON.stringify(body)).join('\n');
  return codeBlock({ language: 'json', title, code, isCollapsed: true });
}
