/** @returns a response with a message as plain text, which is not cached */
export function plainText(status: number, message: string, headers?: Record<string, string>): Response {
  return new Response(`${message}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}

/** @returns a redirect to a page after a form or instead of a file (RFC 9110, section 15.4.4), which is not cached */
export function seeOther(location: string, headers?: Record<string, string>): Response {
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store', ...headers } });
}
