import type { Passing } from './proxy.ts';

export type Kill = {
  flow: string;
  /** What went over the wires until then. */
  passed: Passing[];
  isRandom: boolean;
  /** Whether a new process went on, and not the process of the test. */
  isRestarted: boolean;
  /** What the dead server left, here and at the provider. */
  left: string;
  /** What there was in the end. */
  end: string;
};

const about = `# Killed at every step

The server process is killed with SIGKILL: just before each message reaches the database or the provider, just after it
was carried out there and before the server hears of it, and at random moments. Afterwards the client sends the same
request once more (and again while it is told to come back, by 409 or 503), or never comes back, and the completer runs:
in a new process of the server whose completer begins as it starts, or, where the count below says so, in the process of
the test with the same handlers. Then all of this has to hold, or the kill's cell says DID NOT HOLD: as many cards here as
attached at the provider, exactly one where the client came back to add it and none where it came back to remove it,
nothing unfinished, and the client's answer the same as without the kill, also when asked once more.

A cell says what the dead server left (the state of the card's row here, and whether the card was attached at the
provider), what there was in the end, and how many kills went that way. The database gets a statement in two messages, to
prepare it and to run it, so that what is done may be the preparation alone.
`;

/** What was tried and what came of it, steps by outcomes, for a reader. */
export function crashTable(kills: Kill[], seed: number): string {
  const random = kills.filter(({ isRandom }) => isRandom).length;
  const restarted = kills.filter(({ isRestarted }) => isRestarted).length;
  const counts = `${kills.length} kills, ${random} of them at random moments from the seed ${seed}. After ${restarted} of them the server was started again; after ${kills.length - restarted} the process of the test went on.\n`;
  const flows = [...new Set(kills.map(({ flow }) => flow))];
  return [about, counts, ...flows.map((flow) => flowTable(flow, kills))].join('\n');
}

function flowTable(flow: string, kills: Kill[]): string {
  const steps = new Map<string, Record<Passing['moment'], Kill[]>>();
  for (const kill of kills.filter((one) => one.flow === flow).sort(byLength)) {
    const step = stepOf(kill.passed);
    const cells = steps.get(step) ?? { before: [], after: [] };
    cells[kill.passed.at(-1)?.moment ?? 'before'].push(kill);
    steps.set(step, cells);
  }
  const lines = [...steps].map(
    ([step, { before, after }]) => `| ${step} | ${outcomes(before)} | ${outcomes(after)} |`,
  );
  const head = ['| step | killed before it, or meanwhile | killed when it was done |', '| --- | --- | --- |'];
  return `${[`## ${flow}`, '', ...head, ...lines].join('\n')}\n`;
}

const byLength = (one: Kill, other: Kill) => one.passed.length - other.passed.length;

/** Several messages make one step, and the same words may come again later. */
function stepOf(passed: Passing[]): string {
  const names = passed.map(({ peer, what }) => `${peer}: ${what}`);
  const number = names.filter((name, index) => name !== names[index - 1]).length;
  return `${number}. ${names.at(-1) ?? 'nothing sent yet'}`;
}

function outcomes(kills: Kill[]): string {
  const counted = new Map<string, number>();
  for (const { left, end } of kills) {
    const outcome = `${left} → ${end}`;
    counted.set(outcome, (counted.get(outcome) ?? 0) + 1);
  }
  return [...counted].map(([outcome, count]) => `${outcome} (${count})`).join('; ');
}
