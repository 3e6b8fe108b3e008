import { Elements, ExpressCheckoutElement, useElements } from '@stripe/react-stripe-js';
import type { Stripe, StripeElementsOptions, StripeExpressCheckoutElementOptions } from '@stripe/stripe-js';
import { useState } from 'react';
import { type CreatedRequest, requestOfWallet } from './card-submission.ts';

const elementsOptions: StripeElementsOptions = {
  mode: 'setup',
  currency: 'usd',
  paymentMethodCreation: 'manual',
  allowedPaymentMethodTypes: ['card'],
};

type WalletButtonsProps = {
  stripe: Stripe;
  isBusy: boolean;
  /** Called with what the wallet confirmed. */
  onConfirm: (create: () => Promise<CreatedRequest>) => void;
};

/** Apple Pay and Google Pay, in browsers that offer them. Nothing otherwise. */
export function WalletButtons(props: WalletButtonsProps) {
  return (
    <Elements stripe={props.stripe} options={elementsOptions}>
      <Buttons {...props} />
    </Elements>
  );
}

function Buttons({ stripe, isBusy, onConfirm }: WalletButtonsProps) {
  const elements = useElements();
  const [options] = useState(buttonOptions);
  const [isOffered, setOffered] = useState(false);
  return (
    // Stripe.js needs the element in the page to learn what the browser offers. Out of the flow, it takes no space until then.
    <div className={isOffered ? 'grid gap-5' : 'invisible absolute inset-x-0 top-0'}>
      <ExpressCheckoutElement
        options={options}
        onReady={({ availablePaymentMethods: available }) =>
          setOffered(available !== undefined && (available.applePay || available.googlePay))
        }
        onClick={({ resolve, reject }) => (isBusy ? reject() : resolve())}
        onConfirm={({ paymentFailed }) =>
          onConfirm(async () => {
            const created = await requestOfWallet(stripe, elements);
            if ('rejected' in created) paymentFailed();
            return created;
          })
        }
      />
      {isOffered && (
        <p className="flex items-center gap-3 text-small text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          or
        </p>
      )}
    </div>
  );
}

function buttonOptions(): StripeExpressCheckoutElementOptions {
  const { theme } = document.documentElement.dataset;
  const isDark = theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  const buttonTheme = isDark ? 'white' : 'black';
  return {
    billingAddressRequired: true,
    buttonHeight: 44,
    buttonTheme: { applePay: buttonTheme, googlePay: buttonTheme },
    buttonType: { applePay: 'plain', googlePay: 'plain' },
    paymentMethods: { amazonPay: 'never', klarna: 'never', link: 'never', paypal: 'never' },
  };
}
