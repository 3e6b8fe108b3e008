import { createServer, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { listen } from '#tools/testing/listen.ts';
import { searchAddresses } from './geocoder.ts';

/** As Nominatim 5 responds with `format=jsonv2`. */
const nominatimResponse = [
  {
    place_id: 297_417_291,
    licence: 'Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright',
    osm_type: 'way',
    osm_id: 401_123_501,
    lat: '37.3337572',
    lon: '-121.8907040',
    category: 'amenity',
    type: 'townhall',
    place_rank: 30,
    importance: 0.31,
    addresstype: 'amenity',
    name: 'San Jose City Hall',
    display_name:
      'San Jose City Hall, 200, East Santa Clara Street, San Jose, California, 95113, United States',
    boundingbox: ['37.3371', '37.3386', '-121.8866', '-121.8846'],
  },
];

/** As Photon 0.7 responds. */
const photonResponse = {
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [-121.890704, 37.3337572] },
      properties: {
        osm_type: 'W',
        osm_id: 401_123_501,
        osm_key: 'amenity',
        osm_value: 'townhall',
        type: 'house',
        housenumber: '200',
        street: 'East Santa Clara Street',
        name: 'San Jose City Hall',
        city: 'San Jose',
        county: 'Santa Clara County',
        state: 'California',
        postcode: '95113',
        countrycode: 'US',
        country: 'United States',
        extent: [-121.8866, 37.3386, -121.8846, 37.3371],
      },
    },
  ],
};

let close = () => {};
afterEach(() => close());

/** @returns the URL of a geocoder, and the URLs that were requested from it */
async function geocoder(path: string, status: number, body: unknown) {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? '');
    response
      .writeHead(status, { 'content-type': 'application/json', location: '/moved' })
      .end(JSON.stringify(body));
  });
  close = () => void server.close();
  return { url: `http://127.0.0.1:${await listen(server)}${path}`, requested };
}

const near: [number, number, number, number] = [-122, 37, -121, 38];

describe('searchAddresses', () => {
  test('reads Nominatim, and asks it for results near the area', async () => {
    const { url, requested } = await geocoder('/search?key=1', 200, nominatimResponse);
    expect(await searchAddresses(url, '200 E Santa Clara & 4th', near)).toEqual([
      {
        name: 'San Jose City Hall, 200, East Santa Clara Street, San Jose, California, 95113, United States',
        point: [-121.890704, 37.3337572],
      },
    ]);
    expect(requested).toEqual([
      '/search?key=1&q=200+E+Santa+Clara+%26+4th&limit=5&format=jsonv2&accept-language=en&viewbox=-122%2C37%2C-121%2C38',
    ]);
  });

  test('reads Photon, which refuses parameters that it does not know', async () => {
    const { url, requested } = await geocoder('/api', 200, photonResponse);
    expect(await searchAddresses(url, 'city hall', near)).toEqual([
      {
        name: 'San Jose City Hall, 200 East Santa Clara Street, San Jose, California, 95113',
        point: [-121.890704, 37.3337572],
      },
    ]);
    expect(requested).toEqual(['/api?q=city+hall&limit=5&lang=en&lat=37.5&lon=-121.5']);
  });

  test.each([
    ['an error', 503, {}],
    ['a redirect', 302, nominatimResponse],
    ['another format', 200, { results: [] }],
    ['a position that is none', 200, [{ display_name: 'x', lat: 'north', lon: '1' }]],
  ])('throws for %s, after one request', async (_, status, body) => {
    const { url, requested } = await geocoder('/search', status, body);
    await expect(searchAddresses(url, 'x', near)).rejects.toThrow();
    expect(requested).toHaveLength(1);
  });

  test('throws while 8 other searches are running', async () => {
    const waiting: ServerResponse[] = [];
    const server = createServer((_, response) => void waiting.push(response));
    close = () => void server.close();
    const url = `http://127.0.0.1:${await listen(server)}/search`;
    const running = Array.from({ length: 8 }, () => searchAddresses(url, 'x', near));
    await expect(searchAddresses(url, 'x', near)).rejects.toThrow('Too many searches are running.');
    await expect.poll(() => waiting.length).toBe(8);
    for (const response of waiting) response.end('[]');
    expect(await Promise.all(running)).toEqual(Array(8).fill([]));
    const next = searchAddresses(url, 'x', near);
    await expect.poll(() => waiting.length).toBe(9);
    waiting[8]?.end('[]');
    expect(await next).toEqual([]);
  });
});
