/**
 * Loaded into a service with `node --import`. Its clock starts at `CLOCK_FROM`; the database's clock does not change.
 */
const sinceMs = Date.parse(process.env.CLOCK_FROM ?? '') - Date.now();
const now = Date.now;
Date.now = () => now() + sinceMs;
globalThis.Date = new Proxy(Date, {
  construct: (date, parameters, newTarget) =>
    Reflect.construct(date, parameters.length === 0 ? [Date.now()] : parameters, newTarget),
});
