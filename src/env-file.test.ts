import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { loadEnvFile } from './env-file.ts';
import { SettingsError } from './settings.ts';

const folder = await temporaryFolder('env');
afterAll(folder.remove);

it('the service has the settings of .env, but not the operator’s, which Next.js reads there too', () => {
  const settings = {
    SERVICE_NAME: 'Acme',
    DATABASE_OPERATOR_URL: 'postgres://o',
    DATABASE_OPERATOR_URL_FILE: 'o',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(path.join(folder.path, '.env'), lines.join(''));
  // In a process of its own, whose environment it changes.
  const script = `
    import { createRequire } from 'node:module';
    import { loadServiceEnvFile } from '#src/env-file.ts';
    const require = createRequire(createRequire(import.meta.url).resolve('next/package.json'));
    loadServiceEnvFile(process.argv[1]);
    const { loadedEnvFiles } = require('@next/env').loadEnvConfig(process.argv[1]);
    const names = ${JSON.stringify(Object.keys(settings))};
    console.log(JSON.stringify([loadedEnvFiles.length, names.map((name) => process.env[name])]));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script, folder.path], {
    cwd: path.join(import.meta.dirname, '..'),
    env: { NODE_ENV: 'production' },
    encoding: 'utf8',
  });
  expect(JSON.parse(output)).toEqual([1, ['Acme', '', '']]);
});

it('a .env that cannot be read is a wrong setting', () => {
  const [unreadable, file] = [
    path.join(folder.path, 'unreadable'),
    path.join(folder.path, 'unreadable/.env'),
  ];
  mkdirSync(file, { recursive: true });
  const sentence = `${file} cannot be read. Make it a UTF-8 file that this user can read, or remove it.`;
  expect(() => loadEnvFile(unreadable)).toThrow(new SettingsError(sentence));
});

it('every setting of a .env from a Windows editor is read, or the file is refused', () => {
  const file = path.join(folder.path, '.env');
  vi.stubEnv('FIRST', undefined);
  vi.stubEnv('SET', 'before');
  writeFileSync(file, '\ufeffFIRST="1"\r\nSET=2\r\n');
  loadEnvFile(folder.path);
  expect([process.env.FIRST, process.env.SET]).toEqual(['1', 'before']);
  writeFileSync(file, '\ufeffFIRST=1', 'utf16le');
  expect(() => loadEnvFile(folder.path)).toThrow(SettingsError);
});
