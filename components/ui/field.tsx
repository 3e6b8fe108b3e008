import { unstable_rethrow } from 'next/navigation';
import {
  type ComponentProps,
  type FormEvent,
  type ReactNode,
  useActionState,
  useState,
  useSyncExternalStore,
} from 'react';
import { classNames } from './class-names.ts';
import { chevronsIcon, Icon } from './icons.tsx';

type FieldProps = {
  /** ID of the control; the hint and the error are `<id>-hint` and `<id>-error`. */
  id: string;
  label: string;
  hint?: ReactNode;
  error?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
};

export function Field({ id, label, hint, error, className, children }: FieldProps) {
  return (
    <div className={classNames('grid content-start gap-1', className)}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="text-small text-muted">
          {hint}
        </p>
      )}
      {children}
      {error && (
        <p id={`${id}-error`} className="text-small font-medium text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

type TextFieldProps = Omit<ComponentProps<'input'>, 'id'> &
  Omit<FieldProps, 'children'> & {
    isMono?: boolean;
  };

export function TextField({ id, label, hint, error, className, isMono = false, ...input }: TextFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error} className={className}>
      <input
        autoComplete="off"
        spellCheck={false}
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, hint, error)}
        className={classNames('control', isMono && 'font-mono')}
      />
    </Field>
  );
}

/** @returns the control's `aria-describedby` */
function describedBy(id: string, hint: ReactNode, error: ReactNode): string | undefined {
  return classNames(hint ? `${id}-hint` : null, error ? `${id}-error` : null) || undefined;
}

export function Select(props: ComponentProps<'select'>) {
  return (
    <span className="relative grid items-center">
      <select {...props} className="control appearance-none pr-9" />
      <Icon path={chevronsIcon} className="pointer-events-none absolute right-3 size-4 text-muted" />
    </span>
  );
}

/** More than any key or secret has. */
export const credentialCharsMax = 200;

type SecretFieldProps = Omit<FieldProps, 'className' | 'children'> &
  Pick<ComponentProps<'input'>, 'required' | 'defaultValue' | 'onInput'>;

/** Named `apiSecret` in its form. */
export function SecretField({ id, label, hint, error, ...input }: SecretFieldProps) {
  const [isRevealed, setRevealed] = useState(false);
  const isHydrated = useHydrated();
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <div className="relative">
        <input
          {...input}
          id={id}
          name="apiSecret"
          // Not a password field, because a browser would offer to save it for all who use this computer.
          type="text"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={credentialCharsMax}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, hint, error)}
          className={classNames('control', 'pr-20 font-mono', !isRevealed && 'masked')}
        />
        {isHydrated && (
          <button
            type="button"
            aria-label={`${isRevealed ? 'Hide' : 'Show'} the secret`}
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

/**
 * The state of a form that works without JavaScript.
 * @param failure the state when the action gets no response, instead of the error page, which would lose the input
 */
export function useFormAction<State>(
  action: (state: Awaited<State>, form: FormData) => Promise<State>,
  initial: Awaited<State>,
  failure: State,
) {
  const tryAction = async (state: Awaited<State>, form: FormData) => {
    try {
      return await action(state, form);
    } catch (error) {
      unstable_rethrow(error);
      return failure;
    }
  };
  // The server can render only its own action.
  return useActionState(useHydrated() ? tryAction : action, initial);
}

const neverChanges = () => () => undefined;

/** Whether the page's scripts have taken over what the server rendered. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}
