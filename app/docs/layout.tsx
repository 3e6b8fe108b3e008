import { connection } from 'next/server';
import { DocsFrame } from '#components/docs/docs-frame.tsx';
import { services } from '#src/api/services.ts';
import { docsPages } from '#src/docs/pages.ts';
import { readPreferences } from '../preferences.ts';

export default async function DocsLayout({ children }: LayoutProps<'/docs'>) {
  await connection();
  const { hasShortcuts } = await readPreferences();
  const links = docsPages(services().settings).map(({ slug, group, title }) => ({
    slug,
    group,
    title: slug === '' ? 'Quickstart' : title,
  }));
  return (
    <DocsFrame serviceName={services().settings.SERVICE_NAME} links={links} hasShortcuts={hasShortcuts}>
      {children}
    </DocsFrame>
  );
}
