'use client';

import { digestOf, PageError } from '#components/layout/page-error.tsx';
import { LonePage } from '#components/layout/standalone-page.tsx';
import { fontClasses } from './fonts.ts';
import './globals.css';

/** When even the page for errors cannot be shown: a document of its own. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" className={fontClasses}>
      <body>
        <title>This page could not be loaded</title>
        <LonePage>
          <PageError digest={digestOf(error)} retry={retry} />
        </LonePage>
      </body>
    </html>
  );
}
