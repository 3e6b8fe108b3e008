/** A bar chart as SVG, legible on light and dark backgrounds. */
import { median } from './measure.ts';
import type { ReadResult } from './reads.ts';

const colors: Record<string, string> = {
  service: '#1d6fd8',
  'service, default limits': '#1d6fd8',
  'service, 2 processes': '#6aa7f0',
  'Fastify 5': '#8a8f98',
  'Fastify 5, 1 connection': '#8a8f98',
  'node:http': '#b6bac1',
  'node:http, 1 connection': '#b6bac1',
  'next start': '#d07a2d',
};
const bar = { height: 22, gap: 6, left: 190, width: 430 };

/** Shows the reads with 32 connections. */
export function barPlot(reads: ReadResult[]): string {
  const bars = reads
    .filter(({ connections }) => connections === 32)
    .map((read) => ({ ...read, perSecond: median(read.rounds.map(({ perSecond }) => perSecond)) }))
    .filter(({ operation }) => operation === 'detail' || operation === 'payout');
  const perSecondMax = Math.max(...bars.map(({ perSecond }) => perSecond));
  let y = 0;
  const parts: string[] = [];
  for (const operation of ['detail', 'payout'] as const) {
    y += 30;
    parts.push(`<text x="0" y="${y - 8}" class="head">${operation}, 32 connections: requests/s</text>`);
    for (const { target, perSecond } of bars.filter((read) => read.operation === operation)) {
      const width = Math.max(1, Math.round((perSecond / perSecondMax) * bar.width));
      const middle = y + bar.height / 2 + 5;
      parts.push(
        `<text x="${bar.left - 10}" y="${middle}" text-anchor="end">${target}</text>`,
        `<rect x="${bar.left}" y="${y}" width="${width}" height="${bar.height}" rx="3" fill="${colors[target] ?? '#888'}"/>`,
        `<text x="${bar.left + width + 8}" y="${middle}">${Math.round(perSecond).toLocaleString('en-US')}</text>`,
      );
      y += bar.height + bar.gap;
    }
    y += 16;
  }
  const style = 'text{font:14px system-ui,sans-serif;fill:#5b6270}.head{font-weight:600}';
  const size = `viewBox="0 0 ${bar.left + bar.width + 90} ${y}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="Requests per second by target"><style>${style}</style>\n${parts.join('\n')}\n</svg>\n`;
}
