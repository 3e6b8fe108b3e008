/** Writes the parts of a Markdown page that are generated. */

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

type Code = {
  language: 'sh' | 'js' | 'ts' | 'python' | 'php' | 'ruby' | 'go' | 'csharp' | 'java' | 'json' | 'text';
  title: string;
  code: string;
  isCollapsed?: boolean;
  /** Adjacent ones are shown as tabs. */
  isTab?: boolean;
};

export function codeBlock({ language, title, code, isCollapsed = false, isTab = false }: Code): string {
  const flag = isCollapsed ? ' collapsed' : isTab ? ' tab' : '';
  return `\`\`\`${language} title="${title}"${flag}\n${code}\n\`\`\``;
}

export function jsonBlock(title: string, value: unknown): string {
  return codeBlock({ language: 'json', title, code: JSON.stringify(value, null, 2) });
}

/** @returns a setting's text on one line, without anything that Markdown or HTML would interpret */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>#|~&]/g, '\\$&');
}

/** Reverts `escapeMarkdown`. */
export function unescapeMarkdown(markdown: string): string {
  return markdown.replace(/\\([\\`*_{}[\]<>#|~&])/g, '$1');
}
