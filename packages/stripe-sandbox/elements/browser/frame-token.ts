/** Asks the stand-in's API for a token. The card's details go from the frames to their own origin, past the page. */
import { siblingField } from './frame-fields.ts';
import type { FieldType, TokenResult } from './messages.ts';

const ORDER: FieldType[] = ['cardNumber', 'cardExpiry', 'cardCvc'];
const DATA_FIELDS = [
  ...['name', 'currency', 'address_line1', 'address_line2', 'address_city', 'address_state'],
  ...['address_zip', 'address_country'],
];

/** @param data name and address, from the page @returns the token, or what is wrong */
export async function tokenize(
  group: string,
  key: string,
  data: Record<string, string>,
): Promise<TokenResult> {
  const [number, expiry, cvc] = ORDER.map((type) => siblingField(group, type));
  const errors = [number, expiry, cvc].map((field) => field?.refuseUnfinished());
  const error = errors.find((found) => found !== undefined);
  if (error) return { error };
  const body = new URLSearchParams();
  const put = (name: string, value: string | undefined) => value && body.set(`card[${name}]`, value);
  put('number', number?.read().digits);
  put('cvc', cvc?.read().digits);
  put('exp_month', expiry?.read().digits.slice(0, 2));
  put('exp_year', expiry?.read().digits.slice(2));
  for (const name of DATA_FIELDS) put(name, data[name]);
  return post(key, body);
}

const ANSWER_TIMEOUT_MS = 30_000;

async function post(key: string, body: URLSearchParams): Promise<TokenResult> {
  try {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch('/v1/tokens', {
      method: 'POST',
      headers,
      body,
      credentials: 'omit',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const answer = await response.json();
    return response.ok ? { token: answer } : { error: answer.error };
  } catch {
    const message = 'The card service could not be reached. Check your connection and try again.';
    return { error: { type: 'api_connection_error', message } };
  }
}
