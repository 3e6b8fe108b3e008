/** The two reads on `node:http`. Settings: `PORT`, `DATABASE_URL`, `CONNECTIONS`. */
import { createServer } from 'node:http';
import { reads } from './read.ts';

const { detail, payout } = await reads(process.env.DATABASE_URL ?? '');
const routes = new Map([
  ['/api/schedule/v1/customers/detail', detail],
  ['/api/schedule/v1/customers/payout', payout],
]);

createServer(async ({ url, headers }, response) => {
  const read = routes.get(url ?? '');
  const { status, body } = read
    ? await read(`${headers['x-auth-apikey'] ?? ''}`, `${headers['x-auth-apisecret'] ?? ''}`)
    : { status: 404, body: '{}' };
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
