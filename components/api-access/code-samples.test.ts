import { expect, it } from 'vitest';
import { codeSamples } from './code-samples.ts';

const allSamples = codeSamples('https://deliveries.example', 'key_test_abc', 'client-1.0.0.tgz').flatMap(
  ({ samples }) => samples,
);

it('fills in the API key and base URL, but no secret', () => {
  for (const { code } of allSamples) {
    if (!code.startsWith('npm')) expect(code).toContain('key_test_abc');
    expect(code).toContain('https://deliveries.example');
    expect(code).not.toMatch(/secret_(test|live)_/);
  }
});

it('sends both credential headers with curl', () => {
  const [first] = allSamples;
  expect(first?.code).toBe(
    [
      'curl https://deliveries.example/api/schedule/v1/customers/detail \\',
      "  -H 'X-AUTH-APIKEY: key_test_abc' \\",
      "  -H 'X-AUTH-APISECRET: YOUR_API_SECRET'",
    ].join('\n'),
  );
});
