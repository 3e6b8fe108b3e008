import type { Block } from '#components/docs/block.ts';

type Call = {
  method: string;
  /** With the address of the service. `CARD_UUID` stands for the variable of this name. */
  url: string;
  body?: string;
};

/** The same call three times. The keys come from the environment, so that no line holds a secret. */
export function sampleBlocks(call: Call): Block[] {
  return [
    { kind: 'code', language: 'sh', title: 'curl', code: curl(call) },
    { kind: 'code', language: 'js', title: 'JavaScript', code: javascript(call), isFolded: true },
    { kind: 'code', language: 'python', title: 'Python', code: python(call), isFolded: true },
  ];
}

function curl({ method, url, body }: Call): string {
  const lines = [
    `curl -s ${method === 'GET' || method === 'POST' ? '' : `-X ${method} `}"${url.replace('CARD_UUID', '$CARD_UUID')}"`,
    '  -H "X-AUTH-APIKEY: $API_KEY"',
    '  -H "X-AUTH-APISECRET: $API_SECRET"',
    ...(body ? ["  -H 'Content-Type: application/json'", `  -d '${body}'`] : []),
  ];
  return lines.join(' \\\n');
}

function javascript({ method, url, body }: Call): string {
  const address = url.includes('CARD_UUID')
    ? `\`${url.replace('CARD_UUID', `\${process.env.CARD_UUID}`)}\``
    : `'${url}'`;
  return [
    `const response = await fetch(${address}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    "    'X-AUTH-APIKEY': process.env.API_KEY,",
    "    'X-AUTH-APISECRET': process.env.API_SECRET,",
    ...(body ? ["    'Content-Type': 'application/json',"] : []),
    '  },',
    ...(body ? [`  body: JSON.stringify(${body}),`] : []),
    '});',
    'console.log(JSON.stringify(await response.json()));',
  ].join('\n');
}

function python({ method, url, body }: Call): string {
  const address = url.includes('CARD_UUID')
    ? `"${url.replace('CARD_UUID', '')}" + os.environ["CARD_UUID"]`
    : `"${url}"`;
  return [
    'import json, os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${address},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    '    headers={',
    '        "X-AUTH-APIKEY": os.environ["API_KEY"],',
    '        "X-AUTH-APISECRET": os.environ["API_SECRET"],',
    ...(body ? ['        "Content-Type": "application/json",'] : []),
    '    },',
    ...(body ? [`    data=json.dumps(${body}).encode(),`] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(json.dumps(json.load(response)))',
  ].join('\n');
}
