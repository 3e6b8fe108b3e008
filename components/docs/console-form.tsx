import { type FormEvent, useId, useRef, useState } from 'react';
import { type ConsoleAccount, type ConsoleOperation, randomKey } from '#src/docs/page.ts';
import { CopyButton } from '../api-access/copy-button.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Field, SecretField, TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { IndentedText } from '../ui/text-wrap.tsx';

type ConsoleResponse = {
  status: number;
  isBySession: boolean;
  headers: [string, string][];
  body: string;
  elapsedMs: number;
};

/** Kept in memory only, so credentials never reach the URL or the browser's storage. */
const credentials = { apiKey: '', apiSecret: '' };

const displayedHeaders = [
  'x-request-id',
  'ratelimit',
  'retry-after',
  'etag',
  'server-timing',
  'idempotent-replayed',
];

export type ConsoleProps = {
  operation: ConsoleOperation;
  /** Of the dashboard session, which authenticates requests without a secret. */
  account: ConsoleAccount | null;
};

/** Sends requests to this service with the reader's own credentials. */
export function ConsoleForm({ operation, account }: ConsoleProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [response, setResponse] = useState<ConsoleResponse | 'unreachable' | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [apiKey, setApiKey] = useState(credentials.apiKey || (account?.apiKey ?? ''));
  // Only the key of the session's account may do without a secret, or a request would act on an account that it doesn't name.
  const hasSession = apiKey.trim() === account?.apiKey;
  const send = async () => {
    if (!form.current) return;
    setBusy(true);
    const sent = call(operation, new FormData(form.current), hasSession ? account : null);
    setResponse(await sent.catch(() => 'unreachable' as const));
    setBusy(false);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const invalid = [...event.currentTarget.querySelectorAll('input')].flatMap((input) => {
      const message = errorOf(input);
      return message === undefined ? [] : [{ input, message }];
    });
    setErrors(Object.fromEntries(invalid.map(({ input, message }) => [input.name, message])));
    if (invalid[0]) return invalid[0].input.focus();
    if (operation.method !== 'GET' && apiKey.trim().startsWith('key_live_')) setAsking(true);
    else void send();
  };
  return (
    <form
      ref={form}
      // GET would put the secret into the URL if the browser submitted the form itself.
      method="post"
      onSubmit={submit}
      noValidate
      autoComplete="off"
      aria-label={`Console: ${operation.id}`}
      className="grid gap-4"
    >
      <p className="text-muted">
        Sends a real request to this service. Your key and secret stay in this page’s memory and are gone when
        you close it.
        {account &&
          ` You’re signed in as ${account.name}, so you can leave the secret empty with that account’s key.`}
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          id={`${id}-key`}
          name="apiKey"
          isMono
          label="API key"
          error={errors.apiKey}
          required
          value={apiKey}
          onChange={(event) => {
            credentials.apiKey = event.currentTarget.value;
            setApiKey(event.currentTarget.value);
          }}
        />
        <SecretField
          id={`${id}-secret`}
          label="API secret"
          error={errors.apiSecret}
          required={!hasSession}
          defaultValue={credentials.apiSecret}
          onInput={(event) => {
            credentials.apiSecret = event.currentTarget.value;
          }}
        />
      </div>
      {operation.parameters.map(({ name, required }) => (
        <TextField
          key={name}
          id={`${id}-${name}`}
          name={`parameter-${name}`}
          label={name}
          error={errors[`parameter-${name}`]}
          required={required}
        />
      ))}
      {operation.body !== undefined && (
        <Field id={`${id}-body`} label="Body">
          <textarea
            id={`${id}-body`}
            name="body"
            rows={8}
            defaultValue={operation.body}
            spellCheck={false}
            className="control py-2 font-mono"
          />
        </Field>
      )}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="primary" isBusy={isBusy} busyLabel="Sending…">
          Send {operation.method}
        </Button>
        <CopyButton
          text={() => (form.current ? curlOf(operation, new FormData(form.current)) : '')}
          name="curl command"
          label="Copy as curl"
        />
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Send ${operation.method} to your live account?`}
        confirmLabel={`Send ${operation.method}`}
        cancelLabel="Cancel"
        onConfirm={() => {
          setAsking(false);
          void send();
        }}
        onCancel={() => setAsking(false)}
      >
        <p>The key is a live key, so this changes your real cards.</p>
      </ConfirmDialog>
      <div className={response ? 'grid gap-2' : '-mt-4'}>
        <div role="status" className="grid gap-2">
          {response && <ResponseStatus response={response} />}
        </div>
        {response && response !== 'unreachable' && <ResponseText response={response} />}
      </div>
    </form>
  );
}

/** What a screen reader announces. The response itself can be long. */
function ResponseStatus({ response }: { response: ConsoleResponse | 'unreachable' }) {
  if (response === 'unreachable')
    return (
      <Notice tone="bad" title="We couldn’t reach the service.">
        Check your connection and try again.
      </Notice>
    );
  const { status, isBySession, elapsedMs } = response;
  return (
    <>
      <p className={status < 400 ? 'font-medium text-good' : 'font-medium text-bad'}>
        HTTP {status} in {elapsedMs} ms
      </p>
      {isBySession && status === 401 && (
        <Notice
          tone="warn"
          title="You’re no longer signed in to this account in this browser."
          action={<Button onClick={() => window.location.reload()}>Reload page</Button>}
        >
          Your session has ended, or you signed in to another account.
        </Notice>
      )}
    </>
  );
}

function ResponseText({ response: { headers, body } }: { response: ConsoleResponse }) {
  return (
    <section
      aria-label="Response"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Safari scrolls by keyboard only what can have the focus.
      tabIndex={0}
      className="scroll-edge max-h-[32rem] overflow-auto rounded-control border border-line bg-sunken p-4"
    >
      <pre className="font-mono text-small whitespace-pre-wrap">
        {headers.map(([name, value]) => `${name}: ${value}\n`).join('')}
        {'\n'}
        <IndentedText text={body} />
      </pre>
    </section>
  );
}

const credentialNames: Record<string, string> = {
  apiKey: 'an API key',
  apiSecret: 'the secret for this key',
};

function errorOf({ name, validity, value }: HTMLInputElement): string | undefined {
  const credential = credentialNames[name];
  if (validity.valueMissing) return `Enter ${credential ?? `the ${name.replace('parameter-', '')}`}.`;
  // Browsers send no such header.
  if (credential && /[^\x20-\x7e]/.test(value.trim()))
    return 'It contains a character that isn’t in any key or secret.';
  return undefined;
}

const fieldsOf = (form: FormData) => (name: string) => String(form.get(name) ?? '').trim();

/** The secret is a variable, so that it does not get into a shell's history. */
function curlOf(operation: ConsoleOperation, form: FormData): string {
  const { method, body } = operation;
  const field = fieldsOf(form);
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl -sS -X ${method} ${quoted(window.location.origin + requestUrl(operation, field))}`,
    `  -H ${quoted(`X-AUTH-APIKEY: ${field('apiKey')}`)}`,
    '  -H "X-AUTH-APISECRET: $API_SECRET"',
    ...(method === 'GET' ? [] : [`  -H "Idempotency-Key: ${randomKey}"`]),
    ...(body === undefined ? [] : ["  -H 'Content-Type: application/json'", `  -d ${quoted(field('body'))}`]),
  ].join(' \\\n');
}

