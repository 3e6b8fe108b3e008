import { expect, it } from 'vitest';
import { forbiddenImports, importsOf } from './layers.ts';

const faults = (file: string, source: string) => forbiddenImports(file, importsOf(file, source)).length;

it.each([
  ['domain/cards.ts', "import { db } from '#db/client.ts';", 0],
  ['domain/cards.ts', "import { problem } from '#http/problem.ts';", 1],
  ['domain/deep/cards.ts', "import { problem } from '../../http/problem.ts';", 1],
  ['domain/cards.ts', "export { problem } from '#http/problem.ts';", 1],
  ['domain/cards.ts', "export * from '#http/problem.ts';", 1],
  ['domain/cards.ts', "const { problem } = await import('#http/problem.ts');", 1],
  ['domain/cards.ts', "// import { problem } from '#http/problem.ts';", 0],
  ['domain/cards.ts', "import { useState } from 'react';", 1],
  ['domain/cards.ts', "import { cookies } from 'next/headers';", 1],
  ['domain/cards.test.ts', "import { problem } from '#http/problem.ts';", 0],
  ['components/card.tsx', "import type { Card } from '#contract/card.ts';", 0],
  ['components/card.tsx', "import { type Card } from '#contract/card.ts';", 0],
  ['components/card.tsx', "import { card } from '#contract/card.ts';", 1],
  ['components/card.tsx', "import { useState } from 'react';", 0],
  ['components/card.tsx', "import type { Row } from '#db/schema/index.ts';", 1],
  ['app/page.tsx', "import { db } from '#db/client.ts';", 0],
  ['app/page.tsx', "import { find } from '#db/queries/cards.ts';", 1],
  ['app/page.tsx', "import { cardProvider } from '#payments/stripe.ts';", 1],
  ['app/api/cards/route.ts', "import { cardProvider } from '#payments/stripe.ts';", 0],
  ['sandbox/server.ts', "import { createServer } from 'node:http';", 0],
  ['sandbox/server.ts', "import { settings } from '#settings.ts';", 1],
  ['server/host.ts', "const next = await import('next');", 0],
  ['server/host.ts', "import { useState } from 'react';", 1],
])('%s with %s has %i', (file, source, expected) => {
  expect(faults(file, source)).toBe(expected);
});
