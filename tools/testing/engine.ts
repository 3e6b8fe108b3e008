/** Tests that need plain PostgreSQL. The others run on Citus too, by `npm run test:citus`. */

export const isCitus = Boolean(process.env.CITUS_URL);

/** What Citus does differently: see docs/scale.md. Whole files are in vitest.config.ts. */
const differences = {
  'row locks': 'Citus locks a whole reference table where PostgreSQL locks a row.',
  'empty schema': 'A database whose tables were dropped has to be distributed again.',
  policies: 'Their functions cannot read other tables on a worker.',
  'refused changes': 'Citus refuses MERGE itself, and does not run a change whose condition is false.',
} as const;

/** @param add adds tests, except on Citus */
export function onPostgres(_difference: keyof typeof differences, add: () => void): void {
  if (!isCitus) add();
}
