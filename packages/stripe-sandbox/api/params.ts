/** The form-encoded parameters of a v1 request by their flat names, such as `card[token]`. */
import { invalidParameter } from './errors.ts';

const METADATA_KEYS_MAX = 50;
const METADATA_KEY_LENGTH_MAX = 40;
const METADATA_VALUE_LENGTH_MAX = 500;

export class Params {
  private readonly values: ReadonlyMap<string, string>;

  constructor(encoded: string) {
    this.values = new Map(new URLSearchParams(encoded));
  }

  /** @throws StripeApiError 400 `parameter_unknown` unless every name is in `allowed`; `metadata[*]` allows any one key */
  refuseUnknown(allowed: readonly string[]): void {
    const unknown = [...this.values.keys()].filter(
      (name) => !allowed.some((pattern) => matches(pattern, name)),
    );
    if (unknown.length === 0) return;
    const names = [...new Set(unknown.map((name) => name.slice(0, 60)))];
    const message = `Received unknown ${names.length === 1 ? 'parameter' : 'parameters'}: ${names.join(', ')}`;
    throw invalidParameter(names[0] ?? '', message, 'parameter_unknown');
  }

  /** @returns undefined if the parameter is absent or empty */
  text(name: string): string | undefined {
    return this.values.get(name) || undefined;
  }

  /** @throws StripeApiError 400 `parameter_missing` */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined)
      throw invalidParameter(name, `Missing required param: ${name}.`, 'parameter_missing');
    return value;
  }

  /**
   * @returns undefined if the parameter is absent, null if it is empty
   * @throws StripeApiError 400 if the text is too long
   */
  change(name: string, lengthMax: number): string | null | undefined {
    const value = this.values.get(name);
    if (value === undefined) return undefined;
    if (value === '') return null;
    if (value.length <= lengthMax) return value;
    const excerpt = `${value.slice(0, 4)}...${value.slice(-4)}`;
    throw invalidParameter(name, `Invalid string: ${excerpt}; must be at most ${lengthMax} characters`);
  }

  /**
   * Stripe's SDK for Python sends `True` and `False`.
   * @throws StripeApiError 400 unless it is `true` or `false`
   */
  flag(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^(true|false)$/i.test(value)) throw invalidParameter(name, `Invalid boolean: ${value}`);
    return value.toLowerCase() === 'true';
  }

  /** @throws StripeApiError 400 `parameter_invalid_integer` */
  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^-?\d{1,9}$/.test(value))
      throw invalidParameter(name, `Invalid integer: ${value}`, 'parameter_invalid_integer');
    return Number(value);
  }

  /** @throws StripeApiError 400 unless the text is one of `choices` */
  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined)
      throw invalidParameter(name, `Invalid ${name}: must be one of ${choices.join(', ')}`);
    return choice;
  }

  /** @returns the values of a list sent as `name[]` or `name[0]`, `name[1]`… */
  list(name: string): string[] {
    return [...this.values].flatMap(([key, value]) =>
      key.startsWith(`${name}[`) && value !== '' ? [value] : [],
    );
  }

  /**
   * Reads `metadata[key]`. An empty value leaves its key out.
   * @throws StripeApiError 400 for too many keys, or a key or value that is too long. https://docs.stripe.com/metadata
   */
  metadata(): Record<string, string> {
    const metadata = new Map<string, string>();
    for (const [name, value] of this.values) {
      const key = /^metadata\[(.*)\]$/.exec(name)?.[1];
      if (key === undefined) continue;
      refuseLong('keys', 'key', key, METADATA_KEY_LENGTH_MAX);
      refuseLong('values', 'value', value, METADATA_VALUE_LENGTH_MAX);
      if (value !== '') metadata.set(key, value);
    }
    if (metadata.size > METADATA_KEYS_MAX)
      throw invalidParameter('metadata', `Metadata can have up to ${METADATA_KEYS_MAX} keys.`);
    return Object.fromEntries(metadata);
  }

  /** @returns all parameters, encoded and sorted by name, so that equal requests compare equal */
  sorted(): string {
    const sorted = new URLSearchParams([...this.values]);
    sorted.sort();
    return sorted.toString();
  }
}

function matches(pattern: string, name: string): boolean {
  if (!pattern.endsWith('[*]')) return pattern === name;
  const prefix = pattern.slice(0, -2);
  return name.startsWith(prefix) && /^[^[\]]*\]$/.test(name.slice(prefix.length));
}

function refuseLong(plural: string, noun: string, text: string, lengthMax: number): void {
  if (text.length <= lengthMax) return;
  const message = `Metadata ${plural} can have up to ${lengthMax} characters, but you passed in a ${noun} that is ${text.length} characters. Invalid ${noun}: ${text}`;
  throw invalidParameter('metadata', message);
}
