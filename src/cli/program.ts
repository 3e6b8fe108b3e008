import { Command } from 'commander';
import { escapeControlChars } from '#src/escape.ts';
import { auditCommand } from './commands/audit.ts';
import { chargeCommand } from './commands/charge.ts';
import { cityCommand } from './commands/city.ts';
import { completionCommand } from './commands/completion.ts';
import { customerCommand } from './commands/customer.ts';
import { ledgerCommand } from './commands/ledger.ts';
import { requestCommand } from './commands/request.ts';
import { secretCommand } from './commands/secret.ts';

/** All commands. What is typed wrongly throws a CommanderError instead of ending the process. */
export function makeProgram(): Command {
  const program = new Command('operator')
    .description('Commands of the support team, on the database that the service uses; it may run meanwhile.')
    .option('--json', 'one JSON document on standard output; messages go to standard error')
    .option('--actor <name>', 'who does this, for the audit; else the name of the system’s user')
    .helpOption('-h, --help', 'explain a command')
    .addHelpText('after', programHelp)
    .addCommand(cityCommand())
    .addCommand(customerCommand())
    .addCommand(secretCommand())
    .addCommand(chargeCommand())
    .addCommand(ledgerCommand())
    .addCommand(auditCommand())
    .addCommand(requestCommand())
    .addCommand(completionCommand());
  for (const command of everyCommand(program)) {
    command.exitOverride();
    command.showHelpAfterError('(add --help for what this command does, with examples)');
    command.configureHelp({ showGlobalOptions: true });
    command.configureOutput({ writeErr: (text) => void process.stderr.write(shownError(text)) });
  }
  return program;
}

/** Commander repeats what was typed. */
function shownError(text: string): string {
  return `${text.trimEnd().split('\n').map(escapeControlChars).join('\n')}\n`;
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

const programHelp = `
A new city and its first customer:
  $ operator city import san-jose.geojson
  $ operator customer create --username acme --email ops@acme.example.com --first-name Ada --last-name Lee \\
      --name "Acme Bakery" --country-code 1 --phone 555-0142 --city san-jose --out acme.env
  $ operator charge add acme --miles 12.4 --at "2026-11-28 09:00"
  $ operator charge list acme

Exit codes: 0 done, 1 refused, 2 typed wrongly. "operator" stands for: npm run operator --`;
