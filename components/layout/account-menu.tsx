import { chevronsIcon, Icon } from '../ui/icons.tsx';
import { PageLink } from '../ui/page-link.tsx';
import { accountMenuItems } from './nav-items.ts';

type AccountMenuProps = { name: string; cityName: string };

/** A native popover, so that it works without JavaScript. */
export function AccountMenu({ name, cityName }: AccountMenuProps) {
  return (
    <div className="-mr-3 min-w-0 desk:mt-auto desk:mr-0">
      <button
        type="button"
        popoverTarget="account-menu"
        className="hit flex max-w-full items-center gap-2 rounded-control px-3 text-left hover:bg-sunken desk:w-full"
      >
        <span className="min-w-0 flex-1">
          <span className="sr-only">Account: </span>
          <span className="block truncate font-medium sm:max-w-48">{name}</span>
          <span className="hidden truncate text-small text-muted desk:block">{cityName}</span>
        </span>
        <Icon path={chevronsIcon} className="size-4 shrink-0 text-muted" />
      </button>
      <div
        id="account-menu"
        popover="auto"
        className="absolute inset-auto top-14 right-4 w-60 rounded-panel border border-line bg-raised p-2 text-ink shadow-lift desk:fixed desk:top-auto desk:w-54 desk:right-auto desk:bottom-20 desk:left-3"
      >
        <div className="mb-2 border-b border-line px-3 pt-1 pb-3">
          <p className="font-medium">{name}</p>
          <p className="text-small text-muted">{cityName}</p>
        </div>
        {accountMenuItems.map(({ path, title }) => (
          <PageLink
            key={path}
            href={path}
            className="hit flex items-center rounded-control px-3 hover:bg-sunken"
          >
            {title}
          </PageLink>
        ))}
        <form action="/sign-out" method="post">
          <input type="hidden" name="sessions" value="current" />
          <button type="submit" className="hit w-full rounded-control px-3 text-left hover:bg-sunken">
            Sign out
          </button>
        </form>
      </div>
    </div>
  );
}
