import { Miniflare } from 'miniflare';

const { BASE_URL, API_KEY, API_SECRET } = process.env;
const workers = new Miniflare({
  modules: true,
  scriptPath: 'bundles/worker.mjs',
  compatibilityDate: '2026-07-01',
  bindings: { BASE_URL, API_KEY, API_SECRET },
});
const response = await workers.dispatchFetch('http://localhost/');
console.log(await response.text());
await workers.dispose();
