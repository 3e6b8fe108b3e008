import { services } from './services.ts';

/**
 * The origin of the payment sandbox for a page: the host name of the page's URL with the sandbox port.
 * @param host the request's `Host`
 * @returns null when the real provider is in use
 */
export function sandboxOrigin(host: string | null): string | null {
  const { mode, sandboxPort } = services().settings;
  if (mode !== 'sandbox') return null;
  // The client controls this value, and it ends up in a response header, so only a valid host name is accepted.
  const name = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i.exec(host ?? '')?.[1] ?? 'localhost';
  return `http://${name}:${sandboxPort}`;
}
