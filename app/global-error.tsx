'use client';

import { digestOf, PageError } from '#components/layout/page-error.tsx';
import { StandalonePage } from '#components/layout/standalone-page.tsx';
import { fontClasses } from './fonts.ts';
import './globals.css';

/** Replaces the root layout when it fails. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" className={fontClasses}>
      <body>
        <title>This page didn’t load</title>
        <StandalonePage>
          <PageError digest={digestOf(error)} retry={retry} />
        </StandalonePage>
      </body>
    </html>
  );
}
