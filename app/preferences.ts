import { cookies } from 'next/headers';

export const themes = ['system', 'light', 'dark'] as const;
export type Preferences = { theme: (typeof themes)[number]; hasShortcuts: boolean };

/** Choices of this browser, not of the customer: they are in cookies, and hold on the sign-in page too. */
export async function readPreferences(): Promise<Preferences> {
  const jar = await cookies();
  return {
    theme: themes.find((theme) => theme === jar.get('theme')?.value) ?? 'system',
    hasShortcuts: jar.get('shortcuts')?.value !== 'off',
  };
}
