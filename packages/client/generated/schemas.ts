// Generated from the OpenAPI document by `npm run client:generate`. Do not edit.

export type AddCardRequest = {
  card: CardInput;
  /** Made by the card-payment provider's library in the browser. */
  token: string;
};

/** What you know of the card. What the provider says of it wins; this fills what it does not know. */
export type CardInput = {
  /** The number's last digits. */
  last4?: string;
  /** The network, such as `visa`. */
  brand?: string;
  /** `credit`, `debit` or `prepaid`. */
  funding?: string;
  /** Country of the billing address, such as `US`. */
  addressCountry?: string;
  /** Postal code of the billing address. */
  addressZip?: string;
  /** True for a card of an Apple Pay wallet. */
  isApplePayCard?: boolean;
  /** Month of the expiry. */
  expMonth?: string;
  /** Year of the expiry. */
  expYear?: string;
};

export type CustomerResponse = {
  customer: Customer;
};

/** The customer whose key it is. */
export type Customer = {
  /** Identifier of the customer. */
  id: number;
  /** Name of the account, unique. */
  username: string;
  /** Where the operator writes to. */
  email: string;
  /** True only while `status` is `Active`. */
  is_active: boolean;
  /** Set by the operator. */
  status: "Active" | "Inactive" | "Suspended";
  /** Whether the e-mail address was confirmed. */
  is_email_confirmed: boolean;
  /** Address of the last browser sign-in; `127.0.0.1` before any. */
  client_ip: string;
  /** ISO 8601 with a numeric offset. */
  created_at: string;
  /** ISO 8601 with a numeric offset. */
  updated_at: string;
  /** The key of `X-AUTH-APIKEY`. The secret is never shown. */
  api_key: string;
  /** Of the person behind the account. */
  first_name: string;
  /** Of the person behind the account. */
  last_name: string;
  /** Business or display name. */
  name: string;
  /** Telephone country code, digits only. */
  country_code: string;
  /** Telephone number, as it was given. */
  phone: string;
  /** Holds `ROLE_CUSTOMER`. */
  roles: Array<string>;
  /** What kind of customer it is. */
  profile_type: "Business" | "Personal";
  /** The cards on file. */
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
  /** Month of the expiry. */
  expMonth: string | null;
  /** Year of the expiry. */
  expYear: string | null;
  /** ISO 8601 with a numeric offset. */
  createdAt: string;
};

/** Where the customer’s deliveries go, and at which price. */
export type City = {
  /** Identifier of the city. */
  id: number;
  /** Display name. */
  name: string;
  /** Short name, unique, for programs. */
  slug: string;
  /** Price of a delivery before its distance counts, in US dollars. */
  base_price: number;
  /** A JSON document in a string: `{"items":[{"mile":number,"amount":number},…]}`. A delivery costs `base_price` plus the `amount` of the first item whose `mile` is at least the distance: miles and US dollars. */
  delivery_prices: string;
  /** Of the center, in decimal degrees. */
  latitude: string;
  /** Of the center, in decimal degrees. */
  longitude: string;
  /** The county it is in. */
  county_name: string;
  /** IANA name of the zone that months are counted in. */
  timezone: string;
  /** Whether deliveries are offered in this city. */
  is_active: boolean;
  /** Whether the operator has switched discharging of single rides on here. */
  is_discharge_single_ride_active: boolean;
  /** A JSON document in a string: `[[latitude,longitude],…]`, the last pair repeating the first, in decimal degrees: the area that is served. */
  polygon_points: string;
  /** How far a return ride may be, in miles. */
  return_ride_limit_on_mile: number;
  /** Whether the operator has switched the flat app on here. */
  is_flat_app_active: boolean;
  /** Whether the operator has switched the places app on here. */
  is_places_app_active: boolean;
  /** Whether the operator has switched the delivery app on here. */
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

/** What is to be paid at the end of the current month. */
export type Payout = {
  /** US dollars to pay at the end of the current month. */
  amount: number;
  /** The same in cents: use this one to calculate. */
  amount_cents: number;
  /** Cents in your favor, there when the balance is under zero: then `amount` is 0. */
  credit_cents?: number;
  /** US dollars, always. */
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
  /** The card was added. */
  status: true;
  /** Always the same words. */
  message: string;
  card: CardObject;
} | {
  /** The card was refused: nothing was added. */
  status: false;
  /** What happened and what to do, for the person whose card it is. */
  message: string;
  /** Why, for your program: see the refused cards in the catalog of errors. */
  code: string;
  /** There is none. */
  card: null;
};

export type RemoveCardResponse = {
  /** The card was removed. */
  status: true;
  /** Always the same words. */
  message: string;
};
