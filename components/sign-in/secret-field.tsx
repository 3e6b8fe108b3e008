'use client';

import { useState, useSyncExternalStore } from 'react';
import { controlClass, describedBy, Field } from '../ui/field.tsx';

const neverChanges = () => () => undefined;

export function SecretField({ error }: { error: string | undefined }) {
  const [isRevealed, setRevealed] = useState(false);
  const hasScript = useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
  const hint = 'Shown once, when it was issued';
  return (
    <Field id="api-secret" label="API secret" hint={hint} error={error}>
      <div className="relative">
        <input
          id="api-secret"
          name="apiSecret"
          type={isRevealed ? 'text' : 'password'}
          autoComplete="current-password"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy('api-secret', hint, error)}
          className={`${controlClass} pr-20 font-mono`}
        />
        {hasScript && (
          <button
            type="button"
            aria-pressed={isRevealed}
            aria-label="Show the secret"
            onClick={() => setRevealed(!isRevealed)}
            className="hit absolute inset-y-0 right-0 rounded-control px-4 text-small font-medium text-muted hover:text-ink"
          >
            {isRevealed ? 'Hide' : 'Show'}
          </button>
        )}
      </div>
    </Field>
  );
}
