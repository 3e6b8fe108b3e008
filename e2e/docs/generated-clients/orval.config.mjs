const input = 'openapi.json';

export default {
  client: { input, output: { target: 'orval/client.ts', client: 'fetch', baseUrl: process.env.BASE_URL } },
  zod: { input, output: { target: 'orval/zod.ts', client: 'zod' } },
};
