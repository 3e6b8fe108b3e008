import fc from 'fast-check';
import type { JsonSchema } from '#src/api/openapi.ts';
import type { ApiDocument } from '#src/docs/document.ts';

/** Tokens of accepted and declined cards. */
const knownTokens = [
  'tok_visa',
  'tok_mastercard',
  'tok_amex',
  'pm_card_visa',
  'tok_visa_chargeDeclined',
  'tok_chargeDeclinedExpiredCard',
  'tok_chargeDeclinedIncorrectCvc',
  'tok_threeDSecure2Required',
];

/** Texts that often break services. */
export const hostileText = fc.oneof(
  fc.constantFrom(
    "'; DROP TABLE cards; --",
    '<script>alert(1)</script>',
    '{{7*7}}#{7*7}',
    '../../../../etc/passwd',
    '\u0000',
    '\u202e\u0301😀',
    '\ud800',
    '4242 4242 4242 4242',
    '__proto__',
    'constructor',
    '1e309',
    '-0',
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ maxLength: 60 }),
);

const anything = fc.oneof(
  hostileText,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Values that a schema of the document allows. */
export function validValue(schema: JsonSchema, served: ApiDocument): fc.Arbitrary<unknown> {
  if (schema.$ref)
    return validValue(served.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, served);
  if (schema.type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).map(
      ([name, field]): [string, fc.Arbitrary<unknown>] => [
        name,
        name === 'token'
          ? fc.oneof(fc.constantFrom(...knownTokens), validValue(field, served))
          : validValue(field, served),
      ],
    );
    const all: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields);
    return fc.record(all, { requiredKeys: schema.required ?? [] });
  }
  if (schema.type === 'boolean') return fc.boolean();
  const lengthMax = schema.maxLength ?? 60;
  // `stringMatching` does not support Unicode classes.
  if (schema.pattern?.includes('\\x7f-\\x9f')) return fc.string({ unit: 'grapheme-composite', maxLength: 8 });
  if (schema.pattern)
    return fc.stringMatching(new RegExp(schema.pattern)).map((text) => text.slice(0, lengthMax));
  return fc.string({ maxLength: lengthMax });
}

/** A valid body with one changed field. */
function nearlyValid(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const fields = fc.constantFrom(
    'token',
    'card',
    'card.last4',
    'card.expMonth',
    'card.isApplePayCard',
    'extra',
    'card.x',
  );
  return fc.tuple(valid, fields, fc.option(anything)).map(([body, field, value]) => {
    const copy = structuredClone(body) as Record<string, unknown>;
    const [outer = '', inner] = field.split('.');
    const target = inner ? { ...(copy[outer] as object) } : copy;
    Object.assign(target, { [inner ?? outer]: value ?? undefined });
    if (inner) copy[outer] = target;
    return copy;
  });
}

/** Bodies as bytes: valid, nearly valid, and hostile. */
export function bodies(schema: JsonSchema, served: ApiDocument): fc.Arbitrary<Buffer> {
  const valid = validValue(schema, served);
  const json = (value: fc.Arbitrary<unknown>) =>
    value.map((inner) => Buffer.from(JSON.stringify(inner) ?? ''));
  const broken = fc
    .tuple(json(valid), fc.nat(), fc.uint8Array({ maxLength: 4 }))
    .map(([bytes, position, noise]) => {
      const at = position % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + 1)]);
    });
  return fc.oneof(
    { weight: 4, arbitrary: json(valid) },
    { weight: 4, arbitrary: json(nearlyValid(valid)) },
    { weight: 1, arbitrary: json(anything) },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        Buffer.from('['.repeat(8000)),
        Buffer.from(`{"token":"tok_visa","card":{"brand":"${'x'.repeat(17_000)}"}}`),
        Buffer.from('{"__proto__":{"token":"tok_visa"},"card":{}}'),
        Buffer.from('\ufeff{"token":"tok_visa","card":{}}'),
        Buffer.from('{"token":"tok_visa","token":7,"card":{}}'),
        Buffer.from('{"token":"tok_visa","card":{},"n":4242424242424242}'),
      ),
    },
  );
}
