/** The form-encoded parameters of a v1 request by their flat names, such as `card[token]`. */
import { invalidParameter, missingParameter, unknownParameters } from './errors.ts';

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
    if (unknown.length > 0) throw unknownParameters([...new Set(unknown.map(nameForMessage))]);
  }

  /** @returns undefined if the parameter is absent or empty */
  text(name: string): string | undefined {
    return this.values.get(name) || undefined;
  }

  /** @throws StripeApiError 400 `parameter_missing` */
  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw missingParameter(name);
    return value;
  }

  /** @throws StripeApiError 400 unless it is `true` or `false` */
  flag(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (value !== 'true' && value !== 'false') throw invalidParameter(name, `Invalid boolean: ${value}`);
    return value === 'true';
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

  /** @returns the entries of `name[key]`, such as metadata */
  entries(name: string): Record<string, string> {
    const prefix = `${name}[`;
    const matching = [...this.values].filter(([key, value]) => key.startsWith(prefix) && value !== '');
    return Object.fromEntries(matching.map(([key, value]) => [key.slice(prefix.length, -1), value]));
  }

  /** @returns the values of a list sent as `name[]` or `name[0]`, `name[1]`… */
  list(name: string): string[] {
    return Object.values(this.entries(name));
  }

  /** @returns all parameters sorted by name, so that equal requests compare equal */
  sorted(): [string, string][] {
    return [...this.values].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

function matches(pattern: string, name: string): boolean {
  if (!pattern.endsWith('[*]')) return pattern === name;
  const prefix = pattern.slice(0, -2);
  return name.startsWith(prefix) && /^[^[\]]*\]$/.test(name.slice(prefix.length));
}

const nameForMessage = (name: string) => name.slice(0, 60);
