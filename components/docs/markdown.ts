import type { Block, DocsPage, Row } from './block.ts';

/** @returns the page as Markdown, word for word what the HTML page says */
export function markdownOf({ title, summary, blocks }: DocsPage): string {
  return [`# ${title}`, summary, ...blocks.map(blockMarkdown).filter(Boolean)].join('\n\n').concat('\n');
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `## ${block.text}`;
    case 'text':
      return block.text;
    case 'list':
      return block.items.map((item) => `- ${item}`).join('\n');
    case 'table':
      return table(block.head, block.rows);
    case 'code':
      return `${block.title}:\n\n\`\`\`${block.language}\n${block.code}\n\`\`\``;
    case 'console':
      return '';
  }
}

function table(head: string[], rows: Row[]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(({ cells }) => line(cells))].join('\n');
}
