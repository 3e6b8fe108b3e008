import { exampleOf } from '#src/api/openapi-responses.ts';
import { addCard } from '#src/api/operations/add-card.ts';
import { cardRefusals, refusalReasons, refusedResponse } from '#src/api/operations/card-refusals.ts';
import { type ProblemCode, problems } from '#src/errors.ts';
import { declineEntries, parameterErrorEntries } from './error-entries.ts';
import { codeBlock, jsonBlock, table } from './markdown.ts';

/** The generated parts of the errors guide, by placeholder. */
export function errorPlaceholders() {
  return {
    errorExample: jsonBlock('Response: invalid parameters', exampleOf(addCard, 'invalid_input')),
    errors: statusSections(),
    parameterErrors: table(
      ['Message', 'Cause'],
      parameterErrorEntries.map(({ message, cause }) => [message, cause]),
    ),
    declineExample: jsonBlock('Response: declined card', refusedResponse('card_declined')),
    declines: declineTable(),
    declineExamples: responseLines('Example responses', refusalReasons.map(refusedResponse)),
  };
}

function statusSections(): string {
  const codes = Object.keys(problems) as ProblemCode[];
  const statuses = [...new Set(codes.map((code) => problems[code].status))];
  return statuses
    .flatMap((status) => {
      const ofStatus = codes.filter((code) => problems[code].status === status);
      return [
        `## Status ${status}`,
        table(['Type', 'Message', 'Cause', 'Fix'], ofStatus.map(problemRow)),
        responseLines(
          `Example responses with status ${status}`,
          ofStatus.map((code) => exampleOf(addCard, code)),
        ),
      ];
    })
    .join('\n\n');
}

function problemRow(code: ProblemCode): string[] {
  const { message, cause, fix } = problems[code];
  return [`[\`${code}\`](#${code})`, message, cause, fix];
}

function declineTable(): string {
  const rows = refusalReasons.map((reason) => {
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
