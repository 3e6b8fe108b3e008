/** The judged address of the client, put there by the listener; nothing a caller sends gets this far unjudged. */
export function clientAddress(request: Request): string {
  return request.headers.get('x-forwarded-for') || '127.0.0.1';
}
