import { type Operation, pathTo } from '#src/api/operation.ts';
import { codeBlock } from './markdown.ts';
import { randomKey } from './page.ts';

type SampleRequest = {
  method: string;
  /** Contains the names of `variables`. */
  url: string;
  /** Names of environment variables. */
  variables: string[];
  body: string | undefined;
};

/** @returns the environment variable for each path parameter, such as `CARD_UUID` for `/cards/{uuid}` */
export function pathVariables(path: string): Record<string, string> {
  const parameters = [...path.matchAll(/(\w+?)s?\/\{(\w+)\}/g)];
  return Object.fromEntries(parameters.map(([, noun, name = '']) => [name, `${noun}_${name}`.toUpperCase()]));
}

/** The same request in three languages. Credentials come from the environment, so no sample contains a secret. */
export function codeSamples({ method, path, docs: { sample } }: Operation, baseUrl: string): string {
  const variables = pathVariables(path);
  const request: SampleRequest = {
    method,
    url: baseUrl + pathTo({ path }, { params: variables, ...(sample?.query && { query: sample.query }) }),
    variables: Object.values(variables),
    body:
      sample?.body === undefined ? undefined : JSON.stringify(sample.body, null, 1).replace(/\n\s*/g, ' '),
  };
  return [
    codeBlock({ language: 'sh', title: 'curl', code: curl(request), isTab: true }),
    codeBlock({ language: 'js', title: 'JavaScript', code: javascript(request), isTab: true }),
    codeBlock({ language: 'python', title: 'Python', code: python(request), isTab: true }),
  ].join('\n\n');
}

/** @returns the URL with each variable in the syntax of the language */
function urlWith({ url, variables }: SampleRequest, syntax: (name: string) => string): string {
  return variables.reduce((text, name) => text.replace(name, () => syntax(name)), url);
}

function curl(request: SampleRequest): string {
  const { method, body } = request;
  const methodOption = method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `;
  const lines = [
    `curl -sS ${methodOption}"${urlWith(request, (name) => `$${name}`)}"`,
    '  -H "X-AUTH-APIKEY: $API_KEY"',
    '  -H "X-AUTH-APISECRET: $API_SECRET"',
    ...(method === 'GET' ? [] : [`  -H "Idempotency-Key: ${randomKey}"`]),
    ...(body ? ["  -H 'Content-Type: application/json'", `  -d '${body}'`] : []),
  ];
  return lines.join(' \\\n');
}

function javascript(request: SampleRequest): string {
  const { method, variables, body } = request;
  const quote = variables.length > 0 ? '`' : "'";
  const url = urlWith(request, (name) => `\${process.env.${name}}`);
  return [
    `const response = await fetch(${quote}${url}${quote}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    "    'X-AUTH-APIKEY': process.env.API_KEY,",
    "    'X-AUTH-APISECRET': process.env.API_SECRET,",
    ...(method === 'GET' ? [] : ["    'Idempotency-Key': crypto.randomUUID(),"]),
    ...(body ? ["    'Content-Type': 'application/json',"] : []),
    '  },',
    ...(body ? [`  body: JSON.stringify(${body}),`] : []),
    // Following a redirect would send the secret to another URL.
    "  redirect: 'error',",
    '  signal: AbortSignal.timeout(45_000),',
    '});',
    `if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);`,
    'console.log(JSON.stringify(await response.json()));',
  ].join('\n');
}

function python(request: SampleRequest): string {
  const { method, variables, body } = request;
  const url = urlWith(request, (name) => `{os.environ['${name}']}`);
  return [
    `import json, os, sys, urllib.error, urllib.request${method === 'GET' ? '' : ', uuid'}`,
    '',
    'request = urllib.request.Request(',
    `    ${variables.length > 0 ? 'f' : ''}"${url}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    '    headers={',
    '        "X-AUTH-APIKEY": os.environ["API_KEY"],',
    ...(method === 'GET' ? [] : ['        "Idempotency-Key": str(uuid.uuid4()),']),
    ...(body ? ['        "Content-Type": "application/json",'] : []),
    '    },',
    ...(body ? [`    data='${body}'.encode(),`] : []),
    ')',
    '# Not sent to the URL of a redirect.',
    'request.add_unredirected_header("X-AUTH-APISECRET", os.environ["API_SECRET"])',
    'try:',
    '    with urllib.request.urlopen(request, timeout=45) as response:',
    '        print(json.dumps(json.load(response)))',
    'except urllib.error.HTTPError as error:',
    '    sys.exit(error.read().decode())',
  ].join('\n');
}
