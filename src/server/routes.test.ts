import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiRewrites } from '#src/api/api-prefixes.ts';
import { findApiRoutes, type Route, routeFinder } from './routes.ts';

const route = (address: string): Route => ({ segments: address.slice(1).split('/'), module: {} });
const routes = [
  '/api/schedule/v1/payment/cards',
  '/api/schedule/v1/payment/cards/[uuid]',
  '/api/health/live',
  '/api/[...path]',
].map(route);

describe('the finder of routes', () => {
  const find = routeFinder(routes, apiRewrites);
  const found = (pathname: string) => {
    const segments = find(pathname)?.segments;
    return segments && `/${segments.join('/')}`;
  };

  it.each(['/api/schedule/v1', '/schedule/v1', '/api/v1'])('knows the prefix %s', (prefix) => {
    expect(found(`${prefix}/payment/cards`)).toBe('/api/schedule/v1/payment/cards');
    expect(found(`${prefix}/payment/cards/17`)).toBe('/api/schedule/v1/payment/cards/[uuid]');
    expect(found(`${prefix}/payment/cards/`)).toBe('/api/[...path]');
    expect(found(`${prefix}/payment/cards/17/`)).toBe('/api/[...path]');
    expect(found(`${prefix}/payment`)).toBe('/api/[...path]');
    expect(found(prefix)).toBe('/api/[...path]');
  });

  it.each([
    '/',
    '/cards',
    '/schedule',
    '/schedule/v2/payment/cards',
    '/schedule/v11',
    '/apis/v1',
    '/api',
    '//api/v1',
  ])('leaves %s to the pages', (pathname) => expect(found(pathname)).toBeUndefined());

  it('refuses rewrites that it does not understand', () => {
    expect(() => routeFinder(routes, [{ source: '/a/:id', destination: '/api/:id' }])).toThrow('/a/:id');
  });
});

it('finds the routes of app/api, the most exact first, and each answers every method', async () => {
  const all = await findApiRoutes(path.join(import.meta.dirname, '..', '..', 'app'));
  const addresses = all.map(({ segments }) => `/${segments.join('/')}`);
  expect(addresses).toContain('/api/schedule/v1/payment/cards/[uuid]');
  expect(addresses.at(-1)).toBe('/api/[...path]');
  for (const { module } of all) {
    expect(Object.keys(module).sort()).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);
  }
});
