/**
 * @param files paths within the gallery: `<section>/<state>.<mode>.png`
 * @returns a page with a row for each state, and a filter by mode
 */
export function galleryPage(files: readonly string[]): string {
  const pictures = files.flatMap((file) => {
    const [, page, state, mode] = /^(.+)[/\\](.+)\.([^.]+)\.png$/.exec(file) ?? [];
    return page && state && mode ? [{ page, state, mode }] : [];
  });
  const modes = [...new Set(pictures.map(({ mode }) => mode))].sort();
  const parts = Map.groupBy(pictures, ({ page }) => page);
  const pages = [...parts.keys()].sort();
  const sections = pages.map((page) => {
    const states = new Set(
      parts
        .get(page)
        ?.map(({ state }) => state)
        .sort(),
    );
    const rows = [...states].map(
      (state) =>
        `<h3>${state}</h3><div>${modes.map((mode) => pictureLink(page, state, mode)).join('')}</div>`,
    );
    return `<section id="${page}"><h2>${page}</h2>${rows.join('\n')}</section>`;
  });
  const choices = ['all', ...modes].map(
    (mode, index) =>
      `<label><input type="radio" name="mode" id="${mode}"${index === 0 ? ' checked' : ''}> ${mode}</label>`,
  );
  const alone = modes.map((mode) => `body:has(#${mode}:checked) a.picture:not(.${mode}) { display: none }`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Gallery</title>
<style>
body { margin: 0 2rem 4rem; font: 15px/1.5 system-ui, sans-serif; background: #d7d7d4; color: #191a1b }
header { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 1rem 0; background: inherit }
section { scroll-margin-top: 6rem }
section div { display: flex; flex-wrap: wrap; align-items: start; gap: 1rem }
h3 { margin: 1.5rem 0 .5rem }
img { display: block; max-width: 100% }
.desk-light img, .desk-dark img { width: 32rem }
${alone.join('\n')}
</style>
<header><nav>${pages.map((page) => `<a href="#${page}">${page}</a>`).join(' · ')}</nav>${choices.join(' ')}</header>
${sections.join('\n')}
</html>
`;
}

function pictureLink(page: string, state: string, mode: string): string {
  const address = `${page}/${state}.${mode}.png`;
  return `<a class="picture ${mode}" href="${address}"><img loading="lazy" src="${address}" alt="${page}, ${state}, ${mode}"></a>`;
}
