type Handler = (event: object) => unknown;

/** Handlers by event, with `on`, `once` and `off` as the elements of the provider have them. */
export class Emitter {
  private readonly handlers = new Map<string, Set<Handler>>();

  on(event: string, handler: Handler): this {
    const known = this.handlers.get(event) ?? new Set();
    this.handlers.set(event, known.add(handler));
    return this;
  }

  once(event: string, handler: Handler): this {
    const single = (value: object) => {
      this.off(event, single);
      handler(value);
    };
    return this.on(event, single);
  }

  /** Without a handler, all of the event go. */
  off(event: string, handler?: Handler): this {
    if (handler) this.handlers.get(event)?.delete(handler);
    else this.handlers.delete(event);
    return this;
  }

  protected emit(event: string, value: object): void {
    for (const handler of [...(this.handlers.get(event) ?? [])]) handler(value);
  }
}
