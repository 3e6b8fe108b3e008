/** A section of a page. */
export type SearchEntry = { page: string; section: string; url: string; text: string };
export type SearchResult = Omit<SearchEntry, 'text'> & { excerpt: string };

const resultsMax = 8;
const excerptLength = 140;

/** @returns the sections that contain every term of the query, those with it in a title first */
export function searchDocs(entries: SearchEntry[], query: string): SearchResult[] {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
  if (terms.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, resultsMax)
    .map(({ entry: { text, ...found } }) => ({ ...found, excerpt: excerptOf(text, terms) }));
}

/** 0 unless every term is found. */
function scoreOf({ page, section, text }: SearchEntry, terms: string[]): number {
  const fields: [text: string, weight: number][] = [
    [page.toLowerCase(), section ? 3 : 12],
    [section.toLowerCase(), 6],
    [text.toLowerCase(), 1],
  ];
  const scores = terms.map((term) =>
    fields.reduce((score, [content, weight]) => score + (content.includes(term) ? weight : 0), 0),
  );
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0);
}

function excerptOf(text: string, terms: string[]): string {
  const found = terms.map((term) => text.toLowerCase().indexOf(term)).filter((position) => position >= 0);
  const start = found.length > 0 ? text.lastIndexOf(' ', Math.max(0, Math.min(...found) - 40)) + 1 : 0;
  const excerpt = text.slice(start, start + excerptLength).trimEnd();
  return `${start > 0 ? '… ' : ''}${excerpt}${start + excerptLength < text.length ? ' …' : ''}`;
}
