import { buttonClass } from '../ui/button.tsx';
import { DateWithZone } from '../ui/dates.tsx';
import { Badge } from '../ui/notice.tsx';

type OpenSession = { id: string; device: string; lastUsedAt: Date; isCurrent: boolean };

type OpenSessionsProps = { sessions: OpenSession[]; timeZone: string; idleMinutes: number };

/** The form works without JavaScript. */
export function OpenSessions({ sessions, timeZone, idleMinutes }: OpenSessionsProps) {
  return (
    <>
      <ul className="divide-y divide-line">
        {sessions.map(({ id, device, lastUsedAt, isCurrent }) => (
          <li
            key={id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-3 first:pt-0"
          >
            <span className="flex flex-wrap items-center gap-2">
              {device}
              {isCurrent && <Badge tone="good">This device</Badge>}
            </span>
            <span className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
              <span>
                Last used: <DateWithZone instant={lastUsedAt} timeZone={timeZone} withTime />
              </span>
              {!isCurrent && (
                <form action="/sign-out" method="post">
                  <input type="hidden" name="session" value={id} />
                  <button
                    type="submit"
                    className="link hit text-muted hover:text-ink"
                    aria-label={`Sign out ${device}`}
                  >
                    Sign out
                  </button>
                </form>
              )}
            </span>
          </li>
        ))}
      </ul>
      <form
        action="/sign-out"
        method="post"
        className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-t border-line pt-4"
      >
        <input type="hidden" name="sessions" value="all" />
        <p className="text-muted">You’re signed out after {idleMinutes} minutes of inactivity.</p>
        <button type="submit" className={buttonClass('secondary')}>
          Sign out everywhere
        </button>
      </form>
    </>
  );
}
