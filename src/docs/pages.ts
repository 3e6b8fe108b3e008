import type { DocsPage } from '#components/docs/block.ts';
import { docsContext } from './document.ts';
import { errorsPage } from './errors.ts';
import { authenticationPage } from './guides/authentication.ts';
import { changelogPage } from './guides/changelog.ts';
import { clientPage } from './guides/client.ts';
import { idempotencyPage } from './guides/idempotency.ts';
import { limitsPage } from './guides/limits.ts';
import { startPage } from './guides/start.ts';
import { versioningPage } from './guides/versioning.ts';
import { operationPages } from './operation.ts';
import { sandboxPage } from './sandbox-page.ts';

/** All pages of the reference, of the running service and its settings, in their order. */
export function docsPages(): DocsPage[] {
  const context = docsContext();
  return [
    startPage(context),
    ...operationPages(context),
    authenticationPage(context),
    idempotencyPage(context),
    limitsPage(context),
    errorsPage(),
    versioningPage(),
    sandboxPage(context),
    clientPage(context),
    changelogPage(),
  ];
}

/** @param slug empty for the first page */
export function findDocsPage(slug: string): DocsPage | undefined {
  return docsPages().find((page) => page.slug === slug);
}
