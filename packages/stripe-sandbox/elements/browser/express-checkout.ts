/** The Express Checkout Element with a test wallet, which is offered in pages that ask for it. */
import { showWalletSheet, type WalletCard, walletButton } from './dialogs.ts';
import { Emitter } from './element.ts';
import { hostOf, request } from './frame-host.ts';

const elementType = 'expressCheckout';

type Options = { buttonHeight?: number; buttonTheme?: { applePay?: string } };

export type PaymentMethodResult = { paymentMethod: object } | { error: object };

/** The switch of tests and curious people, in the storage of the page. */
function isWalletOffered(): boolean {
  try {
    return localStorage.getItem('sandboxWallet') === 'on';
  } catch {
    return false;
  }
}

export class ExpressCheckoutElement extends Emitter {
  private readonly options: Options;
  private readonly whenDestroyed: () => void;
  private host: HTMLElement | undefined;
  private card: WalletCard | null = null;

  constructor(options: Options, whenDestroyed: () => void) {
    super();
    this.options = options;
    this.whenDestroyed = whenDestroyed;
  }

  mount(target: string | HTMLElement): void {
    const host = hostOf(target);
    this.host = host;
    const isOffered = isWalletOffered();
    if (isOffered) host.replaceChildren(this.button());
    const others = { amazonPay: false, link: false, paypal: false, klarna: false };
    const availablePaymentMethods = isOffered ? { applePay: true, googlePay: true, ...others } : undefined;
    setTimeout(() => {
      if (this.host === host) this.emit('ready', { elementType, availablePaymentMethods });
    });
  }

  unmount(): void {
    this.host?.replaceChildren();
    this.host = undefined;
  }

  destroy(): void {
    this.unmount();
    this.whenDestroyed();
  }

  update(_options: object): void {}

  /** Called after `confirm`. */
  async createPaymentMethod(key: string): Promise<PaymentMethodResult> {
    if (!this.card) throw new Error('createPaymentMethod works after the confirm event only.');
    const body = new URLSearchParams({
      ...{ key, type: 'card', 'card[token]': this.card.token, 'billing_details[name]': 'Ada Tester' },
      ...{ 'billing_details[address][country]': 'US', 'billing_details[address][postal_code]': '94107' },
    });
    this.card = null;
    return request('paymentMethod', '/v1/payment_methods', body);
  }

  private button(): HTMLButtonElement {
    const button = walletButton('Test wallet', () => this.clicked());
    const isWhite = this.options.buttonTheme?.applePay === 'white';
    Object.assign(button.style, {
      ...{ marginTop: '0', border: '0', minHeight: `${this.options.buttonHeight ?? 44}px` },
      ...(isWhite ? { background: '#fff', color: '#000' } : { background: '#000', color: '#fff' }),
    });
    return button;
  }

  /** The page decides whether the wallet opens, if it listens. */
  private clicked(): void {
    const resolve = () => void this.open();
    if (this.has('click'))
      this.emit('click', { elementType, expressPaymentType: 'apple_pay', resolve, reject: () => undefined });
    else resolve();
  }

  private async open(): Promise<void> {
    this.card = await showWalletSheet();
    if (this.card)
      this.emit('confirm', { expressPaymentType: this.card.type, paymentFailed: () => undefined });
    else this.emit('cancel', { elementType });
  }
}
