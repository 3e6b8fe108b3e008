// Generated from the OpenAPI document by `npm run client:generate`. Do not edit.

export type AddCardRequest = {
  /** What you know about the card. */
  card?: CardInput | null;
  /** Created in the browser with Stripe.js and this service’s publishable key. */
  token: string;
};

/** What you know about the card. The payment provider’s values take precedence, and yours fill in what it doesn’t know. You can omit every field or send `null`, and you can send a CardObject. */
export type CardInput = {
  /** The last four digits of the card number. */
  last4?: string | null;
  /** The card network, such as `visa`. */
  brand?: string | null;
  /** `credit`, `debit`, or `prepaid`. */
  funding?: string | null;
  /** The country of the billing address, such as `US`. */
  addressCountry?: string | null;
  /** The postal code of the billing address. */
  addressZip?: string | null;
  /** Whether the card comes from an Apple Pay wallet. The payment provider knows this, so its value is used. */
  isApplePayCard?: boolean | null;
  /** The expiration month. */
  expMonth?: string | number | null;
  /** The expiration year. */
  expYear?: string | number | number | null;
};

export type CustomerResponse = {
  customer: Customer;
};

/** The customer that the API key belongs to. */
export type Customer = {
  /** The customer’s ID. */
  id: number;
  /** The unique name of the account. */
  username: string;
  /** The email address of the account. */
  email: string;
  /** True only while `status` is `Active`, so always true in a response. */
  is_active: boolean;
  /** The status of the account. Only active accounts can call the API. */
  status: "Active" | "Inactive" | "Suspended" | (string & {});
  /** Whether the email address was confirmed. */
  is_email_confirmed: boolean;
  /** The IP address of the last browser sign-in, or `127.0.0.1` if there was none. */
  client_ip: string;
  /** ISO 8601 with a numeric offset. */
  created_at: string;
  /** ISO 8601 with a numeric offset. */
  updated_at: string;
  /** The API key for `X-AUTH-APIKEY`. The secret is not included. */
  api_key: string;
  /** The first name of the account holder. */
  first_name: string;
  /** The last name of the account holder. */
  last_name: string;
  /** The business name or display name. */
  name: string;
  /** The country code of the phone number, digits only. */
  country_code: string;
  /** The phone number, as it was provided. */
  phone: string;
  /** Contains `ROLE_CUSTOMER`. */
  roles: Array<string>;
  /** The type of customer. */
  profile_type: "Business" | "Personal" | (string & {});
  /** The cards on file. */
  cards: Array<CardObject>;
  city: City;
};

/** A card on file. An unknown value is `null`. */
export type CardObject = {
  /** The card’s ID. You can use `uuid` instead. */
  id: number;
  /** The card’s UUID, which you use to remove the card. */
  uuid: string;
  /** The last four digits of the card number. */
  last4: string | null;
  /** The card network. */
  brand: "visa" | "mastercard" | "amex" | "discover" | "diners" | "jcb" | "unionpay" | "unknown" | (string & {});
  /** `credit`, `debit`, `prepaid`, or `unknown`. */
  funding: string | null;
  /** The country of the billing address, usually a two-letter code. */
  addressCountry: string | null;
  /** The postal code of the billing address. */
  addressZip: string | null;
  /** Whether the card comes from an Apple Pay wallet. */
  isApplePayCard: boolean;
  /** The expiration month. */
  expMonth: string | null;
  /** The expiration year. */
  expYear: string | null;
  /** Whether this is the default card for payments: the newest card that hasn’t expired, by the month in the city’s time zone. */
  isDefault: boolean;
  /** ISO 8601 with a numeric offset. */
  createdAt: string;
};

/** The city that the customer’s deliveries are in, with its prices and service area. */
export type City = {
  /** The city’s ID. */
  id: number;
  /** The display name. */
  name: string;
  /** A unique short name for use in programs. */
  slug: string;
  /** The price of a delivery before the charge for distance, in US dollars. */
  base_price: number;
  /** A JSON document in a string: `{"items":[{"mile":number,"amount":number},…]}`. A delivery costs `base_price` plus the `amount` (US dollars) of the first item whose `mile` is at least the distance in miles. */
  delivery_prices: string;
  /** The latitude of the center, in decimal degrees. */
  latitude: string;
  /** The longitude of the center, in decimal degrees. */
  longitude: string;
  /** The county of the city. */
  county_name: string;
  /** The IANA name of the city’s time zone, which determines when a month starts and ends. */
  timezone: string;
  /** Whether deliveries are available in this city. */
  is_active: boolean;
  /** Whether discharging of single rides is enabled in this city. */
  is_discharge_single_ride_active: boolean;
  /** The service area as a JSON document in a string: `[[latitude,longitude],…]` in decimal degrees. The last pair repeats the first. */
  polygon_points: string;
  /** The maximum distance of a return ride, in miles. */
  return_ride_limit_on_mile: number;
  /** Whether the flat app is enabled in this city. */
  is_flat_app_active: boolean;
  /** Whether the places app is enabled in this city. */
  is_places_app_active: boolean;
  /** Whether the delivery app is enabled in this city. */
  is_delivery_app_active: boolean;
};

export type ErrorResponse = {
  error: {
    /** The HTTP status. */
    code: number;
    /** What happened, for your developers. The wording can change. */
    message: string;
    /** The error, for your program. The errors page lists all types, and new ones can be added. */
    type: string;
    /** The cause of the error and how to fix it. */
    doc_url: string;
    /** Include it when you contact support. In a replay, this is the ID of the first request. */
    request_id: string;
    /** For a 400: the invalid parameters and what is wrong with each. */
    details?: Array<{
      param: string;
      message: string;
    }>;
  };
};

export type PayoutResponse = {
  payout: Payout;
};

/** The balance you owe at the end of the current month. */
export type Payout = {
  /** The balance due at the end of the current month, in US dollars. */
  amount: number;
  /** The same amount in cents. Use it for calculations. */
  amount_cents: number;
  /** Your credit in cents. Present only if the balance is negative, in which case `amount` is 0. */
  credit_cents?: number;
  /** Always US dollars. */
  currency: "USD";
  /** The start of the current month in the city’s time zone. */
  period_start: string;
  /** The start of the next month in the city’s time zone. */
  period_end: string;
  /** The IANA name of the city’s time zone. */
  timezone: string;
};

/** Check `status`, because a declined card also returns HTTP 200. */
export type AddCardResponse = {
  /** The card was added. */
  status: true;
  /** A fixed message. */
  message: string;
  card: CardObject;
  /** The UUID of the card that was replaced, if the new card has the same number. */
  replaced?: string;
} | {
  /** The card was not added. */
  status: false;
  /** What happened and what to do, for the cardholder. */
  message: string;
  /** The reason, for your program. The errors page lists all codes. */
  code: string;
  /** Always `null`. */
  card: null;
  next_action?: NextAction;
};

/** Only with the code `authentication_required`. The outcome isn’t final. */
export type NextAction = {
  /** What the cardholder must do. Currently always `authenticate`. */
  type: string;
  /** For `stripe.handleNextAction({ clientSecret })` in the cardholder’s browser. */
  client_secret: string;
};

export type RemoveCardResponse = {
  /** The card was removed. */
  status: true;
  /** A fixed message. */
  message: string;
};
