import { Command } from 'commander';
import { type ListedSecurityEvent, listSecurityEvents } from '#src/customers/list-security-events.ts';
import { formatInstant } from '#src/instant.ts';
import { parseCount, parseDuration } from '../arguments.ts';
import { withDatabase } from '../command-context.ts';
import { printResult, type SharedOptions, table } from '../output.ts';

type Options = SharedOptions & { since: number; limit: number };

const defaultSinceSeconds = 7 * 86_400;

export function securityCommand(): Command {
  return new Command('security').description('Show who signed in and who was refused').addCommand(
    new Command('events')
      .description(
        'List sign-ins, issued and revoked secrets, refused authentications, and lockouts, latest first',
      )
      .argument('[username]', 'only events of this customer')
      .option('--since <time>', 'how far back, such as 24h or 30d (default: 7d)', parseDuration)
      .option('--limit <number>', 'maximum number of events', parseCount, 100)
      .addHelpText('after', help)
      .action(async (username: string | undefined, _: unknown, self: Command) => {
        const { since = defaultSinceSeconds, limit, ...options } = self.optsWithGlobals<Options>();
        const events = await withDatabase(options.actor, ({ db }) =>
          listSecurityEvents(db, { username, sinceSeconds: since, limit }),
        );
        printResult(options, { events: events.map(eventDocument) }, () =>
          table(
            ['time', 'event', 'customer', 'reason', 'key', 'from', 'request'],
            events.map((event) => [
              formatInstant(event.at),
              event.event,
              event.username,
              event.reason ?? event.actor ?? '—',
              event.keyPrefix ?? '—',
              event.address ?? event.channel,
              event.requestId ?? '—',
            ]),
          ),
        );
      }),
  );
}

function eventDocument({ at, keyPrefix, requestId, ...event }: ListedSecurityEvent) {
  return { at: formatInstant(at), ...event, key_prefix: keyPrefix, request_id: requestId };
}

const help = `
Refused authentications with an unknown key or from a client that is locked out are only in the service's log: search it
for "security". See docs/operations.md.

Example:
  $ operator security events acme --since 24h`;
