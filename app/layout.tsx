import type { Metadata, Viewport } from 'next';
import { connection } from 'next/server';
import { SupportContactProvider, Toaster } from '#components/layout/root-layout.tsx';
import { PendingStatus } from '#components/ui/pending.tsx';
import { services } from '#src/api/services.ts';
import { fontClasses } from './fonts.ts';
import './globals.css';
import { readPreferences } from './preferences.ts';

export async function generateMetadata(): Promise<Metadata> {
  await connection();
  const { SERVICE_NAME, publicUrl } = services().settings;
  return {
    metadataBase: new URL(publicUrl),
    title: { default: SERVICE_NAME, template: `%s · ${SERVICE_NAME}` },
    description: 'See your balance due, manage your cards, and check where we deliver.',
    applicationName: SERVICE_NAME,
    icons: {
      icon: [
        { url: '/icon.svg', type: 'image/svg+xml' },
        { url: '/favicon.ico', sizes: '32x32' },
      ],
      apple: '/icons/apple.png',
    },
    formatDetection: { telephone: false, email: false, address: false },
  };
}

// No `colorScheme` here: as a meta tag it makes Stripe's iframes opaque.
export async function generateViewport(): Promise<Viewport> {
  const { theme } = await readPreferences();
  const colors = { light: '#f8f8f6', dark: '#101112' };
  if (theme !== 'system') return { themeColor: colors[theme] };
  return {
    themeColor: [
      { media: '(prefers-color-scheme: light)', color: colors.light },
      { media: '(prefers-color-scheme: dark)', color: colors.dark },
    ],
  };
}

export default async function RootLayout({ children }: LayoutProps<'/'>) {
  // The CSP nonce is per request, so no page may be prerendered.
  await connection();
  const { SUPPORT_CONTACT } = services().settings;
  const { theme } = await readPreferences();
  return (
    <html lang="en" data-theme={theme} className={fontClasses}>
      <body>
        <SupportContactProvider contact={SUPPORT_CONTACT}>{children}</SupportContactProvider>
        <PendingStatus />
        <Toaster />
      </body>
    </html>
  );
}
