import { common, createLowlight } from 'lowlight';
import type { ReactNode } from 'react';
import { fragment, IndentedText } from '../ui/text-wrap.tsx';

const lowlight = createLowlight(common);

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

/** Colors by meaning. Everything else keeps the color of the text. */
const colors: Record<string, string> = {
  'hljs-keyword': 'text-accent',
  'hljs-literal': 'text-accent',
  'hljs-attr': 'text-accent',
  'hljs-name': 'text-accent',
  'hljs-string': 'text-good',
  'hljs-regexp': 'text-good',
  'hljs-number': 'text-warn',
  'hljs-comment': 'text-muted',
  'hljs-variable': 'text-warn',
};

/** Trees of the code in the docs, because highlighting takes most of the time that a page takes. */
const highlighted = new Map<string, Node[]>();

function highlight(language: string, code: string): Node[] {
  const key = `${language}\n${code}`;
  const nodes = highlighted.get(key) ?? lowlight.highlight(language, code).children;
  highlighted.set(key, nodes);
  return nodes;
}

/** Renders code on the server, as elements with classes, so the CSP needs no exception. */
export function HighlightedCode({ language, code }: { language: string; code: string }) {
  if (!lowlight.registered(language)) return <IndentedText text={code} />;
  return fragment(highlight(language, code), render);
}

function render(node: Node): ReactNode {
  if (node.type === 'text') return <IndentedText text={node.value} isContinued />;
  if (node.type !== 'element') return null;
  const [color] = [node.properties.className ?? []].flat().flatMap((name) => colors[String(name)] ?? []);
  const children = fragment(node.children, render);
  return color ? <span className={color}>{children}</span> : children;
}
