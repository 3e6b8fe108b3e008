import path from 'node:path';

/** The root folder of the repository. */
export const checkout = path.join(import.meta.dirname, '..');
