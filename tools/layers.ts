/**
 * Who may import whom. A layer is a folder, and the nouns are one; tests are of no layer, as they look at everything. Prints each
 * import that a layer may not have.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

type Rule = {
  /** Rooms and files it may import, itself aside. `… (types)` allows what is gone when the program runs. */
  layers: string[];
  /** What it may import of Next and React; every other package is free. */
  frameworks?: RegExp;
};

const PAGES = /^(next|react|react-dom)$/;
const rules: Record<string, Rule> = {
  'app/api': { layers: ['src/api', 'src/payments', 'nouns', 'db/client.ts', 'src'] },
  app: {
    layers: [
      'src/api',
      'src/docs',
      'src/server/sandbox-origin.ts',
      'nouns',
      'components',
      'db/client.ts',
      'src',
    ],
    frameworks: PAGES,
  },
  components: { layers: ['src/api (types)', 'nouns', 'src (types)'], frameworks: PAGES },
  db: { layers: ['nouns (types)', 'src'] },
  'src/api': { layers: ['nouns', 'db', 'src/payments', 'src'] },
  'src/docs': { layers: ['src/api', 'components', 'src'] },
  'src/payments': { layers: ['src'] },
  'src/cli': { layers: ['nouns', 'db', 'src/payments', 'src'] },
  'src/server': {
    layers: ['src/api', 'src/payments', 'app', 'nouns', 'db', 'packages/stripe-sandbox', 'src/cli', 'src'],
    frameworks: /^next$/,
  },
  nouns: {
    layers: ['db', 'src/payments', 'src', 'src/api (types)', 'components/service-area/service-area-ring.ts'],
  },
  src: { layers: ['db/client.ts'] },
  'packages/stripe-sandbox': { layers: [] },
  'packages/client': { layers: [] },
  'proxy.ts': { layers: ['app', 'src/api', 'src/server', 'src'], frameworks: PAGES },
  'instrumentation.ts': { layers: ['src/api', 'src/server', 'src'], frameworks: PAGES },
};
const NOUNS = ['src/customers', 'src/cards', 'src/ledger', 'src/cities', 'src/geo'];

const FRAMEWORKS = /^(next|react|react-dom)(\/|$)/;
const TESTS = /\.(test|spec|testing)\.tsx?$|(^|\/)(tests|testing[^/]*)(\/|\.ts$)/;

export type Import = { specifier: string; isType: boolean };

/** @returns a sentence for each import that the layer of the file may not have */
export function forbiddenImports(file: string, imports: Import[]): string[] {
  const layer = layerOf(file);
  const rule = (file.startsWith('app/api/') && rules['app/api']) || rules[layer];
  if (!rule || TESTS.test(file)) return [];
  return imports.flatMap(({ specifier, isType }) => {
    const target = targetOf(file, specifier);
    if (target !== undefined) {
      const to = layerOf(target);
      const isAllowed =
        to === layer || !(to in rules) || [to, target].some((name) => rule.layers.includes(name));
      if (isAllowed || (isType && rule.layers.includes(`${to} (types)`))) return [];
      return [
        `${file}: imports ${specifier}; ${layer} may import ${rule.layers.join(', ') || 'nothing of ours'}`,
      ];
    }
    const [framework] = FRAMEWORKS.exec(specifier)?.slice(1) ?? [];
    if (framework === undefined || rule.frameworks?.test(framework)) return [];
    return [`${file}: imports ${specifier}; ${layer} may not import ${framework}`];
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

function layerOf(file: string): string {
  const [top = '', inner = '', ...rest] = file.split('/');
  if (top !== 'src' && top !== 'packages') return top;
  if (rest.length === 0) return top;
  const folder = `${top}/${inner}`;
  return NOUNS.includes(folder) ? 'nouns' : folder;
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
