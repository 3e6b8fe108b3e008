/** No second way to name an action, which React would take instead of the one that was checked. */
const formField = /^(?!\$ACTION_ID_)[\w$:]{1,100}$/;
/** React takes other names for numbers of further arguments. */
const callField = /^(0|_[\da-f]+_[\w$:]{1,100})$/;

/**
 * Whether React can read a form that was sent without scripts. Next responds with 500 to others, and never to those whose
 * arguments refer to themselves. Delete when it responds with 400.
 */
export function isReadableForm(form: FormData): boolean {
  const actions = actionsOf(form);
  return (
    hasOnlyTexts(form, formField) && actions.length > 0 && actions.every((action) => isAction(form, action))
  );
}

/** Whether React can read a form that an action is called with. */
export function isReadableCall(form: FormData): boolean {
  return hasOnlyTexts(form, callField) && areArguments(only(form, '0'));
}

/** Encoding a form again can change other names, such as those with a line break, into names that were not checked. */
const hasOnlyTexts = (form: FormData, names: RegExp): boolean =>
  [...form].every(([name, value]) => names.test(name) && typeof value === 'string');

/** @returns the IDs of a readable form's actions */
export const actionIdsOf = (form: FormData): string[] =>
  actionsOf(form).map((action) => actionPattern.exec(String(form.get(`${action}:0`)))?.[1] ?? '');

/** @returns the prefixes of the fields that hold an action and its arguments */
const actionsOf = (form: FormData): string[] =>
  [...form.keys()].flatMap((name) => (name.startsWith('$ACTION_REF_') ? [name.replace('REF_', '')] : []));

const actionPattern = /^\{"id":"([\da-f]+)","bound":"\$@1"\}$/;

const isAction = (form: FormData, action: string): boolean =>
  actionPattern.test(String(only(form, `${action}:0`))) && areArguments(only(form, `${action}:1`));

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
