import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL, API_KEY, API_SECRET, CARD_TOKEN = 'tok_visa' } = process.env;
const isRetryable = (status) => [408, 409, 424, 429].includes(status) || status >= 500;

async function call(method, path, body) {
  const headers = { 'X-AUTH-APIKEY': API_KEY, 'X-AUTH-APISECRET': API_SECRET };
  if (body) headers['Content-Type'] = 'application/json';
  // One key per change, which its retries send again. You could use an order ID.
  if (method !== 'GET') headers['Idempotency-Key'] = crypto.randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    let response = null;
    let text = null;
    try {
      response = await fetch(BASE_URL + path, {
        method,
        headers,
        body: body && JSON.stringify(body),
        // Following a redirect would send the secret to another URL.
        redirect: 'manual',
        signal: AbortSignal.timeout(45_000),
      });
      // It can be lost too, after the change was made.
      text = await response.text();
    } catch (error) {
      if (attempt === 4) throw error;
    }
    if (text !== null && response.ok) return JSON.parse(text);
    if (text !== null && (attempt === 4 || !isRetryable(response.status))) {
      const error = errorOf(text);
      console.error(
        error?.type
          ? `${error.type}: ${error.message} (request ID ${error.request_id})`
          : `The service returned ${response.status}.`,
      );
      process.exit(1);
    }
    const seconds = Number(response?.headers.get('Retry-After')) || attempt;
    await sleep(seconds * 1000);
  }
}

/** A gateway's response is not JSON. */
function errorOf(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return null;
  }
}

const { payout } = await call('GET', '/api/schedule/v1/customers/payout');
console.log(`Balance due: ${payout.amount_cents} cents`);

const added = await call('POST', '/api/schedule/v1/payment/cards', { token: CARD_TOKEN });
if (added.status) {
  console.log(`Added ${added.card.brand} ending in ${added.card.last4}`);
  await call('DELETE', `/api/schedule/v1/payment/cards/${added.card.uuid}`);
  console.log('Removed the card');
} else {
  // The message is for the cardholder.
  console.log(`Not added: ${added.code}: ${added.message}`);
}
