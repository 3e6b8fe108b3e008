/** @returns a response with a message as plain text, which is not cached */
export function plainText(status: number, message: string, headers?: Record<string, string>): Response {
  return new Response(`${message}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}
