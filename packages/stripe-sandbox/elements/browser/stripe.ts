/** `window.Stripe`, as far as saving a card in the split fields needs it. A stand-in: it takes test keys and test cards only. */
import { ElementsGroup } from './elements-group.ts';
import type { TokenResult } from './messages.ts';
import { notice } from './page-settings.ts';

function textsOf(data: object): Record<string, string> {
  const texts = Object.entries(data).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}

function notPartOfIt(method: string) {
  return () => Promise.reject(new Error(`stripe.${method}() is not part of the stand-in.`));
}

function createStripe(key: unknown) {
  if (typeof key !== 'string' || !key.startsWith('pk_test_'))
    throw new Error('The stand-in needs a test publishable key: pk_test_….');
  const groups: ElementsGroup[] = [];
  return {
    elements(_options?: object): ElementsGroup {
      const group = new ElementsGroup();
      groups.push(group);
      return group;
    },
    /** @param element any field of the form @param data name and address of the cardholder */
    async createToken(element: unknown, data: object = {}): Promise<TokenResult> {
      const number = groups.map((group) => group.numberOf(element)).find((found) => found !== undefined);
      if (!number)
        throw new Error('createToken needs a mounted card field of this page, and its form a cardNumber.');
      return number.tokenize(key, textsOf(data));
    },
    createPaymentMethod: notPartOfIt('createPaymentMethod'),
    confirmCardPayment: notPartOfIt('confirmCardPayment'),
    confirmCardSetup: notPartOfIt('confirmCardSetup'),
    registerAppInfo(_info: object): void {},
    _registerWrapper(_wrapper: object): void {},
  };
}

/** Works with and without `new`, as the provider's own does. */
function Stripe(key: unknown) {
  return createStripe(key);
}

Object.assign(window, {
  Stripe: Object.assign(Stripe, { version: 'endive', standIn: { isStandIn: true, notice } }),
});
