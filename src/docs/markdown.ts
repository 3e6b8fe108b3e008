/** Writes the parts of a Markdown page that are generated. */

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

type Code = {
  language: 'sh' | 'js' | 'python' | 'json' | 'text';
  title: string;
  code: string;
  isCollapsed?: boolean;
};

export function codeBlock({ language, title, code, isCollapsed = false }: Code): string {
  return `\`\`\`${language} title="${title}"${isCollapsed ? ' collapsed' : ''}\n${code}\n\`\`\``;
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
