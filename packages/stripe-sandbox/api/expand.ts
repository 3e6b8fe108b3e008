/** `expand`: replaces IDs in a response with their objects. https://docs.stripe.com/api/expanding_objects */
import type { Kind, Store } from '../state/store.ts';
import { invalidParameter } from './errors.ts';
import type { Call } from './operation.ts';

const LEVELS_MAX = 4;

/** The expandable fields of each object, and the kind of their objects; null for kinds that the sandbox does not have. */
const EXPANDABLE: Record<string, Record<string, Kind | null>> = {
  customer: {
    default_source: null,
    test_clock: null,
  },
  payment_method: { customer: 'customer' },
  setup_intent: {
    application: null,
    customer: 'customer',
    latest_attempt: 'setup_attempt',
    mandate: null,
    on_behalf_of: null,
    payment_method: 'payment_method',
    single_use_mandate: null,
  },
  setup_attempt: {
    application: null,
    customer: 'customer',
    on_behalf_of: null,
    payment_method: 'payment_method',
    setup_intent: 'setup_intent',
  },
};

type Json = Record<string, unknown>;

/** @throws StripeApiError 400 for a field that cannot be expanded */
export function expand({ store, params }: Call, body: object): object {
  const expandOne = (object: Json, name: string) => expandField(store, object, name.split('.'), name);
  return params.list('expand').reduce(expandOne, { ...body });
}

function expandField(store: Store, object: Json, path: string[], name: string): Json {
  if (path.length > LEVELS_MAX)
    throw invalidParameter(
      'expand',
      `You cannot expand more than ${LEVELS_MAX} levels of a property (${name}).`,
    );
  if (isPage(object)) {
    const [first, ...rest] = path;
    if (first !== 'data' || rest.length === 0 || !Array.isArray(object.data))
      throw notExpandable(name, object);
    return { ...object, data: object.data.map((item: Json) => expandField(store, item, rest, name)) };
  }
  if (object.deleted === true) return object;
  const fields = EXPANDABLE[String(object.object)] ?? {};
  const [field = '', ...rest] = path;
  if (!Object.hasOwn(fields, field)) throw notExpandable(name, object);
  const kind = fields[field];
  const value = object[field];
  const found = typeof value === 'string' && kind ? (store.find(kind, value)?.object ?? value) : value;
  const isNested = rest.length > 0 && found !== null && typeof found === 'object';
  return { ...object, [field]: isNested ? expandField(store, { ...found } as Json, rest, name) : found };
}

const isPage = ({ object }: Json) => object === 'list' || object === 'search_result';

function notExpandable(name: string, object: Json) {
  const advice = isPage(object) ? ` You may want to try expanding 'data.${name}' instead.` : '';
  return invalidParameter('expand', `This property cannot be expanded (${name}).${advice}`);
}
