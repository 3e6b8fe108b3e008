import { describe, expect, it } from 'vitest';
import { scaleFor } from '../plots/scale.ts';
import { dollarLabels } from './axis-dollars.ts';

const texts = (valuesCents: number[]) => dollarLabels(scaleFor(valuesCents, 10_000)).map(({ text }) => text);

describe('dollarLabels', () => {
  it('omits cents when every tick is a whole dollar', () => {
    expect(texts([250_000])).toEqual(['$0', '$500', '$1K', '$1.5K', '$2K', '$2.5K']);
  });

  it('shows cents on all labels when one has cents, and labels credits', () => {
    expect(texts([-1_200])).toEqual([
      '$12.50 credit',
      '$10.00 credit',
      '$7.50 credit',
      '$5.00 credit',
      '$2.50 credit',
      '$0.00',
    ]);
  });
});
