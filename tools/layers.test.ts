import { expect, it } from 'vitest';
import { forbiddenImports, importsOf } from './layers.ts';

const faults = (file: string, source: string) => forbiddenImports(file, importsOf(file, source)).length;

it.each([
  ['src/cards/add-card.ts', "import { db } from '#db/client.ts';", 0],
  ['src/cards/add-card.ts', "import { problem } from '#src/api/problems.ts';", 1],
  ['src/cards/deep/card.ts', "import { problem } from '../../api/problems.ts';", 1],
  ['src/cards/add-card.ts', "export { problem } from '#src/api/problems.ts';", 1],
  ['src/cards/add-card.ts', "export * from '#src/api/problems.ts';", 1],
  ['src/cards/add-card.ts', "const { problem } = await import('#src/api/problems.ts');", 1],
  ['src/cards/add-card.ts', "// import { problem } from '#src/api/problems.ts';", 0],
  ['src/cards/add-card.ts', "import { useState } from 'react';", 1],
  ['src/cards/add-card.ts', "import { cookies } from 'next/headers';", 1],
  ['src/cards/add-card.test.ts', "import { problem } from '#src/api/problems.ts';", 0],
  ['components/card.tsx', "import type { Card } from '#src/api/schemas/card.ts';", 0],
  ['components/card.tsx', "import { type Card } from '#src/api/schemas/card.ts';", 0],
  ['components/card.tsx', "import { card } from '#src/api/schemas/card.ts';", 1],
  ['components/card.tsx', "import { useState } from 'react';", 0],
  ['components/card.tsx', "import type { Row } from '#db/schema/index.ts';", 1],
  ['app/page.tsx', "import { db } from '#db/client.ts';", 0],
  ['app/page.tsx', "import { addCard } from '#src/cards/add-card.ts';", 0],
  ['app/page.tsx', "import { cardProvider } from '#src/payments/stripe.ts';", 1],
  ['app/api/cards/route.ts', "import { cardProvider } from '#src/payments/stripe.ts';", 0],
  ['packages/stripe-sandbox/server.ts', "import { createServer } from 'node:http';", 0],
  ['packages/stripe-sandbox/server.ts', "import { settings } from '#src/settings.ts';", 1],
  ['src/server/host.ts', "const next = await import('next');", 0],
  ['src/server/host.ts', "import { useState } from 'react';", 1],
])('%s with %s has %i', (file, source, expected) => {
  expect(faults(file, source)).toBe(expected);
});
