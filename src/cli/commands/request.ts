import { Command } from 'commander';
import { DomainError } from '#src/errors.ts';
import { SettingsError } from '#src/settings.ts';
import { logFile } from '../log-file.ts';
import { answer, facts, type SharedOptions } from '../output.ts';
import { type LogLine, linesOfRequest } from '../request-lines.ts';

export function requestCommand(): Command {
  return new Command('request').description('What the log says of a request').addCommand(
    new Command('show')
      .description('The lines of a request, by the X-Request-Id of its answer')
      .argument('<id>', 'the X-Request-Id')
      .addHelpText('after', '\nReads LOG_FILE.\n\nExample:\n  $ operator request show order-2026-11-20.7')
      .action(async (id: string, _: unknown, self: Command) => {
        const lines = await linesOfRequest(logFile(), id).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
          throw new SettingsError('There is no log at LOG_FILE. Set it to the file that the service writes.');
        });
        if (lines.length === 0) throw new DomainError('not_found', 'The log has no line of this request.');
        answer(self.optsWithGlobals<SharedOptions>(), { lines }, () => lines.flatMap(shown));
      }),
  );
}

function shown({ level: _level, msg: _msg, ...line }: LogLine, place: number): string[] {
  const pairs = Object.entries(line).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return [...(place > 0 ? [''] : []), ...facts(pairs)];
}
