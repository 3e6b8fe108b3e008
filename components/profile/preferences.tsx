import { buttonClass } from '../ui/button.tsx';

const themeNames = { system: 'System', light: 'Light', dark: 'Dark' };

type PreferencesProps = { theme: keyof typeof themeNames; hasShortcuts: boolean };

/** The forms work without JavaScript. */
export function Preferences({ theme, hasShortcuts }: PreferencesProps) {
  return (
    <form action="/profile/preferences" method="post" className="grid gap-5">
      <fieldset>
        <legend className="mb-2 text-muted">Theme</legend>
        <div className="flex flex-wrap gap-2">
          {Object.entries(themeNames).map(([value, name]) => (
            <button
              key={value}
              type="submit"
              name="theme"
              value={value}
              aria-pressed={value === theme}
              className={buttonClass('secondary', 'aria-pressed:border-ink aria-pressed:bg-sunken')}
            >
              {name}
            </button>
          ))}
        </div>
      </fieldset>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 noscript:hidden">
        <p className="text-muted">
          {hasShortcuts ? 'Keyboard shortcuts are on. Press ? to see them.' : 'Keyboard shortcuts are off.'}
        </p>
        <button
          type="submit"
          name="shortcuts"
          value={hasShortcuts ? 'off' : 'on'}
          className={buttonClass('secondary')}
        >
          Turn {hasShortcuts ? 'off' : 'on'} shortcuts
        </button>
      </div>
    </form>
  );
}
