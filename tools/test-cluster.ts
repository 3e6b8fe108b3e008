/** `npm run test:cluster`: tests that need programs of Debian, which it installs where they are missing (see docs/testing.md). */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { say } from '#src/server/cli-output.ts';
import { runVitest } from './checkout.ts';

/** Packages by a program that each has. */
const packages = {
  pgbouncer: 'pgbouncer',
  haproxy: 'haproxy',
  patroni: 'patroni',
  etcd: 'etcd-server',
  'redis-server': 'redis-server',
  '/usr/lib/postgresql/*/bin/postgres': 'postgresql',
  '/usr/lib/*/faketime/libfaketime.so.1': 'libfaketime',
};

const isMissing = (program: string) =>
  program.startsWith('/')
    ? globSync(program).length === 0
    : spawnSync(program, ['--version']).error !== undefined;
const missing = () => Object.entries(packages).filter(([program]) => isMissing(program));

const wanted = missing().map(([, name]) => name);
if (wanted.length > 0 && process.getuid?.() === 0) {
  // Debian starts a service that it installs. The tests start their own.
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...wanted], {
    stdio: 'inherit',
    env: environment,
  });
}
const absent = missing().map(([, name]) => name);
if (absent.length > 0) {
  say(
    `Nothing was tested: ${absent.join(', ')} is not installed. As root, run: apt-get install ${absent.join(' ')}`,
  );
  process.exitCode = 1;
} else {
  process.exitCode = runVitest(['--project=database', ...process.argv.slice(2)], { CLUSTER: '1' });
}
