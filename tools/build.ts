/** `npm run build`: the production build, if it is not there, so that a start elsewhere (an image) need not make it. */
import { buildIfNeeded } from '#src/server/build.ts';
import { step } from '#src/server/cli-output.ts';
import { checkout } from './checkout.ts';

await step('Pages built', () => buildIfNeeded(checkout, new AbortController().signal));
