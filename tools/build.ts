/** `npm run build`: creates the production build if it is missing or outdated. */
import { buildIfNeeded } from '#src/server/build.ts';
import { step } from '#src/server/cli-output.ts';
import { checkout } from './checkout.ts';

await step('Pages built', () => buildIfNeeded(checkout, new AbortController().signal));
