const DEFAULT_CLASSES: Record<string, string> = {
  base: 'StripeElement',
  focus: 'StripeElement--focus',
  complete: 'StripeElement--complete',
  empty: 'StripeElement--empty',
  invalid: 'StripeElement--invalid',
};

/** Keeps the classes of a field's container in step with the field. */
export class HostClasses {
  private host: HTMLElement | undefined;
  private names = DEFAULT_CLASSES;
  private readonly shown = new Set(['base', 'empty']);

  attach(host: HTMLElement, names: Record<string, string>): void {
    this.host = host;
    this.names = { ...this.names, ...names };
    for (const state of this.shown) this.toggle(state, true);
  }

  set(state: string, isOn: boolean): void {
    if (isOn) this.shown.add(state);
    else this.shown.delete(state);
    this.toggle(state, isOn);
  }

  rename(names: Record<string, string>): void {
    for (const state of this.shown) this.toggle(state, false);
    this.names = { ...this.names, ...names };
    for (const state of this.shown) this.toggle(state, true);
  }

  detach(): void {
    for (const state of this.shown) this.toggle(state, false);
    for (const state of ['focus', 'complete', 'invalid']) this.shown.delete(state);
    this.shown.add('empty');
    this.host = undefined;
  }

  private toggle(state: string, isOn: boolean): void {
    for (const name of (this.names[state] ?? '').split(/\s+/).filter(Boolean))
      this.host?.classList.toggle(name, isOn);
  }
}
