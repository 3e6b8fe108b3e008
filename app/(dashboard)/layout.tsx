import type { Metadata } from 'next';
import { readPreferences } from '#app/preferences.ts';
import { AppShell } from '#components/layout/app-shell.tsx';
import { services } from '#src/api/services.ts';
import { requireSession } from './session.ts';

export const metadata: Metadata = { robots: { index: false, follow: false } };

export default async function DashboardLayout({ children }: LayoutProps<'/'>) {
  const { customerId, customer, city } = await requireSession();
  const { hasShortcuts } = await readPreferences();
  const { SERVICE_NAME, mode } = services().settings;
  return (
    <AppShell
      // Discards the state of the previous customer when the browser has signed in to another account.
      key={customerId}
      customerId={customerId}
      serviceName={SERVICE_NAME}
      isTestMode={mode !== 'live'}
      customerName={customer.name}
      cityName={city.name}
      hasShortcuts={hasShortcuts}
    >
      {children}
    </AppShell>
  );
}
