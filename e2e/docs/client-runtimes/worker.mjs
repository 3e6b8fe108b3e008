import { callAll } from './call-all.mjs';

export default {
  fetch: async (_request, environment) => Response.json(await callAll(environment)),
};
