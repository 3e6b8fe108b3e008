import path from 'node:path';

/** The root folder of the repository. */
export const checkout = path.join(import.meta.dirname, '..');

/** @returns the path of an installed package's program, for Node.js to run */
export const programOf = (name: string) => path.join(checkout, 'node_modules', '.bin', name);
