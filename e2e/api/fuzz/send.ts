import { Agent, request } from 'node:http';

export type Sent = {
  method: string;
  /** As it goes over the wire: `fetch` would tidy it up. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
};
export type RawResponse = { status: number; headers: Record<string, string>; text: string };

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends a request as it is, without a client's good manners. */
export function sendRaw(baseUrl: string, { method, path, headers, body }: Sent): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const length = body && { 'Content-Length': String(body.length) };
    const sent = request(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(pairs), text });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
