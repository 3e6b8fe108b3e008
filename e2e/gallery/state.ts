import type { BrowserContext, Page } from '@playwright/test';
import type { Database } from '#db/client.ts';
import type { CallApi, ClientOf, TestCustomer } from '../support/fixtures.ts';

/** A page and a new customer. */
export type Stage = {
  page: Page;
  context: BrowserContext;
  db: Database;
  api: CallApi;
  clientOf: ClientOf;
  customer: TestCustomer;
};

/** Its steps are taken in the order of its properties. */
export type State = {
  name: string;
  prepare?: (stage: Stage) => Promise<unknown>;
  /** The path of the page that opens after the customer of the demo has signed in. */
  demo?: string;
  /** The same for the new customer. */
  open?: string;
  reach?: (stage: Stage) => Promise<unknown>;
  /** It covers the window, so the picture is of the window and not of the whole page. */
  isWindowOnly?: true;
  isWithoutJavaScript?: true;
};

/** For a page whose clock may stop. */
export const installClock = ({ page }: Stage) => page.clock.install();

/** What disappears after a while is in every picture. */
export const stopClock = (page: Page) => page.clock.pauseAt(Date.now() + 1_000);
