// Made by `npm run client:generate` from the OpenAPI document. Not to be edited.

export type AddCardRequest = {
  card: CardInput;
  /** Made by the card-payment provider's library in the browser. */
  token: string;
};

/** What you know of the card. What the provider says of it wins; this fills what it does not know. */
export type CardInput = {
  last4?: string;
  brand?: string;
  funding?: string;
  addressCountry?: string;
  addressZip?: string;
  isApplePayCard?: boolean;
  expMonth?: string;
  expYear?: string;
};

export type CustomerResponse = {
  customer: Customer;
};

export type Customer = {
  id: number;
  username: string;
  email: string;
  /** True only while `status` is `Active`. */
  is_active: boolean;
  status: "Active" | "Inactive" | "Suspended";
  is_email_confirmed: boolean;
  /** Address of the last browser sign-in; `127.0.0.1` before any. */
  client_ip: string;
  /** ISO 8601 with a numeric offset. */
  created_at: string;
  /** ISO 8601 with a numeric offset. */
  updated_at: string;
  api_key: string;
  first_name: string;
  last_name: string;
  /** Business or display name. */
  name: string;
  /** Telephone country code, digits only. */
  country_code: string;
  phone: string;
  roles: Array<string>;
  profile_type: "Business" | "Personal";
  cards: Array<CardObject>;
  city: City;
};

/** A card on file. A text that is not known is `null`. */
export type CardObject = {
  /** Identifier of the card; `uuid` works in its place. */
  id: number;
  /** Selects the card when you remove it. */
  uuid: string;
  /** The number's last digits. */
  last4: string | null;
  /** The network. */
  brand: "visa" | "mastercard" | "amex" | "discover" | "diners" | "jcb" | "unionpay" | "unknown";
  /** `credit`, `debit`, `prepaid` or `unknown`. */
  funding: string | null;
  /** Country of the billing address, two letters. */
  addressCountry: string | null;
  /** Postal code of the billing address. */
  addressZip: string | null;
  /** True for a card of an Apple Pay wallet. */
  isApplePayCard: boolean;
  expMonth: string | null;
  expYear: string | null;
  /** ISO 8601 with a numeric offset. */
  createdAt: string;
};

export type City = {
  id: number;
  name: string;
  slug: string;
  /** US dollars. */
  base_price: number;
  /** A JSON document in a string: `{"items":[{"mile":number,"amount":number},…]}`. A delivery costs `base_price` plus the `amount` of the first item whose `mile` is at least the distance. */
  delivery_prices: string;
  /** Decimal degrees. */
  latitude: string;
  /** Decimal degrees. */
  longitude: string;
  county_name: string;
  /** IANA name. */
  timezone: string;
  is_active: boolean;
  is_discharge_single_ride_active: boolean;
  /** A JSON document in a string: `[[latitude,longitude],…]`, the last pair repeating the first. */
  polygon_points: string;
  /** Miles. */
  return_ride_limit_on_mile: number;
  is_flat_app_active: boolean;
  is_places_app_active: boolean;
  is_delivery_app_active: boolean;
};

export type Error = {
  error: {
    /** The HTTP status. */
    code: number;
    message: string;
    /** With a 400: which parameters, and what is wrong with each. */
    details?: Array<{
      param: string;
      message: string;
    }>;
  };
};

export type PayoutResponse = {
  payout: Payout;
};

export type Payout = {
  /** US dollars to pay at the end of the current month. */
  amount: number;
  /** The same in cents: use this one to calculate. */
  amount_cents: number;
  /** There when the balance is in your favour: then `amount` is 0. */
  credit_cents?: number;
  currency: "USD";
  /** First instant of this month in the city's zone. */
  period_start: string;
  /** First instant of the next month in the city's zone. */
  period_end: string;
  /** The city's zone, an IANA name. */
  timezone: string;
};

/** Check `status`: a refused card is answered with HTTP 200 too. */
export type AddCardResponse = {
  status: true;
  message: string;
  card: CardObject;
} | {
  status: false;
  /** What happened and what to do, for the person whose card it is. */
  message: string;
  code: string;
  card: null;
};

export type RemoveCardResponse = {
  status: true;
  message: string;
};
