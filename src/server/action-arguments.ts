/** No second way to name an action, which React would take instead of the one that was checked. */
const formField = /^(?!\$ACTION_ID_)[\w$:]{1,100}$/;
/** React takes other names for numbers of further arguments. */
const callField = /^(0|_[\da-f]+_[\w$:]{1,100})$/;

/**
 * Next responds with 500 to a form that React cannot read, and never to one whose arguments refer to themselves. Delete when it
 * responds with 400.
 * @returns the IDs of the actions of a form that was sent without scripts, or undefined if React cannot read it
 */
export function actionsOf(form: FormData): string[] | undefined {
  if (!hasOnlyTexts(form, formField)) return undefined;
  const prefixes = [...form.keys()].filter((name) => name.startsWith('$ACTION_REF_'));
  const ids = prefixes.map((name) => actionAt(form, name.replace('REF_', '')));
  return ids.length > 0 && ids.every((id) => id !== undefined) ? ids : undefined;
}

/** Whether React can read a form that an action is called with. */
export function isReadableCall(form: FormData): boolean {
  return hasOnlyTexts(form, callField) && areArguments(only(form, '0'));
}

/** Encoding a form again can change other names, such as those with a line break, into names that were not checked. */
const hasOnlyTexts = (form: FormData, names: RegExp): boolean =>
  [...form].every(([name, value]) => names.test(name) && typeof value === 'string');

/** @param prefix of the fields that hold an action and its arguments */
function actionAt(form: FormData, prefix: string): string | undefined {
  const named = /^\{"id":"([\da-f]+)","bound":"\$@1"\}$/.exec(String(only(form, `${prefix}:0`)));
  return areArguments(only(form, `${prefix}:1`)) ? named?.[1] : undefined;
}

/** @returns the value of a field, unless it is missing or repeated */
function only(form: FormData, name: string): FormDataEntryValue | undefined {
  const values = form.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

/** The previous state of a form, and its fields. */
const argumentsMax = 2;

/** Whether a text is JSON of the arguments of our actions. The states of our forms are flat. */
export function areArguments(json: unknown): boolean {
  const values = parse(String(json));
  if (!Array.isArray(values) || values.length > argumentsMax) return false;
  return values.every((value) =>
    typeof value === 'object' && value !== null ? Object.values(value).every(isPlain) : isPlain(value),
  );
}

/**
 * React takes a text that begins with `$` for a reference, and escapes others as `$$`. Ours refer only to `undefined` and to a
 * form’s fields.
 */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^(?!\$)|^\$(\$|undefined$|K[\da-f]+$)/.test(value)
    : value === null || typeof value !== 'object';

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
