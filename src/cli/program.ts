import { type Command, CommanderError } from 'commander';
import { isConnectionLost } from '#db/errors.ts';
import { SchemaError } from '#db/schema-version.ts';
import { DomainError } from '#src/errors.ts';
import { ProviderError } from '#src/payments/provider.ts';
import { SettingsError } from '#src/settings.ts';
import { escapeControlChars } from '#src/text.ts';
import { completionCommand } from './commands/completion.ts';
import { providerFailure, rootCause } from './failures.ts';
import { OperatorCommand, OutputCutOff } from './operator-command.ts';
import { printError, printJson, red } from './output.ts';

const programHelp = `
To add a city and its first customer:
  $ operator city import san-jose.geojson
  $ operator customer create --username acme --email ops@acme.example.com --first-name Ada --last-name Lee \\
      --name "Acme Bakery" --country-code 1 --phone 555-0142 --city san-jose --out acme.env
  $ operator charge add acme --miles 12.4 --at "2026-11-28 09:00"
  $ operator charge list acme

Exit codes: 0 success, 1 refused or failed, 2 usage error. "operator" is short for: npm run operator --`;

const EXIT_REFUSED = 1;
const EXIT_USAGE = 2;

/** Loaded when needed, because a start with all of them takes 40% longer. */
const commands = new Map<string, () => Promise<Command>>(
  Object.entries({
    city: async () => (await import('./commands/city.ts')).cityCommand,
    customer: async () => (await import('./commands/customer.ts')).customerCommand,
    secret: async () => (await import('./commands/secret.ts')).secretCommand,
    card: async () => (await import('./commands/card.ts')).cardCommand,
    charge: async () => (await import('./commands/charge.ts')).chargeCommand,
    ledger: async () => (await import('./commands/ledger.ts')).ledgerCommand,
    audit: async () => (await import('./commands/audit.ts')).auditCommand,
    security: async () => (await import('./commands/audit.ts')).securityCommand,
    request: async () => (await import('./commands/request.ts')).requestCommand,
    backup: async () => (await import('./commands/backup.ts')).backupCommand,
    restore: async () => (await import('./commands/backup.ts')).restoreCommand,
    reconcile: async () => (await import('./commands/database.ts')).reconcileCommand,
    database: async () => (await import('./commands/database.ts')).databaseCommand,
  }),
);

/**
 * Loads the command of that name, or all for any other text. A usage error throws a CommanderError instead of ending
 * the process.
 */
export async function loadProgram(name = ''): Promise<OperatorCommand> {
  const program = new OperatorCommand('operator')
    .description('Manage customers, cards, cities, and charges. Works whether or not the service is running.')
    .option('--json', 'print one JSON document to standard output, and messages to standard error')
    .option('--actor <name>', 'your name in the audit log (default: your system username)')
    .addHelpText('after', programHelp);
  const named = commands.get(name);
  const loaded = await Promise.all((named ? [named] : [...commands.values()]).map((load) => load()));
  for (const command of loaded) program.addCommand(command);
  program.addCommand(completionCommand);
  for (const command of withSubcommands(program)) {
    command.exitOverride();
    command.showHelpAfterError('(run with --help for usage and examples)');
    command.configureHelp({ showGlobalOptions: true });
    command.configureOutput({ writeErr: (text) => void process.stderr.write(escapeLines(text)) });
  }
  return program;
}

/** Runs the command in `process.argv` and sets the exit code. */
export async function runOperator(): Promise<void> {
  try {
    const program = await loadProgram(process.argv[2]);
    await program.parseAsync();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (error instanceof CommanderError) {
      const isHelp = error.code === 'commander.help';
      const message = isHelp ? 'missing command' : error.message.replace(/^error: /, '');
      if (error.exitCode !== 0 && isJson()) printJson({ error: { code: 'usage', message } });
    } else {
      reportFailure(error);
    }
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  return error instanceof SettingsError ? EXIT_USAGE : EXIT_REFUSED;
}

function reportFailure(failure: unknown): void {
  const error = failure instanceof ProviderError ? providerFailure(failure) : failure;
  const isExpected =
    error instanceof DomainError || error instanceof SettingsError || error instanceof SchemaError;
  const cause = error instanceof Error ? rootCause(error).message : String(error);
  const isLost = !isExpected && isConnectionLost(error);
  const message = isLost ? lostConnection(cause) : cause;
  const details = error instanceof DomainError ? error.details : [];
  const lines = error instanceof SettingsError ? message.split('\n') : [message];
  for (const line of lines)
    printError(red(escapeControlChars(isExpected || isLost ? line : `The command failed: ${line}`)));
  for (const detail of details) {
    if (detail.message !== message)
      printError(`  ${escapeControlChars(detail.param)}: ${escapeControlChars(detail.message)}`);
  }
  if (!isExpected && process.env.LOG_LEVEL === 'debug' && error instanceof Error)
    printError(error.stack ?? '');
  const code = error instanceof DomainError ? error.code : 'failed';
  if (isJson() && !(failure instanceof OutputCutOff))
    printJson({ error: { code, message, ...(details.length > 0 && { details }) } });
}

const lostConnection = (cause: string) =>
  `The connection to the database failed (${cause}). Check whether anything was changed before you run the command again.`;

const isJson = () => process.argv.includes('--json');

/** Commander's messages repeat the arguments. */
function escapeLines(text: string): string {
  return `${text.trimEnd().split('\n').map(escapeControlChars).join('\n')}\n`;
}

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
