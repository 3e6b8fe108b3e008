'use client';

import { type FormEvent, useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { controlClass, Field, TextField } from '../ui/field.tsx';
import { IndentedText } from '../ui/indented-text.tsx';
import { Notice } from '../ui/notice.tsx';
import type { ConsoleOperation } from './block.ts';

type Answer = { status: number; headers: [string, string][]; body: string; elapsedMs: number };

/** Kept while the pages of the reference are open and nowhere else: not in the address, not in the browser's storage. */
const typed = { apiKey: '', apiSecret: '' };

const shownHeaders = [
  'x-request-id',
  'ratelimit',
  'retry-after',
  'etag',
  'server-timing',
  'idempotent-replayed',
];

/** Calls this very service with keys the reader types. */
export function Console({ operation }: { operation: ConsoleOperation }) {
  const id = useId();
  const [answer, setAnswer] = useState<Answer | 'unreachable' | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setAnswer(await call(operation, form).catch(() => 'unreachable' as const));
    setBusy(false);
  };
  const remember = (name: keyof typeof typed) => (event: FormEvent<HTMLInputElement>) => {
    typed[name] = event.currentTarget.value;
  };
  return (
    <form
      // Before there are scripts a form is sent to its page: never with the secret in the address.
      method="post"
      onSubmit={(event) => void submit(event)}
      autoComplete="off"
      aria-label={`Console: ${operation.id}`}
      className="my-4 grid gap-4 rounded-panel border border-line bg-raised p-4 sm:p-6"
    >
      <noscript>The console needs JavaScript; the lines above do the same without.</noscript>
      <p className="text-muted">
        This sends a real request to this service. What you type stays in this page’s memory and is gone when
        you close it.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          id={`${id}-key`}
          name="apiKey"
          isMono
          label="API key"
          required
          defaultValue={typed.apiKey}
          onInput={remember('apiKey')}
          autoComplete="off"
          spellCheck={false}
        />
        <TextField
          id={`${id}-secret`}
          name="apiSecret"
          isMono
          label="API secret"
          type="password"
          required
          defaultValue={typed.apiSecret}
          onInput={remember('apiSecret')}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      {operation.parameter && (
        <TextField
          id={`${id}-parameter`}
          name="parameter"
          label={operation.parameter}
          required
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {operation.body !== undefined && (
        <Field id={`${id}-body`} label="Body">
          <textarea
            id={`${id}-body`}
            name="body"
            rows={8}
            defaultValue={operation.body}
            spellCheck={false}
            className={`${controlClass} py-2 font-mono`}
          />
        </Field>
      )}
      <div>
        <Button
          type="submit"
          variant="primary"
          isBusy={isBusy}
          busyLabel="Sending…"
          className="noscript:hidden"
        >
          Send {operation.method}
        </Button>
      </div>
      <div aria-live="polite" className="empty:-mt-4">
        {answer && <AnswerShown answer={answer} />}
      </div>
    </form>
  );
}

function AnswerShown({ answer }: { answer: Answer | 'unreachable' }) {
  if (answer === 'unreachable')
    return (
      <Notice tone="bad" title="We couldn’t reach the service.">
        Check your connection and try again.
      </Notice>
    );
  const { status, headers, body, elapsedMs } = answer;
  return (
    <section aria-label="Answer" className="grid gap-2">
      <p className={status < 400 ? 'font-medium text-good' : 'font-medium text-bad'}>
        HTTP {status} after {elapsedMs} ms
      </p>
      <pre className="scroll-edge max-h-[32rem] overflow-auto rounded-control border border-line bg-sunken p-4 font-mono text-small whitespace-pre-wrap">
        {headers.map(([name, value]) => `${name}: ${value}\n`).join('')}
        {'\n'}
        <IndentedText text={body} />
      </pre>
    </section>
  );
}

async function call({ method, path, body }: ConsoleOperation, form: FormData): Promise<Answer> {
  const field = (name: string) => String(form.get(name) ?? '').trim();
  const startedAt = performance.now();
  const response = await fetch(path.replace(/\{\w+\}/, encodeURIComponent(field('parameter'))), {
    method,
    // The keys decide, whoever is signed in here.
    credentials: 'omit',
    cache: 'no-store',
    headers: {
      'X-AUTH-APIKEY': field('apiKey'),
      'X-AUTH-APISECRET': field('apiSecret'),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: field('body') }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: shownHeaders.flatMap((name): [string, string][] => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
    body: pretty(text),
    elapsedMs: Math.round(performance.now() - startedAt),
  };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
