import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The IDs of the actions that each page has, by its path. */
export type PageActions = ReadonlyMap<string, ReadonlySet<string>>;

type Manifest = { node: Record<string, { workers: Record<string, unknown> }> };

/** @param folder of Next’s build */
export function readPageActions(folder: string): PageActions {
  const file = path.join(folder, 'server', 'server-reference-manifest.json');
  const { node } = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const pages = Object.entries(node).flatMap(([id, { workers }]) =>
    Object.keys(workers).map((name) => ({ id, page: pathOfPage(name) })),
  );
  const ids = Map.groupBy(pages, ({ page }) => page);
  return new Map([...ids].map(([page, found]) => [page, new Set(found.map(({ id }) => id))]));
}

/** @param name such as `app/(dashboard)/payout/page` */
const pathOfPage = (name: string) => name.replaceAll(/^app|\/\([^/]*\)|\/page$/g, '') || '/';
