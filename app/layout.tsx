import type { Metadata, Viewport } from 'next';
import { connection } from 'next/server';
import type { ReactNode } from 'react';
import { PendingStatus } from '#components/ui/pending.tsx';
import { SupportContact } from '#components/ui/support-contact.tsx';
import { Toaster } from '#components/ui/toast.tsx';
import { services } from '#src/api/services.ts';
import { fontClasses } from './fonts.ts';
import './globals.css';

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
export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f8f8f6' },
    { media: '(prefers-color-scheme: dark)', color: '#101112' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // The CSP nonce is per request, so no page may be prerendered.
  await connection();
  const { SUPPORT_CONTACT } = services().settings;
  return (
    <html lang="en" className={fontClasses}>
      <body>
        <SupportContact contact={SUPPORT_CONTACT}>{children}</SupportContact>
        <PendingStatus />
        <Toaster />
      </body>
    </html>
  );
}
