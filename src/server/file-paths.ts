import { readdirSync } from 'node:fs';
import path from 'node:path';

export const staticPrefix = '/_next/static';

const publicFolder = path.join(import.meta.dirname, '..', '..', 'public');
/** The paths of the files in `public`. */
export const publicFiles = new Set(
  readdirSync(publicFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `/${path.relative(publicFolder, path.join(parentPath, name))}`),
);

/**
 * Whether the URL is that of a file of the build or of `public`. Resolves `..` as Next does, so that a path cannot pass for a file and
 * reach a page.
 */
export function isFile(url: string): boolean {
  const pathname = URL.parse(url, 'http://localhost')?.pathname ?? '';
  return pathname.startsWith(`${staticPrefix}/`) || publicFiles.has(pathname);
}
