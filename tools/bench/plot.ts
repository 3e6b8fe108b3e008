/** Bars of requests a second, as SVG that reads on light and dark. */
import type { ReadResult } from './reads.ts';

const colours: Record<string, string> = {
  service: '#1d6fd8',
  'service, 2 processes': '#6aa7f0',
  'Fastify 5': '#8a8f98',
  'node:http': '#b6bac1',
  'node:http, 1 connection': '#b6bac1',
  'next start': '#d07a2d',
};
const bar = { height: 22, gap: 6, left: 190, width: 430 };

/** @param reads of which those with 32 connections are shown */
export function barPlot(reads: ReadResult[]): string {
  const shown = reads.filter(({ what, connections }) => connections === 32 && what !== '403');
  const most = Math.max(...shown.map(({ perSecond }) => perSecond));
  let y = 0;
  const parts: string[] = [];
  for (const what of ['detail', 'payout'] as const) {
    y += 30;
    parts.push(`<text x="0" y="${y - 8}" class="head">${what}, 32 connections: requests a second</text>`);
    for (const { target, perSecond } of shown.filter((read) => read.what === what)) {
      const width = Math.max(1, Math.round((perSecond / most) * bar.width));
      const middle = y + bar.height / 2 + 5;
      parts.push(
        `<text x="${bar.left - 10}" y="${middle}" text-anchor="end">${target}</text>`,
        `<rect x="${bar.left}" y="${y}" width="${width}" height="${bar.height}" rx="3" fill="${colours[target] ?? '#888'}"/>`,
        `<text x="${bar.left + width + 8}" y="${middle}">${Math.round(perSecond).toLocaleString('en-US')}</text>`,
      );
      y += bar.height + bar.gap;
    }
    y += 16;
  }
  const style = 'text{font:14px system-ui,sans-serif;fill:#5b6270}.head{font-weight:600}';
  const size = `viewBox="0 0 ${bar.left + bar.width + 90} ${y}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="Requests a second by target"><style>${style}</style>\n${parts.join('\n')}\n</svg>\n`;
}
