import type { ReactNode } from 'react';
import { ApiError } from '../api.ts';
import { RetryButton } from './button.tsx';
import { durationText } from './duration.ts';
import { Notice } from './notice.tsx';
import { ContactSupport } from './support-contact.tsx';

type FailureNoticeProps = {
  error: unknown;
  /** For failures that certainly changed nothing: "Nothing was saved." */
  outcome: string;
  /** For failures after which a change may still have been made. */
  unknownOutcome?: string;
  onRetry?: (() => void) | undefined;
  className?: string;
};

export function FailureNotice({
  error,
  outcome,
  unknownOutcome = `${outcome} Try again in a minute.`,
  onRetry,
  className,
}: FailureNoticeProps) {
  const { title, advice } = messageFor(error, outcome, unknownOutcome);
  return (
    <Notice
      role="alert"
      tone={error instanceof ApiError && error.failure === 'in_flight' ? 'warn' : 'bad'}
      title={title}
      action={onRetry && <RetryButton onRetry={onRetry} />}
      className={className}
    >
      {advice}
    </Notice>
  );
}

function messageFor(
  error: unknown,
  outcome: string,
  unknownOutcome: string,
): { title: string; advice: ReactNode } {
  if (!(error instanceof ApiError)) return { title: 'That didn’t work.', advice: unknownOutcome };
  switch (error.failure) {
    case 'offline':
      return {
        title: 'We couldn’t reach the service.',
        advice: `Check your connection. ${unknownOutcome}`,
      };
    case 'signed_out':
      return { title: 'You were signed out.', advice: <SignInAgain outcome={outcome} /> };
    case 'provider':
      return { title: 'We couldn’t reach our payment processor.', advice: unknownOutcome };
    case 'in_flight':
      return {
        title: 'Still processing.',
        advice: 'Try again in a few seconds to see the result. It won’t be done twice.',
      };
    case 'rate_limited':
      return {
        title:
          error.response.type === 'too_many_declines' ? 'Too many declined cards.' : 'Too many requests.',
        advice: `${outcome} Try again in ${durationText(error.response.retryAfterSeconds ?? 60)}.`,
      };
    case 'rejected':
      return { title: error.message || 'We couldn’t accept this request.', advice: outcome };
    default:
      return {
        title: 'Something went wrong on our side.',
        advice: (
          <>
            {unknownOutcome} {error.response.requestId && <ContactSupport id={error.response.requestId} />}
          </>
        ),
      };
  }
}

export function SignInAgain({ outcome }: { outcome: string }) {
  return (
    <>
      {outcome}{' '}
      <a href="/sign-in?again" target="_blank" rel="noopener" className="link">
        Sign in again
      </a>{' '}
      in a new tab; this page stays as it is.
    </>
  );
}
