/**
 * Creates a token from the three fields of a form. The fields' frames share the sandbox's origin and read each other
 * directly, so card details do not pass through the page.
 */
import type { FieldReading } from './card-fields.ts';
import { request } from './frame-host.ts';
import type { FieldError, FieldType, TokenResult } from './protocol.ts';

/** What a frame exposes to its sibling frames. */
type CardField = {
  type: FieldType;
  group: string;
  read(): FieldReading;
  /** Shows the field's error if it is incomplete. @returns the error, or undefined if the field is complete */
  refuseUnfinished(): FieldError | undefined;
  brandChanged(): void;
};

declare global {
  interface Window {
    sandboxCardField?: CardField;
  }
}

export function siblingField(group: string, type: FieldType): CardField | undefined {
  for (let index = 0; index < window.parent.length; index += 1) {
    const field = fieldIn(window.parent[index]);
    if (field?.group === group && field.type === type) return field;
  }
  return undefined;
}

function fieldIn(frame: Window | undefined): CardField | undefined {
  try {
    return frame?.sandboxCardField;
  } catch {
    // The browser throws for a frame of another origin.
    return undefined;
  }
}

const ORDER: FieldType[] = ['cardNumber', 'cardExpiry', 'cardCvc'];
const DATA_FIELDS = [
  ...['name', 'currency', 'address_line1', 'address_line2', 'address_city', 'address_state'],
  ...['address_zip', 'address_country'],
];

/** @param data the cardholder's name and address, from the page */
export async function tokenize(
  group: string,
  key: string,
  data: Record<string, string>,
): Promise<TokenResult> {
  const [number, expiry, cvc] = ORDER.map((type) => siblingField(group, type));
  const errors = [number, expiry, cvc].map((field) => field?.refuseUnfinished());
  const error = errors.find((found) => found !== undefined);
  if (error) return { error };
  const body = new URLSearchParams({ key });
  const put = (name: string, value: string | undefined) => value && body.set(`card[${name}]`, value);
  put('number', number?.read().digits);
  put('cvc', cvc?.read().digits);
  put('exp_month', expiry?.read().digits.slice(0, 2));
  put('exp_year', expiry?.read().digits.slice(2));
  for (const name of DATA_FIELDS) put(name, data[name]);
  const message = "We couldn't reach the payment processor. Check your connection and try again.";
  return request('token', '/v1/tokens', body, message);
}
