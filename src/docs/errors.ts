import { exampleOf } from '#src/api/openapi-responses.ts';
import type { ParameterMessage } from '#src/api/operation.ts';
import { addCard } from '#src/api/operations/add-card.ts';
import {
  cardRefusals,
  refusalExample,
  refusalReasons,
  refusedResponse,
} from '#src/api/operations/card-refusals.ts';
import { operations } from '#src/api/operations/index.ts';
import { type ProblemCode, problems } from '#src/errors.ts';
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
    authenticationExample: jsonBlock(
      'Response: authentication required',
      refusalExample('authentication_required'),
    ),
    declines: declineTable(),
    declineExamples: responseLines('Example responses', refusalReasons.map(refusalExample)),
  };
}

function statusSections(): string {
  const statuses = Map.groupBy(Object.keys(problems) as ProblemCode[], (code) => problems[code].status);
  return [...statuses]
    .flatMap(([status, codes]) => [
      `## Status ${status}`,
      table(['Type', 'Message', 'Cause', 'Fix'], codes.map(problemRow)),
      responseLines(
        `Example responses with status ${status}`,
        codes.map((code) => exampleOf(addCard, code)),
      ),
    ])
    .join('\n\n');
}

function problemRow(code: ProblemCode): string[] {
  const { message, cause, fix } = problems[code];
  return [`[\`${code}\`](#${code})`, message, cause, fix];
}

function declineTable(): string {
  const rows = refusalReasons.map((reason) => {
    const { code = reason, message, cause, fix } = cardRefusals[reason];
    return [`[\`${code}\`](#declined-${reason})`, message, cause, fix];
  });
  return table(['Code', 'Message', 'Cause', 'Fix'], rows);
}

/** One response per line. */
function responseLines(title: string, bodies: object[]): string {
  const code = bodies.map((body) => JSON.stringify(body)).join('\n');
  return codeBlock({ language: 'json', title, code, isCollapsed: true });
}

/** The messages of `error.details`. */
export const parameterErrorEntries: ParameterMessage[] = [
  { message: 'Is required.', cause: 'The parameter is missing.' },
  {
    message: 'Must be a string.',
    cause: 'The parameter has another JSON type. The message can also name `an object` or `a boolean`.',
  },
  {
    message: 'Must have at most 255 characters.',
    cause: 'The value is too long. The maximum depends on the parameter.',
  },
  {
    message: 'Must not contain control characters.',
    cause: 'The value contains a line break, a tab, or another control character.',
  },
  {
    message: 'Must not contain incomplete characters (lone surrogates).',
    cause: 'The value contains half of a UTF-16 pair, such as `\\ud800`.',
  },
  ...operations.flatMap(({ docs }) => docs.messages ?? []),
  { message: 'Is not valid.', cause: 'The value is invalid in some other way.' },
];
