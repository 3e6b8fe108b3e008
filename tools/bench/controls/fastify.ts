/** The two reads on Fastify. Settings: `PORT`, `DATABASE_URL`, `CONNECTIONS`. */
import Fastify from 'fastify';
import { type Read, reads } from './read.ts';

const app = Fastify();
const { detail, payout } = await reads(process.env.DATABASE_URL ?? '');

for (const [name, read] of Object.entries<Read>({ detail, payout })) {
  app.get(`/api/schedule/v1/customers/${name}`, async ({ headers }, reply) => {
    const { status, body } = await read(
      `${headers['x-auth-apikey'] ?? ''}`,
      `${headers['x-auth-apisecret'] ?? ''}`,
    );
    return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
  });
}
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
