import { connection } from 'next/server';
import type { ReactNode } from 'react';
import { DocsFrame } from '#components/docs/docs-frame.tsx';
import { docsPages } from '#src/docs/pages.ts';
import { settings } from '#src/settings.ts';

export default async function DocsLayout({ children }: { children: ReactNode }) {
  await connection();
  const links = docsPages().map(({ slug, group, title }) => ({
    slug,
    group,
    title: slug === '' ? 'Quickstart' : title,
  }));
  return (
    <DocsFrame serviceName={settings().SERVICE_NAME} links={links}>
      {children}
    </DocsFrame>
  );
}
