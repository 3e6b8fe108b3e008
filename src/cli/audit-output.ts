import type { AuditEntry } from '#src/customers/list-audit.ts';
import { formatInstant } from '#src/instant.ts';
import { table } from './output.ts';

const changeCharsMax = 100;
const valueCharsMax = 40;

export function auditDocument({ id, at, actor, action, subject, before, after, ...origin }: AuditEntry) {
  const { channel, address, requestId } = origin;
  return {
    ...{ id, at: formatInstant(at), actor, action, subject, before, after },
    ...{ channel, address, request_id: requestId },
  };
}

export function auditTable(entries: AuditEntry[]): string[] {
  return table(
    ['id', 'time', 'actor', 'action', 'subject', 'from', 'change'],
    entries.map((entry) => [
      String(entry.id),
      formatInstant(entry.at),
      entry.actor,
      entry.action,
      entry.subject,
      entry.address ?? entry.channel,
      changeText(entry),
    ]),
  );
}

function changeText(entry: AuditEntry): string {
  const before = (entry.before ?? {}) as Record<string, unknown>;
  const after = (entry.after ?? {}) as Record<string, unknown>;
  const changes = Object.entries(after).map(([name, value]) =>
    name in before
      ? `${name} ${valueText(before[name])} → ${valueText(value)}`
      : `${name} ${valueText(value)}`,
  );
  return truncate(changes.join(', '), changeCharsMax);
}

function valueText(value: unknown): string {
  return truncate(typeof value === 'string' ? value : JSON.stringify(value), valueCharsMax);
}

const truncate = (text: string, charsMax: number) =>
  text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
