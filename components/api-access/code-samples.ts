export type CodeSample = { name: string; code: string };

const secretPlace = 'YOUR_API_SECRET';

/**
 * Lines that run as they are, once the secret is put in its place.
 * @param baseUrl the service's own address, without a slash at its end
 */
export function codeSamples(baseUrl: string, apiKey: string): CodeSample[] {
  return [
    {
      name: 'Read your record with curl',
      code: [
        `curl ${baseUrl}/schedule/v1/customers/detail \\`,
        `  -H 'X-AUTH-APIKEY: ${apiKey}' \\`,
        `  -H 'X-AUTH-APISECRET: ${secretPlace}'`,
      ].join('\n'),
    },
    {
      name: 'Read what is owed with curl',
      code: [
        `curl ${baseUrl}/api/schedule/v1/customers/payout \\`,
        `  -H 'X-AUTH-APIKEY: ${apiKey}' \\`,
        `  -H 'X-AUTH-APISECRET: ${secretPlace}'`,
      ].join('\n'),
    },
    {
      name: 'The same with fetch',
      code: [
        `const response = await fetch('${baseUrl}/api/schedule/v1/customers/payout', {`,
        '  headers: {',
        `    'X-AUTH-APIKEY': '${apiKey}',`,
        `    'X-AUTH-APISECRET': process.env.API_SECRET,`,
        '  },',
        '});',
        'const { payout } = await response.json();',
        'console.log(payout.amount_cents);',
      ].join('\n'),
    },
    {
      name: 'With the typed client',
      code: [
        "import { ScheduleClient } from 'scheduling-service-client';",
        '',
        'const client = new ScheduleClient({',
        `  baseUrl: '${baseUrl}',`,
        `  apiKey: '${apiKey}',`,
        '  apiSecret: process.env.API_SECRET,',
        '});',
        'const payout = await client.getPayout();',
        'console.log(payout.amount_cents);',
      ].join('\n'),
    },
  ];
}
