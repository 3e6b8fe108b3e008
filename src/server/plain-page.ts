/** A page that costs next to nothing, for when others are refused. The texts are ours, so they are not escaped. */
export function plainPage(title: string, heading: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="stylesheet" href="/plain-page.css">
<h1>${heading}</h1>
<p>${text}</p>
</html>
`;
}

export const busyPage = plainPage(
  'Busy',
  'We’re busy right now',
  'This page couldn’t be loaded. Reload it in a moment.',
);