async function call(
  operation: ConsoleOperation,
  form: FormData,
  account: ConsoleAccount | null,
): Promise<ConsoleResponse> {
  const { method, body } = operation;
  const field = fieldsOf(form);
  const session = field('apiSecret') === '' ? account : null;
  const startedAt = performance.now();
  const response = await fetch(requestUrl(operation, field), {
    method,
    // The headers or the session, not both.
    credentials: session ? 'same-origin' : 'omit',
    cache: 'no-store',
    headers: {
      ...(session
        ? { 'X-Session-Customer': String(session.customerId) }
        : { 'X-AUTH-APIKEY': field('apiKey'), 'X-AUTH-APISECRET': field('apiSecret') }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: field('body') }),
  });
  const text = await response.text();
  return {
    status: response.status,
    isBySession: session !== null,
    headers: displayedHeaders.flatMap((name): [string, string][] => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
    body: indent(text),
    elapsedMs: Math.round(performance.now() - startedAt),
  };
}

function requestUrl({ path, parameters }: ConsoleOperation, field: (name: string) => string): string {
  let url = path;
  const query = new URLSearchParams();
  for (const { name, location } of parameters) {
    const value = field(`parameter-${name}`);
    if (location === 'path') url = url.replace(`{${name}}`, encodeURIComponent(value));
    else if (value) query.set(name, value);
  }
  return String(query) ? `${url}?${query}` : url;
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
