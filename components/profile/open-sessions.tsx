import { buttonClass } from '../ui/button.tsx';
import { DateWithZone } from '../ui/dates.tsx';
import { DisclosureIcon } from '../ui/icons.tsx';
import { Badge } from '../ui/notice.tsx';

type OpenSession = { id: string; device: string; lastUsedAt: Date; isCurrent: boolean };

type OpenSessionsProps = {
  /** Of the page. The browser may have signed in to another account since. */
  customerId: number;
  sessions: OpenSession[];
  timeZone: string;
  idleMinutes: number;
};

/** The rest is behind a disclosure. */
const shownMax = 5;

/** The forms work without JavaScript. */
export function OpenSessions({ customerId, sessions, timeZone, idleMinutes }: OpenSessionsProps) {
  const sorted = sessions.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
  const rest = sorted.slice(shownMax);
  return (
    <>
      <SessionList customerId={customerId} sessions={sorted.slice(0, shownMax)} timeZone={timeZone} />
      {rest.length > 0 && (
        <details className="group border-t border-line">
          <summary className="hit flex items-center gap-2 text-muted hover:text-ink">
            <DisclosureIcon />
            {rest.length} more
          </summary>
          <SessionList customerId={customerId} sessions={rest} timeZone={timeZone} />
        </details>
      )}
      <form
        action="/sign-out"
        method="post"
        className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-t border-line pt-4"
      >
        <input type="hidden" name="customer" value={customerId} />
        <input type="hidden" name="sessions" value="all" />
        <p className="text-muted">You’re signed out after {idleMinutes} minutes of inactivity.</p>
        <button type="submit" className={buttonClass('secondary')}>
          Sign out everywhere
        </button>
      </form>
    </>
  );
}

type SessionListProps = Pick<OpenSessionsProps, 'customerId' | 'sessions' | 'timeZone'>;

function SessionList({ customerId, sessions, timeZone }: SessionListProps) {
  return (
    <ul className="divide-y divide-line">
      {sessions.map(({ id, device, lastUsedAt, isCurrent }) => (
        <li key={id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-3 first:pt-0">
          <span className="flex flex-wrap items-center gap-2">
            {device}
            {isCurrent && <Badge tone="good">This device</Badge>}
          </span>
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
            <span id={`last-used-${id}`}>
              Last used: <DateWithZone instant={lastUsedAt} timeZone={timeZone} withTime />
            </span>
            {!isCurrent && (
              <form action="/sign-out" method="post">
                <input type="hidden" name="customer" value={customerId} />
                <input type="hidden" name="session" value={id} />
                <button
                  type="submit"
                  className="link hit text-muted hover:text-ink"
                  aria-label={`Sign out ${device}`}
                  aria-describedby={`last-used-${id}`}
                >
                  Sign out
                </button>
              </form>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
