import {
  type AuditEntry,
  type ListedSecurityEvent,
  listAudit,
  listSecurityEvents,
} from '#src/customers/list-audit.ts';
import { formatInstant } from '#src/instant.ts';
import { durationOption, parseCount } from '../arguments.ts';
import { OperatorCommand, type PageOptions } from '../operator-command.ts';
import { moreLines, pageOf, table } from '../output.ts';

export const auditCommand = new OperatorCommand('audit')
  .description('List who changed what and when, latest first')
  .argument('[username]', 'only changes that concern this customer')
  .option('--limit <number>', 'maximum number of changes', parseCount, 50)
  .option('--after <id>', 'continue after the change with this ID', parseCount)
  .addHelpText(
    'after',
    '\nWith --json, each change includes the values before and after.\n\nExample:\n  $ operator audit acme --limit 10',
  )
  .runOnDatabase(async ({ db }, username: string | undefined, { limit, after }: PageOptions) => {
    const found = await listAudit(db, { username, limit: limit + 1, after });
    const { rows, next } = pageOf(found, limit, ({ id }) => id);
    return {
      document: { changes: rows.map(auditDocument), next },
      lines: () => [...auditTable(rows), ...moreLines(next)],
    };
  });

export function auditDocument({ id, at, actor, action, subject, before, after, ...origin }: AuditEntry) {
  const { channel, address, requestId } = origin;
  return {
    ...{ id, at: formatInstant(at), actor, action, subject, before, after },
    ...{ channel, address, request_id: requestId },
  };
}

export function auditTable(entries: AuditEntry[]): string[] {
  return table(entries, {
    id: ({ id }) => id,
    time: ({ at }) => formatInstant(at),
    actor: ({ actor }) => actor,
    action: ({ action }) => action,
    subject: ({ subject }) => subject,
    from: ({ address, channel }) => address ?? channel,
    change: changeText,
  });
}

function changeText(entry: AuditEntry): string {
  const before = (entry.before ?? {}) as Record<string, unknown>;
  const after = (entry.after ?? {}) as Record<string, unknown>;
  const changes = Object.entries(after).map(([name, value]) =>
    name in before
      ? `${name} ${valueText(before[name])} → ${valueText(value)}`
      : `${name} ${valueText(value)}`,
  );
  return truncate(changes.join(', '), 100);
}

function valueText(value: unknown): string {
  return truncate(typeof value === 'string' ? value : JSON.stringify(value), 40);
}

const truncate = (text: string, charsMax: number) =>
  text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;

const eventsHelp = `
Refused authentications with an unknown key or from a client that is locked out are only in the service's log: search it
for "security". See docs/operations.md.

Example:
  $ operator security events acme --since 24h`;

export const securityCommand = new OperatorCommand('security').description(
  'Show who signed in and who was refused',
);

securityCommand
  .command('events')
  .description(
    'List sign-ins, issued and revoked secrets, refused authentications, and lockouts, latest first',
  )
  .argument('[username]', 'only events of this customer')
  .addOption(durationOption('--since <time>', 'how far back, such as 24h or 30d', '7d'))
  .option('--limit <number>', 'maximum number of events', parseCount, 100)
  .addHelpText('after', eventsHelp)
  .runOnDatabase(async ({ db }, username: string | undefined, options: { since: number; limit: number }) => {
    const { since: sinceSeconds, limit } = options;
    const found = await listSecurityEvents(db, { username, sinceSeconds, limit: limit + 1 });
    const events = found.slice(0, limit);
    const hasMore = found.length > limit;
    return {
      document: { events: events.map(eventDocument), has_more: hasMore },
      lines: () => [
        ...eventTable(events),
        ...(hasMore ? ['', `These are the latest ${limit}. To see more, raise --limit.`] : []),
      ],
    };
  });

function eventDocument({ at, keyPrefix, requestId, ...event }: ListedSecurityEvent) {
  return { at: formatInstant(at), ...event, key_prefix: keyPrefix, request_id: requestId };
}

function eventTable(events: ListedSecurityEvent[]): string[] {
  return table(events, {
    time: ({ at }) => formatInstant(at),
    event: ({ event }) => event,
    customer: ({ username }) => username,
    reason: ({ reason, actor }) => reason ?? actor,
    key: ({ keyPrefix }) => keyPrefix,
    from: ({ address, channel }) => address ?? channel,
    request: ({ requestId }) => requestId,
  });
}
