import { expect, test } from 'vitest';
import { galleryPage } from './gallery.ts';

test('galleryPage: lists each page and state with a picture per mode, those of an earlier release first', () => {
  const page = galleryPage([
    'cards',
    'before/cards/empty.desk-light.png',
    'before/cards/gone.desk-light.png',
    'cards/empty.phone-dark.png',
    'cards/empty.desk-light.png',
    'payout/print.desk-light.png',
    'index.html',
  ]);
  expect(page.match(/<h2>.*?<\/h2>|<h3>.*?<\/h3>| src="[^"]+"/g)).toEqual([
    '<h2>cards</h2>',
    '<h3>empty</h3>',
    ' src="before/cards/empty.desk-light.png"',
    ' src="cards/empty.desk-light.png"',
    ' src="cards/empty.phone-dark.png"',
    '<h3>gone</h3>',
    ' src="before/cards/gone.desk-light.png"',
    '<h2>payout</h2>',
    '<h3>print</h3>',
    ' src="payout/print.desk-light.png"',
  ]);
  expect(page).toContain('body:has(#phone-dark:checked) a.picture:not(.phone-dark)');
});
