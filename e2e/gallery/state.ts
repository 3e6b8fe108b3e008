import type { BrowserContext, Page } from '@playwright/test';
import type { Database } from '#db/client.ts';
import type { CallApi, TestCustomer } from '../support/fixtures.ts';

/** What a state is reached with: a page, and a customer nobody else has. */
export type Stage = {
  page: Page;
  context: BrowserContext;
  db: Database;
  api: CallApi;
  customer: TestCustomer;
};

export type State = {
  name: string;
  reach: (stage: Stage) => Promise<void>;
  /** It stands over the page, which is then not drawn along its whole length. */
  isWindowOnly?: true;
  /** Without JavaScript. */
  isWithoutScripts?: true;
};
