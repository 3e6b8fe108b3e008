import { services } from '#src/api/services.ts';

/**
 * Where the stand-in for the card provider is reached from a page: another port of the name the page was asked by.
 * @param host the request's `Host`
 * @returns null when the real provider is in use
 */
export function sandboxOrigin(host: string | null): string | null {
  const { PAYMENTS, sandboxPort } = services().settings;
  if (PAYMENTS !== 'sandbox') return null;
  // What a client sends here ends up in a header of ours, so only what can be a name is taken from it.
  const name = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i.exec(host ?? '')?.[1] ?? 'localhost';
  return `http://${name}:${sandboxPort}`;
}
