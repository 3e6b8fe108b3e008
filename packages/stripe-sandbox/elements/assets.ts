/** The files that browsers load: the script for pages, and the three frames with theirs. Made once, at start. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { CORS } from '../http-messages.ts';
import { type Asset, framePages } from './frame-pages.ts';
import { SCRIPT_PATH } from './paths.ts';

const PAGE_SOURCES = [
  ...['../paths', 'emitter', 'page-settings', 'host', 'host-classes', 'frame-link', 'element'],
  ...['elements-group', 'stripe'],
];
const FRAME_SOURCES = [
  ...[
    '../../cards/numbers',
    'reading',
    'card-number',
    'card-expiry',
    'card-cvc',
    'frame-caret',
    'frame-style',
    'frame-fields',
  ],
  ...['frame-token', 'frame'],
];

const BROWSER_FOLDER = join(import.meta.dirname, 'browser');
const SCRIPT_HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** @param pageOrigins the origins whose pages may frame the fields @returns the files by path */
export function createAssets(pageOrigins: string[]): Map<string, Asset> {
  const style = readFileSync(join(BROWSER_FOLDER, 'frame.css'), 'utf8');
  return new Map<string, Asset>([
    [SCRIPT_PATH, { body: joined(PAGE_SOURCES), headers: { ...CORS, ...SCRIPT_HEADERS } }],
    ['/elements/frame.js', { body: joined(FRAME_SOURCES), headers: SCRIPT_HEADERS }],
    [
      '/elements/frame.css',
      { body: style, headers: { ...SCRIPT_HEADERS, 'Content-Type': 'text/css; charset=utf-8' } },
    ],
    ...framePages(pageOrigins),
  ]);
}

/** @returns the modules one after another in one function: a page loads the script as a classic one */
function joined(names: string[]): string {
  const modules = names.map((name) => withoutTypes(readFileSync(join(BROWSER_FOLDER, `${name}.ts`), 'utf8')));
  const bare = modules.map((code) => code.replace(/^import [^;]*;$/gm, '').replace(/^export /gm, ''));
  return `(() => {\n'use strict';\n${bare.join('\n')}\n})();\n`;
}

/** Node warns that this function of its own may change; the Node that runs this is pinned, so nobody needs to hear it. */
function withoutTypes(code: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(code);
  } finally {
    process.emitWarning = emitWarning;
  }
}
