import { CommanderError } from 'commander';
import { DomainError } from '#src/errors.ts';
import { escapeControlChars } from '#src/escape.ts';
import { SettingsError } from '#src/settings.ts';
import { answer, bad, remark } from './output.ts';
import { makeProgram } from './program.ts';

const REFUSED = 1;
const USAGE = 2;

/** Says what went wrong, to people, and with `--json` to programs too. */
function explain(error: unknown): void {
  const isExpected = error instanceof DomainError || error instanceof SettingsError;
  const message = error instanceof Error ? causeOf(error).message : String(error);
  const details = error instanceof DomainError ? error.details : [];
  remark(bad(escapeControlChars(isExpected ? error.message : `It did not work: ${message}`)));
  for (const detail of details)
    remark(`  ${escapeControlChars(detail.param)}: ${escapeControlChars(detail.message)}`);
  if (!isExpected && process.env.LOG_LEVEL === 'debug' && error instanceof Error) remark(error.stack ?? '');
  if (!process.argv.includes('--json')) return;
  const code = error instanceof DomainError ? error.code : 'failed';
  const said = isExpected ? error.message : message;
  answer(
    { json: true },
    { error: { code, message: said, ...(details.length > 0 && { details }) } },
    () => [],
  );
}

/** A query's own error says less than what caused it. */
function causeOf(error: Error): Error {
  return error.cause instanceof Error && !(error instanceof DomainError) ? causeOf(error.cause) : error;
}

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : REFUSED),
);

/** Runs the command that was typed, and sets the exit code. */
export async function runOperator(): Promise<void> {
  try {
    await makeProgram().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : USAGE;
      if (error.exitCode !== 0 && process.argv.includes('--json')) {
        const message = error.message.replace(/^error: /, '');
        answer({ json: true }, { error: { code: 'usage', message } }, () => []);
      }
    } else {
      process.exitCode = error instanceof SettingsError ? USAGE : REFUSED;
      explain(error);
    }
  }
}
