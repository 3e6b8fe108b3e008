import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { readDatabaseUrl } from './database-url.ts';

const hostsOf = (text: string) => {
  const read = readDatabaseUrl(text);
  if (typeof read === 'string') return read;
  return read.addresses.map(({ host, port, path }) => path ?? `${host} ${port}`);
};

test.each([
  ['postgres://db.example.com/x', ['db.example.com 5432']],
  ['postgresql://a:6432,b/x?target_session_attrs=read-write', ['a 6432', 'b 5432']],
  ['postgres://me:p%40ss@a,b:1/x', ['a 5432', 'b 1']],
  ['postgres://me@[::1]:6432,[fe80::2]/x', ['::1 6432', 'fe80::2 5432']],
  ['postgres:///x?host=a,b&port=1,2', ['a 1', 'b 2']],
  ['postgres:///x?host=a,b&port=7', ['a 7', 'b 7']],
  ['postgres://%2Fvar%2Frun%2Fpostgresql/x', ['/var/run/postgresql/.s.PGSQL.5432']],
  ['postgres:///x?host=/run/pg&port=6', ['/run/pg/.s.PGSQL.6']],
  ['postgres:///x', ['localhost 5432']],
])('hosts of %s', (text, hosts) => {
  expect(hostsOf(text)).toEqual(hosts);
});

test.each([
  ['mysql://a/x', 'must start with postgres://'],
  ['a/x', 'must start with postgres://'],
  ['postgres://a:b/x', 'host that is not valid'],
  ['postgres://a:0/x', 'port that is not valid'],
  ['postgres://a%zz/x', 'host that is not valid'],
  ['postgres://me:50%off@a/x', '% in its user, password, or database that is not written as %25'],
  ['postgres://me@a/x%ff', '% in its user, password, or database that is not written as %25'],
  ['postgres://a/x?target_session_attrs=writable', 'target_session_attrs that is not one of any'],
  ['postgres://a/x?sslmode=yes', 'sslmode that is not one of disable'],
  ['postgres://a/x?sslmode=require&sslrootcert=system', 'needs sslmode=verify-full'],
  ['postgres://a/x?sslrootcert=/none', 'cannot be read (ENOENT)'],
])('refuses %s', (text, problem) => {
  expect(readDatabaseUrl(text)).toContain(problem);
});

test('keeps the credentials, the database, and other parameters, and takes out those that postgres.js would send', () => {
  expect(
    readDatabaseUrl(
      'postgres://me:p%40ss@a,b/x?application_name=y&sslmode=disable&target_session_attrs=primary',
    ),
  ).toMatchObject({ url: 'postgres://me:p%40ss@localhost/x?application_name=y', target: 'primary' });
});

test('sslmode and sslrootcert: as libpq, but a connection to the same machine is not encrypted by default', async () => {
  const folder = await temporaryFolder('certificate');
  const file = `${folder.path}/root.crt`;
  await writeFile(file, 'an authority');
  const tlsOf = (host: string, query = '') => {
    const read = readDatabaseUrl(`postgres://${host}/x${query}`);
    return typeof read === 'string' ? read : read.addresses.map(({ ssl }) => ssl);
  };
  const verified = { host: 'a', rejectUnauthorized: true };
  expect(tlsOf('a')).toEqual(['prefer']);
  expect(tlsOf('127.0.0.1')).toEqual([false]);
  expect(tlsOf('%2Frun', '?sslmode=require')).toEqual([false]);
  expect(tlsOf('a', '?sslmode=disable')).toEqual([false]);
  expect(tlsOf('a', '?sslmode=allow')).toEqual(['prefer']);
  expect(tlsOf('127.0.0.1', '?sslmode=require')).toEqual(['require']);
  expect(tlsOf('a', '?sslmode=verify-full')).toEqual([verified]);
  expect(tlsOf('a', '?sslrootcert=system')).toEqual([verified]);
  expect(tlsOf('a', `?sslmode=verify-full&sslrootcert=${file}`)).toEqual([
    { ...verified, ca: 'an authority' },
  ]);
  for (const mode of ['require', 'verify-ca']) {
    expect(tlsOf('a', `?sslmode=${mode}&sslrootcert=${file}`)).toEqual([
      { ...verified, ca: 'an authority', checkServerIdentity: expect.any(Function) },
    ]);
  }
  await folder.remove();
});
