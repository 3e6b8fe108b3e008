import { expect, onTestFinished, test, vi } from 'vitest';
import { readSettings } from '#src/settings.ts';
import { settingsWithoutDatabase } from '#tools/testing/settings.ts';
import { findDocsFile } from './files.ts';

test.each([
  'openapi.yaml',
  'openapi.json',
  'openapi-3.0.json',
  'postman.json',
  'search.json',
  'llms-full.txt',
])('%s: is made once in production', (name) => {
  const settings = readSettings(settingsWithoutDatabase);
  expect(findDocsFile(settings, name)).not.toBe(findDocsFile(settings, name));
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('NODE_ENV', 'production');
  const file = findDocsFile(settings, name);
  expect(file?.text.length).toBeGreaterThan(100);
  expect(findDocsFile(settings, name)).toBe(file);
});
