/** `window.Stripe`, as far as saving a card with the split card fields or a wallet needs it. Test keys and test cards only. */
import { showChallenge } from './dialogs.ts';
import { CardElement, Emitter } from './element.ts';
import { ExpressCheckoutElement, type PaymentMethodResult } from './express-checkout.ts';
import { request } from './frame-host.ts';
import { FIELDS, type FieldOptions, type FieldType, type TokenResult } from './protocol.ts';

const NOTICE = 'This card form is a sandbox. It accepts test card numbers only.';

const isFieldType = (type: unknown): type is FieldType =>
  typeof type === 'string' && Object.hasOwn(FIELDS, type);

/** The elements of one form, at most one of each type. */
class ElementsGroup extends Emitter {
  /** `crypto.randomUUID` needs https. */
  private readonly id = crypto.getRandomValues(new Uint32Array(4)).join('-');
  private readonly elements = new Map<FieldType, CardElement>();
  private wallet: ExpressCheckoutElement | null = null;

  /** @throws Error for an unsupported type, or a type that the form already has */
  create(type: string, options: FieldOptions = {}): CardElement | ExpressCheckoutElement {
    if (type === 'expressCheckout') return this.createWallet(options);
    if (!isFieldType(type))
      throw new Error(`A valid Element name must be provided; the sandbox does not support ${type}.`);
    if (this.elements.has(type)) throw new Error(`Can only create one Element of type ${type}.`);
    const element = new CardElement(type, this.id, options, () => this.elements.delete(type));
    this.elements.set(type, element);
    return element;
  }

  private createWallet(options: object): ExpressCheckoutElement {
    if (this.wallet) throw new Error('Can only create one Element of type expressCheckout.');
    this.wallet = new ExpressCheckoutElement(options, () => {
      this.wallet = null;
    });
    return this.wallet;
  }

  /** @param type an element's type, or its React component */
  getElement(type: unknown): CardElement | ExpressCheckoutElement | null {
    const name = Object(type).__elementType ?? type;
    if (name === 'expressCheckout') return this.wallet;
    return isFieldType(name) ? (this.elements.get(name) ?? null) : null;
  }

  /** @returns the number field, if `element` belongs to this form */
  numberOf(element: unknown): CardElement | undefined {
    const isOwn = [...this.elements.values()].some((own) => own === element);
    return isOwn ? this.elements.get('cardNumber') : undefined;
  }

  /** @throws Error without a wallet's element, the only one that the sandbox supports here */
  createPaymentMethod(key: string): Promise<PaymentMethodResult> {
    if (!this.wallet) throw new Error('createPaymentMethod needs an expressCheckout element in the sandbox.');
    return this.wallet.createPaymentMethod(key);
  }

  /** Form-wide options only style fields that the sandbox does not support. */
  update(_options: object): void {}

  fetchUpdates(): Promise<object> {
    return Promise.resolve({});
  }

  submit(): Promise<object> {
    return Promise.resolve({});
  }
}

function stringsOf(data: object): Record<string, string> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => typeof value === 'string'));
}

type Intent = { status: string; last_setup_error: object | null };
type IntentResult = { setupIntent: Intent } | { error: object };

function retrieveSetupIntent(key: string, clientSecret: string): Promise<IntentResult> {
  const id = clientSecret.split('_secret_')[0];
  const query = new URLSearchParams({ client_secret: clientSecret, key });
  return request<'setupIntent', Intent>('setupIntent', `/v1/setup_intents/${id}?${query}`);
}

/** @throws Error unless the setup intent requires an action */
async function handleNextAction(key: string, clientSecret: string): Promise<IntentResult> {
  const before = await retrieveSetupIntent(key, clientSecret);
  if ('error' in before) return before;
  if (before.setupIntent.status !== 'requires_action')
    throw new Error('handleNextAction: The SetupIntent supplied is not in the requires_action state.');
  await showChallenge(clientSecret);
  const after = await retrieveSetupIntent(key, clientSecret);
  if ('error' in after) return after;
  const { setupIntent } = after;
  if (setupIntent.last_setup_error === null) return after;
  return { error: { ...setupIntent.last_setup_error, setup_intent: setupIntent } };
}

function unsupported(method: string) {
  return () => Promise.reject(new Error(`stripe.${method}() is not supported by the sandbox.`));
}

/** Works with and without `new`, as Stripe.js does. */
function createStripe(key: unknown) {
  if (typeof key !== 'string' || !key.startsWith('pk_test_'))
    throw new Error('The sandbox needs a test publishable key: pk_test_….');
  const groups: ElementsGroup[] = [];
  return {
    elements(_options?: object): ElementsGroup {
      const group = new ElementsGroup();
      groups.push(group);
      return group;
    },
    /** @param element any field of the form @param data the cardholder's name and address */
    async createToken(element: unknown, data: object = {}): Promise<TokenResult> {
      const number = groups.map((group) => group.numberOf(element)).find((found) => found !== undefined);
      if (!number) throw new Error('createToken needs a card field of a form that has a cardNumber field.');
      return number.tokenize(key, stringsOf(data));
    },
    retrieveSetupIntent: (clientSecret: string) => retrieveSetupIntent(key, clientSecret),
    handleNextAction: ({ clientSecret }: { clientSecret: string }) => handleNextAction(key, clientSecret),
    async createPaymentMethod({ elements }: { elements?: unknown }): Promise<PaymentMethodResult> {
      if (elements instanceof ElementsGroup) return elements.createPaymentMethod(key);
      throw new Error('stripe.createPaymentMethod() needs elements in the sandbox.');
    },
    confirmCardPayment: unsupported('confirmCardPayment'),
    confirmCardSetup: unsupported('confirmCardSetup'),
    registerAppInfo(_info: object): void {},
    _registerWrapper(_wrapper: object): void {},
  };
}

Object.assign(window, {
  Stripe: Object.assign(createStripe, { version: 'endive', sandbox: { notice: NOTICE } }),
});
