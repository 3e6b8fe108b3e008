import type { BrowserContext, Page } from '@playwright/test';
import type { Database } from '#db/client.ts';
import type { CallApi, TestCustomer } from '../support/fixtures.ts';

/** A page and a new customer. */
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
  /** It covers the window, so the picture is of the window and not of the whole page. */
  isWindowOnly?: true;
  isWithoutJavaScript?: true;
};
