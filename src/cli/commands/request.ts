import { Command } from 'commander';
import { DomainError } from '#src/errors.ts';
import { SettingsError } from '#src/settings.ts';
import { serviceLogFile } from '../command-context.ts';
import { keyValueLines, printResult, type SharedOptions } from '../output.ts';
import { type LogLine, readRequestLog } from '../request-log.ts';

export function requestCommand(): Command {
  return new Command('request').description('Look up requests in the log').addCommand(
    new Command('show')
      .description('Show the log lines of a request by its ID')
      .argument('<id>', 'the X-Request-Id of the response')
      .addHelpText('after', '\nReads LOG_FILE.\n\nExample:\n  $ operator request show order-2026-11-20.7')
      .action(async (id: string, _: unknown, self: Command) => {
        const lines = await readRequestLog(serviceLogFile(), id).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
          throw new SettingsError('LOG_FILE does not exist. Set it to the file that the service logs to.');
        });
        if (lines.length === 0) throw new DomainError('not_found', 'The log has no request with this ID.');
        printResult(self.optsWithGlobals<SharedOptions>(), { lines }, () => lines.flatMap(logLines));
      }),
  );
}

function logLines({ level: _level, msg: _msg, ...line }: LogLine, index: number): string[] {
  const pairs = Object.entries(line).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return [...(index > 0 ? [''] : []), ...keyValueLines(pairs)];
}
