/**
 * Who may import whom. A room is a folder at the top; tests are of no room, as they look at everything. Prints each
 * import that a room may not have.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

type Rule = {
  /** Rooms and files it may import, itself aside. `… (types)` allows what is gone when the program runs. */
  rooms: string[];
  /** What it may import of Next and React; every other package is free. */
  frameworks?: RegExp;
};

const PAGES = /^(next|react|react-dom)$/;
const rules: Record<string, Rule> = {
  // Pages and routes hand the database to the domain; what to ask it is the domain's business. Only routes call the provider.
  'app/api': { rooms: ['http', 'domain', 'contract', 'db/client.ts', 'payments', 'settings.ts'] },
  app: {
    rooms: ['http', 'domain', 'contract', 'components', 'db/client.ts', 'settings.ts'],
    frameworks: PAGES,
  },
  components: { rooms: ['contract (types)'], frameworks: PAGES },
  contract: { rooms: ['domain (types)'] },
  http: { rooms: ['domain', 'contract', 'db', 'payments', 'settings.ts'] },
  domain: { rooms: ['db', 'payments'] },
  payments: { rooms: ['settings.ts'] },
  db: { rooms: ['domain (types)', 'settings.ts'] },
  operator: { rooms: ['domain', 'db', 'payments', 'settings.ts'] },
  server: { rooms: ['http', 'app', 'db', 'sandbox', 'operator', 'settings.ts'], frameworks: /^next$/ },
  sandbox: { rooms: [] },
  client: { rooms: [] },
  'settings.ts': { rooms: [] },
  'proxy.ts': { rooms: ['app', 'http', 'settings.ts'], frameworks: PAGES },
  'instrumentation.ts': { rooms: ['http', 'settings.ts'], frameworks: PAGES },
};

const FRAMEWORKS = /^(next|react|react-dom)(\/|$)/;
const TESTS = /\.(test|spec|testing)\.tsx?$|(^|\/)testing[^/]*(\/|\.ts$)/;

export type Import = { specifier: string; isType: boolean };

/** @returns a sentence for each import that the room of the file may not have */
export function forbiddenImports(file: string, imports: Import[]): string[] {
  const room = roomOf(file);
  const rule = (file.startsWith('app/api/') && rules['app/api']) || rules[room];
  if (!rule || TESTS.test(file)) return [];
  return imports.flatMap(({ specifier, isType }) => {
    const target = targetOf(file, specifier);
    if (target !== undefined) {
      const to = roomOf(target);
      const isAllowed =
        to === room || !(to in rules) || [to, target].some((name) => rule.rooms.includes(name));
      if (isAllowed || (isType && rule.rooms.includes(`${to} (types)`))) return [];
      return [
        `${file}: imports ${specifier}; ${room} may import ${rule.rooms.join(', ') || 'nothing of ours'}`,
      ];
    }
    const [framework] = FRAMEWORKS.exec(specifier)?.slice(1) ?? [];
    if (framework === undefined || rule.frameworks?.test(framework)) return [];
    return [`${file}: imports ${specifier}; ${room} may not import ${framework}`];
  });
}

/** @param source of a module in TypeScript */
export function importsOf(file: string, source: string): Import[] {
  const { module } = parseSync(file, source);
  const fixed = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    isType: entries.length > 0 && entries.every((entry) => entry.isType),
  }));
  const passedOn = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest ? [{ specifier: moduleRequest.value, isType }] : [],
    ),
  );
  const later = module.dynamicImports.map(({ moduleRequest }) => ({
    specifier: source.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
    isType: false,
  }));
  return [...fixed, ...passedOn, ...later];
}

function roomOf(file: string): string {
  return file.split('/', 1)[0] ?? file;
}

/** @returns the path of what is imported, undefined for a package */
function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  return undefined;
}

function main(): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], {
    encoding: 'utf8',
  });
  const faults = listed
    .split('\n')
    .filter(Boolean)
    .flatMap((file) => forbiddenImports(file, importsOf(file, readFileSync(file, 'utf8'))));
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

if (process.argv[1] === import.meta.filename) main();
