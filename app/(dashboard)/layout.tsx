import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { signOut } from '#app/sign-in/actions.ts';
import { Frame } from '#components/frame/frame.tsx';
import { ServerState } from '#components/frame/server-state.tsx';
import { settings } from '#settings.ts';
import { requireSession } from './session.ts';

export const metadata: Metadata = { robots: { index: false, follow: false } };

export default async function DashboardLayout({ children }: { children: ReactNode }) {
  const { customer } = (await requireSession()).customer;
  return (
    <ServerState>
      <Frame
        serviceName={settings().SERVICE_NAME}
        customerName={customer.name}
        cityName={customer.city.name}
        signOut={signOut}
      >
        {children}
      </Frame>
    </ServerState>
  );
}
