/**
 * Loaded into a service before it starts (`node --import`): its clock begins at the instant `CLOCK_FROM`, and goes on
 * from there. The database's own clock stays as it is.
 */
const sinceMs = Date.parse(process.env.CLOCK_FROM ?? '') - Date.now();
const now = Date.now;
Date.now = () => now() + sinceMs;
globalThis.Date = new Proxy(Date, {
  construct: (date, parameters, newTarget) =>
    Reflect.construct(date, parameters.length === 0 ? [Date.now()] : parameters, newTarget),
});
