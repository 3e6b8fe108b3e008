import { createHash } from 'node:crypto';
import type { BaseMap } from './base-map.ts';

/** A base map as a browser keeps it. */
export type BaseMapFile = {
  /** Out of the content: another map has another. */
  version: string;
  json: string;
};

const files = new WeakMap<BaseMap, BaseMapFile>();

/** Made once per base map, which is kept for its place. */
export function baseMapFile(baseMap: BaseMap): BaseMapFile {
  const file = files.get(baseMap) ?? fileOf(baseMap);
  files.set(baseMap, file);
  return file;
}

/** Where the signed-in browser asks for it. */
export const baseMapAddress = (baseMap: BaseMap) => `/service-area/base-map/${baseMapFile(baseMap).version}`;

function fileOf(baseMap: BaseMap): BaseMapFile {
  const json = JSON.stringify(baseMap);
  return { version: createHash('sha256').update(json).digest('base64url').slice(0, 16), json };
}
