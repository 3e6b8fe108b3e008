import { FRAME_PATHS } from '../paths.ts';
import { CardElement } from './element.ts';
import { Emitter } from './emitter.ts';
import type { FieldOptions, FieldType } from './messages.ts';

const isFieldType = (type: unknown): type is FieldType =>
  typeof type === 'string' && Object.hasOwn(FRAME_PATHS, type);

/** The fields of one form; at most one of each type. */
export class ElementsGroup extends Emitter {
  private readonly id = crypto.randomUUID();
  private readonly elements = new Map<FieldType, CardElement>();

  /** @throws Error for a field that the stand-in does not have, or that the form has already */
  create(type: string, options: FieldOptions = {}): CardElement {
    if (!isFieldType(type))
      throw new Error(`A valid Element name must be provided; the stand-in has none called ${type}.`);
    if (this.elements.has(type)) throw new Error(`Can only create one Element of type ${type}.`);
    const element = new CardElement(type, this.id, options, () => this.elements.delete(type));
    this.elements.set(type, element);
    return element;
  }

  /** @param type the name of a field, or the React component for it */
  getElement(type: unknown): CardElement | null {
    const name = Object(type).__elementType ?? type;
    return isFieldType(name) ? (this.elements.get(name) ?? null) : null;
  }

  /** @returns the number's field of the form that `element` belongs to, if it is one of this form's */
  numberOf(element: unknown): CardElement | undefined {
    const isOwn = [...this.elements.values()].some((own) => own === element);
    return isOwn ? this.elements.get('cardNumber') : undefined;
  }

  /** Options of the whole form are the look of fields that the stand-in does not have. */
  update(_options: object): void {}

  fetchUpdates(): Promise<object> {
    return Promise.resolve({});
  }

  submit(): Promise<object> {
    return Promise.resolve({});
  }
}
