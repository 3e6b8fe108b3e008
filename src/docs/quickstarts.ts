import { readFileSync } from 'node:fs';
import path from 'node:path';
import { codeBlock, table } from './markdown.ts';

/** The same program in several languages: files in `docs/quickstarts`, which e2e/docs/quickstarts.spec.ts runs. */
export const quickstarts = [
  { title: 'curl', language: 'sh', file: 'quickstart.sh', command: 'sh quickstart.sh' },
  { title: 'JavaScript', language: 'js', file: 'quickstart.mjs', command: 'node quickstart.mjs' },
  { title: 'TypeScript client', language: 'ts', file: 'client.mts', command: 'node client.mts' },
  { title: 'Python', language: 'python', file: 'quickstart.py', command: 'python3 quickstart.py' },
  { title: 'PHP', language: 'php', file: 'quickstart.php', command: 'php quickstart.php' },
  { title: 'Ruby', language: 'ruby', file: 'quickstart.rb', command: 'ruby quickstart.rb' },
  { title: 'Go', language: 'go', file: 'quickstart.go', command: 'go run quickstart.go' },
  { title: 'C#', language: 'csharp', file: 'Quickstart.cs', command: 'dotnet run Quickstart.cs' },
  { title: 'Java', language: 'java', file: 'Quickstart.java', command: 'java Quickstart.java' },
] as const;

export const quickstartFolder = path.join(process.cwd(), 'docs', 'quickstarts');

/** The generated parts of the quickstarts guide, by placeholder. */
export function quickstartPlaceholders() {
  const blocks = quickstarts.map(({ title, language, file }) =>
    codeBlock({
      language,
      title,
      code: readFileSync(path.join(quickstartFolder, file), 'utf8').trimEnd(),
      isTab: true,
    }),
  );
  const rows = quickstarts.map(({ title, file, command }) => [title, `\`${file}\``, `\`${command}\``]);
  return {
    quickstarts: blocks.join('\n\n'),
    quickstartCommands: table(['Language', 'File', 'Command'], rows),
  };
}
