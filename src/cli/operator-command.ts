import { confirm, isCancel, updateSettings } from '@clack/prompts';
import { Command } from 'commander';
import { DomainError } from '#src/errors.ts';
import { type CommandContext, withDatabase } from './command-context.ts';
import { printError, printJson } from './output.ts';

// Otherwise, Ctrl-D ends the process in the middle of a question.
updateSettings({ aliases: { '\x04': 'cancel' } });

/** Options that every command takes. */
export type SharedOptions = { json?: true; actor?: string };

/** Of commands that list what the database has more of. */
export type PageOptions = { limit: number; after?: number };

/** What a command prints: the document with `--json`, else the lines. It exits with 1 if there are failures. */
export type Output = { document: unknown; lines: () => string[]; failures?: string[] | undefined };

/** A failure, its cause, after a part of the output has been printed. */
export class OutputCutOff extends Error {}

/** A command whose `run` and `runOnDatabase` get its arguments and, last, its options. */
export class OperatorCommand extends Command {
  override createCommand(name?: string): OperatorCommand {
    return new OperatorCommand(name);
  }

  /** @param run returns undefined if it has printed its output itself */
  run<Args extends unknown[]>(run: (...args: Args) => Promise<Output | undefined>): this {
    return this.action(async () => {
      this.#print(await run(...this.#args<Args>()));
    });
  }

  /** Prints before the database is released, which can take long, so that Ctrl-C then does not hide what was done. */
  runOnDatabase<Args extends unknown[]>(
    run: (context: CommandContext, ...args: Args) => Promise<Output | undefined>,
  ): this {
    return this.action(() =>
      withDatabase(this.optsWithGlobals<SharedOptions>().actor, async (context) => {
        this.#print(await run(context, ...this.#args<Args>()));
      }),
    );
  }

  #args<Args extends unknown[]>(): Args {
    return [...this.processedArgs, this.optsWithGlobals<SharedOptions>()] as unknown[] as Args;
  }

  #print(output: Output | undefined): void {
    if (!output) return;
    const { document, lines, failures = [] } = output;
    if (this.optsWithGlobals<SharedOptions>().json) printJson(document);
    else for (const line of lines()) process.stdout.write(`${line}\n`);
    for (const failure of failures) printError(failure);
    if (failures.length > 0) process.exitCode = 1;
  }

  /** @param problem returns what is wrong with the options together, a usage error */
  validate<Options>(problem: (options: Options) => string | undefined): this {
    return this.hook('preAction', () => {
      const message = problem(this.optsWithGlobals() as Options);
      if (message) this.error(`error: ${message}`);
    });
  }

  /** Asks for confirmation on a terminal, also when the output is piped, unless `--yes` or `--json` is given. */
  confirm<Args extends unknown[]>(question: (...args: Args) => string): this {
    return this.option('--yes', 'skip the confirmation on a terminal').hook('preAction', async () => {
      const options = this.optsWithGlobals<SharedOptions & { yes?: true }>();
      if (options.yes || options.json || !process.stdin.isTTY) return;
      const output = [process.stderr, process.stdout].find(({ isTTY }) => isTTY);
      if (!output)
        throw new DomainError('refused', 'Nothing was changed. To confirm without a question, add --yes.');
      const message = question(...([...this.processedArgs, options] as Args));
      const reply = await confirm({ message, initialValue: false, output });
      if (isCancel(reply) || !reply) throw new DomainError('refused', 'Nothing was changed.');
    });
  }
}
