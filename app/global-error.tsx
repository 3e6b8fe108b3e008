'use client';

import { digestOf, PageError } from '#components/frame/page-error.tsx';
import './globals.css';

export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en">
      <body>
        <title>This page could not be loaded</title>
        <main>
          <PageError digest={digestOf(error)} retry={retry} />
        </main>
      </body>
    </html>
  );
}
