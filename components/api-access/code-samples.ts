export type CodeSample = { name: string; code: string };
/** The samples of a tab. */
type LanguageSamples = { language: string; samples: CodeSample[] };

/** @param baseUrl without a trailing slash @param clientPackage the file that the service serves */
export function codeSamples(baseUrl: string, apiKey: string, clientPackage: string): LanguageSamples[] {
  const curl = (path: string) =>
    [
      `curl ${baseUrl}${path} \\`,
      `  -H 'X-AUTH-APIKEY: ${apiKey}' \\`,
      `  -H 'X-AUTH-APISECRET: YOUR_API_SECRET'`,
    ].join('\n');
  return [
    {
      language: 'curl',
      samples: [
        {
          name: 'Get your account with curl',
          code: curl('/api/schedule/v1/customers/detail'),
        },
        {
          name: 'Get your payout with curl',
          code: curl('/api/schedule/v1/customers/payout'),
        },
      ],
    },
    {
      language: 'JavaScript',
      samples: [
        {
          name: 'Get your payout with fetch',
          code: [
            `const response = await fetch('${baseUrl}/api/schedule/v1/customers/payout', {`,
            '  headers: {',
            `    'X-AUTH-APIKEY': '${apiKey}',`,
            `    'X-AUTH-APISECRET': process.env.API_SECRET,`,
            '  },',
            "  redirect: 'error',",
            '});',
            `if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);`,
            'const { payout } = await response.json();',
            'console.log(payout.amount_cents);',
          ].join('\n'),
        },
      ],
    },
    {
      language: 'TypeScript client',
      samples: [
        { name: 'Install the TypeScript client', code: `npm install ${baseUrl}/client/${clientPackage}` },
        {
          name: 'Get your payout with the TypeScript client',
          code: [
            "import { ScheduleClient } from '@scheduling-service/client';",
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
      ],
    },
  ];
}
