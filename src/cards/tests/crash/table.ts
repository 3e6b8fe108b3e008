import type { Passing } from '#tools/testing/proxy.ts';

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

const about = `# Crash matrix

The server process is killed with SIGKILL just before each message reaches the database or the provider, just after the
message takes effect and before the server gets the response, and at random moments. Then the client retries the
request (again after each 409 or 503) or gives up, the provider delivers the event again, and the completer runs in a new
server process whose completer runs at startup, or, where the count below says so, in the test process with the same handlers.
Where the name of a table says so, something happens in the provider's dashboard between the kill and the retry. These conditions must hold,
or the cell says DID NOT HOLD:

- There are as many cards here as are attached at the provider: one if the client retried an addition, none if it retried a
  removal. After an event or a change in the dashboard, the provider decides.
- Nothing is unfinished, including for any other customer whose card the killed process was working on.
- The response is the same as without the kill, even when it is sent again, unless the dashboard changed something in the meantime.

A cell shows what the killed server left (the state of the card's row, and whether the card was attached at the provider),
the outcome, and the number of kills. A statement takes two messages, to prepare it and to run it, so the second column can mean that only the
preparation took effect.
`;

/** @returns the report: for each flow, the outcomes by step */
export function crashTable(kills: Kill[], seed: number): string {
  const random = kills.filter(({ isRandom }) => isRandom).length;
  const restarted = kills.filter(({ isRestarted }) => isRestarted).length;
  const counts = `${kills.length} kills, of which ${random} were at random moments (seed ${seed}). After ${restarted}, the server was started again; after ${kills.length - restarted}, the test process continued.\n`;
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
  const head = ['| step | killed before or during the step | killed after the step |', '| --- | --- | --- |'];
  return `${[`## ${flow}`, '', ...head, ...lines].join('\n')}\n`;
}

const byLength = (one: Kill, other: Kill) => one.passed.length - other.passed.length;

/** Several messages make one step, and the same words may come again later. */
function stepOf(passed: Passing[]): string {
  const names = passed.map(({ peer, what }) => `${peer}: ${what}`);
  const number = names.filter((name, index) => name !== names[index - 1]).length;
  return `${number}. ${names.at(-1) ?? 'no message sent'}`;
}

function outcomes(kills: Kill[]): string {
  const counted = new Map<string, number>();
  for (const { left, end } of kills) {
    const outcome = `${left} → ${end}`;
    counted.set(outcome, (counted.get(outcome) ?? 0) + 1);
  }
  return [...counted].map(([outcome, count]) => `${outcome} (${count})`).join('; ');
}
