import type { Passing } from './proxy.testing.ts';

export type Row = { flow: string; step: number | null; passing: Passing | undefined; outcome: string };

/** What was tried, for a reader: every kill with where it fell; each row is a case whose checks all held. */
export function crashTable(rows: Row[], seed: number): string {
  const lines = rows.map(({ flow, step, passing, outcome }) => {
    const where = passing ? `${passing.moment} ${passing.peer}: ${passing.what}` : 'before the first message';
    return `| ${flow} | ${step ?? 'random'} | ${where} | ${outcome} |`;
  });
  const head = ['| flow | message | killed | outcome |', '| --- | --- | --- | --- |'];
  const about = [
    '# Killed at every step',
    '',
    'The server process is killed with SIGKILL just before a message reaches the database or the provider, or just after',
    'it was carried out there and before the server hears of it; then at random moments. After a restart the client',
    'retries, or stays away, and the completer runs. Held in every row: as many cards here as attached at the provider,',
    'one where the client came back, nothing unfinished, the same answer as without the kill.',
    '',
    `Seed ${seed}; ${rows.length} kills.`,
    '',
  ];
  return `${[...about, ...head, ...lines].join('\n')}\n`;
}
