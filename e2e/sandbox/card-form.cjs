/** The test's page: Stripe's official packages with the sandbox's script. */
const React = require('react');
const { createRoot } = require('react-dom/client');
const { loadStripe } = require('@stripe/stripe-js/pure');
const {
  CardCvcElement,
  CardExpiryElement,
  CardNumberElement,
  Elements,
  useElements,
  useStripe,
} = require('@stripe/react-stripe-js');

const h = React.createElement;
const { sandboxOrigin, scriptPath, publishableKey } = document.body.dataset;
window.events = [];

function loadScript() {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = sandboxOrigin + scriptPath;
    script.onload = resolve;
    script.onerror = () => reject(new Error('The script did not load.'));
    document.head.append(script);
  });
}

const style = {
  base: {
    color: 'rgb(10, 20, 30)',
    fontSize: '18px',
    ':hover': { color: 'rgb(1, 2, 3)' },
    '::placeholder': { color: 'rgb(90, 90, 90)' },
  },
  invalid: { color: 'rgb(200, 0, 0)' },
  complete: { color: 'rgb(0, 100, 0)' },
};

function Field({ component, id, label, options }) {
  const note = (name) => (event) => window.events.push({ id, name, ...(name === 'change' ? event : {}) });
  return h(
    'p',
    null,
    h('label', { htmlFor: id }, label),
    h(component, {
      id,
      options,
      onReady: note('ready'),
      onChange: note('change'),
      onFocus: note('focus'),
      onBlur: note('blur'),
      onEscape: note('escape'),
    }),
  );
}

function Form() {
  const stripe = useStripe();
  const elements = useElements();
  const [result, setResult] = React.useState('');
  const [isDisabled, setDisabled] = React.useState(false);
  const [hasCode, setHasCode] = React.useState(true);
  const button = (name, onClick) => h('button', { type: 'button', onClick }, name);
  const options = { style, disabled: isDisabled };
  async function submit(event) {
    event.preventDefault();
    const field = elements.getElement(CardNumberElement);
    const data = { name: 'Ada Tester', address_country: 'US', address_zip: '94107' };
    setResult(JSON.stringify(await stripe.createToken(field, data)));
  }
  return h(
    'form',
    { onSubmit: submit },
    h(Field, { component: CardNumberElement, id: 'number', label: 'Number', options }),
    h(Field, { component: CardExpiryElement, id: 'expiry', label: 'Expiry', options }),
    hasCode &&
      h(Field, {
        component: CardCvcElement,
        id: 'cvc',
        label: 'Code',
        options: { ...options, placeholder: '123' },
      }),
    h('button', { type: 'submit', disabled: !stripe }, 'Get token'),
    button('Toggle fields', () => setDisabled(!isDisabled)),
    button('Clear number', () => elements.getElement('cardNumber').clear()),
    button('Add or drop code', () => setHasCode(!hasCode)),
    button('Unmount expiry', () => elements.getElement('cardExpiry').unmount()),
    button('Mount expiry', () => elements.getElement('cardExpiry').mount('#expiry')),
    h('output', null, result),
  );
}

function Page() {
  const [stripe, setStripe] = React.useState(null);
  const [isShown, setShown] = React.useState(true);
  React.useEffect(() => {
    loadScript().then(() => setStripe(loadStripe(publishableKey)));
  }, []);
  const toggle = h('button', { type: 'button', onClick: () => setShown(!isShown) }, 'Show or hide');
  return h(React.Fragment, null, isShown && h(Elements, { stripe }, h(Form)), toggle);
}

document.addEventListener('securitypolicyviolation', (event) =>
  window.events.push({ name: 'violation', directive: event.effectiveDirective, blocked: event.blockedURI }),
);
createRoot(document.getElementById('root')).render(h(React.StrictMode, null, h(Page)));
