import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { classNames } from './class-names.ts';
import { describedBy, Field } from './field.tsx';

const neverChanges = () => () => undefined;

type SecretFieldProps = { id: string; label: string; hint: string; error: string | undefined };

/** Named `apiSecret` in its form. */
export function SecretField({ id, label, hint, error }: SecretFieldProps) {
  const [isRevealed, setRevealed] = useState(false);
  const hasScript = useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <div className="relative">
        <input
          id={id}
          name="apiSecret"
          // Not a password field, because a browser would offer to save it for all who use this computer.
          type="text"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, hint, error)}
          className={classNames('control', 'pr-20 font-mono', !isRevealed && 'masked')}
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

/** For `onReset` of a form with an action: React resets the form after the action, also when the action refuses the input. */
export function keepInput(event: FormEvent<HTMLFormElement>): void {
  event.preventDefault();
}
