/** The three fields of one form know each other: they are frames of one origin, which the page is not. */
import type { FieldError, FieldType } from './messages.ts';
import type { FieldReading } from './reading.ts';

/** What a frame shows to the other frames of its own origin. */
export type CardField = {
  type: FieldType;
  group: string;
  read(): FieldReading;
  /** Shows that the field is not finished. @returns the error, or undefined where it is */
  refuseUnfinished(): FieldError | undefined;
  /** Tells the CVC field that the number's brand is another. */
  brandChanged(): void;
};

declare global {
  interface Window {
    sandboxCardField?: CardField;
  }
}

/** @returns the field of this type in the same form, found among the page's frames */
export function siblingField(group: string, type: FieldType): CardField | undefined {
  for (let index = 0; index < window.parent.length; index += 1) {
    const field = fieldIn(window.parent[index]);
    if (field?.group === group && field.type === type) return field;
  }
  return undefined;
}

function fieldIn(frame: Window | undefined): CardField | undefined {
  try {
    return frame?.sandboxCardField;
  } catch {
    // A frame of another origin is none of ours, and the browser says so by throwing.
    return undefined;
  }
}
