/**
 * `node tools/visible-text.ts` lists the texts of pages, responses, and commands by file, for a review of the copy. Class names, SQL,
 * and other code that looks like text are left out as far as a pattern can tell.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { checkout } from './checkout.ts';

/** Strings as esbuild prints them. */
const literals = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const codeWithStrings =
  /\b(?:from|import)\s*\(?"[^"]*"|\b(?:class|className|d|href|method|path|viewBox)[:=]\s*(?:"[^"]*"|`[^`]*`)|\bsql(?:<[^>]*>)?`(?:[^`\\]|\\.)*`|^"use (?:client|server)"/gm;
/** Several words, a capitalized word, or a sentence. */
const readable = /\p{L}{2,} \p{L}|^\p{Lu}\p{Ll}|\p{Ll}[.?!]$/u;

/** @returns the file's strings that read as text, in order, without those of comments */
export function visibleText(
  file: string,
  source = readFileSync(path.join(checkout, file), 'utf8'),
): string[] {
  const { code } = transformSync(source, {
    loader: file.endsWith('.tsx') ? 'tsx' : 'ts',
    jsx: 'automatic',
    charset: 'utf8',
  });
  return [...code.replaceAll(codeWithStrings, '').matchAll(literals)]
    .map(([literal]) =>
      literal
        .slice(1, -1)
        .replaceAll('\\n', '\n')
        .replaceAll(/\$\{[^}]*\}/g, '…')
        .trim(),
    )
    .filter((text) => readable.test(text));
}

if (import.meta.main) {
  const files = globSync(['{app,components,src,packages}/**/*.{ts,tsx}', 'proxy.ts', 'tools/install.mjs'], {
    cwd: checkout,
    exclude: ['**/*.test.ts', '**/{dist,generated,node_modules,tests,demo}', '**/testing.ts'],
  });
  for (const file of files.sort()) {
    const texts = visibleText(file);
    if (texts.length > 0)
      process.stdout.write(`\n## ${file}\n${texts.map((text) => `- ${text}\n`).join('')}`);
  }
}
