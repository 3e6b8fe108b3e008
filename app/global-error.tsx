'use client';

import { StandaloneError } from '#components/layout/root-layout.tsx';
import './globals.css';

/**
 * Replaces the root layout when it fails. The stylesheet knows the names of the fonts without their classes, which would
 * add to the script of every page.
 */
export default function GlobalError(props: { error: unknown }) {
  return (
    <html lang="en">
      <body>
        <title>This page didn’t load</title>
        <StandaloneError {...props} />
      </body>
    </html>
  );
}
