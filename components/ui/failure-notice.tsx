import type { ReactNode } from 'react';
import { ApiError } from '../api.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import { waitText, withoutWait } from './retry-after.ts';
import { TellSupport } from './support-contact.tsx';

type FailureNoticeProps = {
  error: unknown;
  /** What stays as it was, where the service said that it did nothing: "Nothing was saved." */
  safe: string;
  /** For a change, where no answer tells whether it was made: that this isn't known yet, and another try is safe. */
  unsure?: string;
  onRetry?: (() => void) | undefined;
  className?: string;
};

/** Why something did not work, what is safe, and the way on. */
export function FailureNotice({
  error,
  safe,
  unsure = `${safe} Try again in a minute.`,
  onRetry,
  className,
}: FailureNoticeProps) {
  const { title, advice } = words(error, safe, unsure);
  return (
    <Notice
      role="alert"
      tone={error instanceof ApiError && error.failure === 'in_flight' ? 'warn' : 'bad'}
      title={title}
      action={onRetry && <Button onClick={onRetry}>Try again</Button>}
      {...(className && { className })}
    >
      {advice}
    </Notice>
  );
}

function words(error: unknown, safe: string, unsure: string): { title: string; advice: ReactNode } {
  if (!(error instanceof ApiError)) return { title: 'That did not work.', advice: unsure };
  switch (error.failure) {
    case 'offline':
      return {
        title: 'We couldn’t reach the service.',
        advice: `Check your connection. ${unsure}`,
      };
    case 'signed_out':
      return { title: 'You were signed out.', advice: <SignInAgain /> };
    case 'provider':
      return { title: 'We couldn’t reach the card service.', advice: unsure };
    case 'in_flight':
      return {
        title: 'This is still being worked on.',
        advice: 'Try again in a few seconds to see how it ended. Nothing is done twice.',
      };
    case 'limited':
      return {
        title: withoutWait(error.message) || 'Too many requests.',
        advice: `${safe} Try again in ${waitText(error.retryAfterSeconds ?? 60)}.`,
      };
    case 'refused':
      return { title: error.message || 'The service did not accept this.', advice: safe };
    default:
      return {
        title: 'Something went wrong on our side.',
        advice: <Trouble unsure={unsure} requestId={error.requestId} />,
      };
  }
}

function SignInAgain() {
  return (
    <>
      <a href="/sign-in" target="_blank" rel="noopener" className="link">
        Sign in again
      </a>{' '}
      in a new tab; this page stays as it is.
    </>
  );
}

function Trouble({ unsure, requestId }: { unsure: string; requestId: string | undefined }) {
  return (
    <>
      {unsure}
      {requestId && (
        <>
          {' '}
          <TellSupport number={requestId} />
        </>
      )}
    </>
  );
}
