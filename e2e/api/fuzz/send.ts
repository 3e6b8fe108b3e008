import { Agent, request } from 'node:http';

export type Sent = {
  method: string;
  /** As it goes over the wire: `fetch` would tidy it up. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
};
export type Answered = { status: number; headers: Record<string, string>; text: string };

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends a request as it is, without a client's good manners. */
export function sendRaw(baseUrl: string, { method, path, headers, body }: Sent): Promise<Answered> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const length = body && { 'Content-Length': String(body.length) };
    const sent = request(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const pairs = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(pairs), text });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
