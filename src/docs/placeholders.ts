import { getPayout } from '#src/api/operations/get-payout.ts';
import { clientPackage } from '#src/client-package.ts';
import { contactHref } from '#src/contact-href.ts';
import type { Settings } from '#src/settings.ts';
import { stripeJs } from '#src/stripe-js.ts';
import { errorPlaceholders } from './errors.ts';
import { escapeMarkdown, jsonBlock } from './markdown.ts';
import { operationsTable } from './operation.ts';
import { quickstartPlaceholders } from './quickstarts.ts';
import { codeSamples } from './samples.ts';

/** What a guide may contain as `{{name}}`. */
export function placeholderValues(settings: Settings): Record<string, string> {
  return {
    serviceName: escapeMarkdown(settings.SERVICE_NAME),
    supportContact: supportContact(settings),
    baseUrl: settings.publicUrl,
    clientPackage,
    operations: operationsTable(),
    payoutSamples: codeSamples(getPayout, settings.publicUrl),
    payoutExample: jsonBlock('Response', getPayout.response.examples?.payout?.value),
    requestsPerMinute: formatCount(settings.LIMIT_REQUESTS_PER_MINUTE),
    requestsPerMinuteDigits: String(settings.LIMIT_REQUESTS_PER_MINUTE),
    rateLimitPolicy: `"requests";q=${settings.LIMIT_REQUESTS_PER_MINUTE};w=60`,
    failedAuthPerKey: formatCount(settings.LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS),
    failedAuthPerAddress: formatCount(settings.LIMIT_FAILED_AUTH_PER_ADDRESS),
    failedAuthMinutes: String(settings.LIMIT_FAILED_AUTH_WINDOW_SECONDS / 60),
    declinesPerHour: formatCount(settings.LIMIT_DECLINES_PER_HOUR),
    newCardsPerHour: formatCount(settings.LIMIT_NEW_CARDS_PER_HOUR),
    paymentsMode: paymentsMode(settings),
    ...stripePlaceholders(settings),
    ...errorPlaceholders(),
    ...quickstartPlaceholders(),
  };
}

/** @throws Error if the text contains a placeholder that has no value */
export function fillPlaceholders(text: string, values: Record<string, string>): string {
  return text.replace(/\{\{(.*?)\}\}/g, (_placeholder, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new Error(`Unknown placeholder: {{${name}}}`);
    return value;
  });
}

/** `100,000` */
const formatCount = (count: number) => count.toLocaleString('en-US');

/** The support contact, as a link if it is an email address or a URL. */
function supportContact({ SUPPORT_CONTACT }: Settings): string {
  const href = contactHref(SUPPORT_CONTACT);
  const text = escapeMarkdown(SUPPORT_CONTACT);
  return href ? `[${text}](${href})` : text;
}

function paymentsMode({ mode }: Settings): string {
  if (mode === 'live') return 'This service uses live keys, so test numbers and test tokens don’t work here.';
  if (mode === 'sandbox')
    return 'This service uses the sandbox, a local simulation of the payment provider. No bank is contacted and no money moves.';
  return 'This service uses the payment provider’s test keys. No bank is contacted and no money moves.';
}

function stripePlaceholders({ STRIPE_PUBLISHABLE_KEY, publicUrl, sandboxPort, mode }: Settings) {
  const isSandbox = mode === 'sandbox';
  const { url, script, connect, frame } = stripeJs(
    isSandbox ? `http://${new URL(publicUrl).hostname}:${sandboxPort}` : null,
  );
  return {
    publishableKey: STRIPE_PUBLISHABLE_KEY ?? 'pk_test_…',
    stripeJsUrl: url,
    stripeScriptSources: script.join(' '),
    stripeConnectSources: connect.join(' '),
    stripeFrameSources: frame.join(' '),
    stripeJsNote: isSandbox
      ? 'On this deployment, the sandbox replaces Stripe.js. You can use it on any page at `localhost` or `127.0.0.1`, with any port. Elsewhere, this guide shows the URL of Stripe.js and another publishable key, so keep both in your configuration.'
      : 'The publishable key is different on every deployment, so keep it in your configuration.',
    testCardNote:
      mode === 'live'
        ? 'This service uses live keys, so add a real card and remove it afterward.'
        : 'Enter a [test card](/docs/sandbox) such as `4242 4242 4242 4242`, with any future date, any CVC, and any ZIP code.',
    cardTokenNote:
      mode === 'live'
        ? 'This service uses live keys, so `tok_visa` doesn’t work here. Set `CARD_TOKEN` to the token of a real card from [your own card form](/docs/collect-a-card).'
        : 'To see a declined card, set `CARD_TOKEN` to a [test token](/docs/sandbox) such as `tok_visa_chargeDeclined`.',
  };
}
