/** Text that others wrote, made harmless where it is shown: it can neither steer a terminal nor become a formula. */

/** Controls, line and paragraph separators, what turns the direction of writing, and marks that cannot be seen. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** For terminals and cells: each such character as its code, `\u{202e}`. */
export function inertText(text: string): string {
  return text.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** JSON of a value in which those characters stand only as escapes, so that printing it is safe and reading it exact. */
export function inertJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, undefined, indent).replace(unsafe, (character) =>
    character === '\n'
      ? character
      : unitsOf(character)
          .map((unit) => `\\u${unit}`)
          .join(''),
  );
}

/** A CSV cell that no spreadsheet takes for a formula. */
export function inertCell(text: string): string {
  const shown = inertText(text);
  const safe = /^[\s'"]*[=+\-@|%\uff0b\uff0d\uff1d\uff20]/.test(shown) ? `'${shown}` : shown;
  return /[",;\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function unitsOf(character: string): string[] {
  return character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
}
