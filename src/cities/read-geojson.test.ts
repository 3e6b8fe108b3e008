import { describe, expect, it } from 'vitest';
import { readGeojson } from './read-geojson.ts';

describe('city import: GeoJSON', () => {
  const feature = { type: 'Feature', geometry: null, properties: { name: 'A\ufeff' } };
  const read = { geometry: null, properties: { name: 'A\ufeff' } };

  it.each([
    ['a feature', feature, [read]],
    [
      'a feature without properties',
      { type: 'Feature', properties: null },
      [{ geometry: undefined, properties: {} }],
    ],
    ['a collection', { type: 'FeatureCollection', features: [feature, feature] }, [read, read]],
  ])('reads %s, also after a byte order mark, and keeps one in a text', (_, document, features) => {
    expect(readGeojson(JSON.stringify(document))).toEqual(features);
    expect(readGeojson(`\ufeff${JSON.stringify(document)}`)).toEqual(features);
  });

  it.each([
    ['{', /isn’t valid JSON/],
    ['[]', /The document is not a GeoJSON Feature/],
    ['{"type":"Point"}', /The document is not a GeoJSON Feature/],
    ['{"type":"FeatureCollection"}', /no features array/],
    ['{"type":"FeatureCollection","features":[]}', /no features/],
    [JSON.stringify({ type: 'FeatureCollection', features: [feature, {}] }), /Feature 1 is not/],
  ])('refuses %s', (text, problem) => {
    const message = expect.stringMatching(problem);
    const details = [{ param: 'file', message }];
    expect(() => readGeojson(text)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message, details }),
    );
  });
});
