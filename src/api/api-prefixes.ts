/**
 * The published prefixes are one API, whose handlers live under the first. Next's router and our own listener both go
 * by this list.
 */
export const apiRewrites = [
  { source: '/schedule/v1/:path*', destination: '/api/schedule/v1/:path*' },
  { source: '/api/v1/:path*', destination: '/api/schedule/v1/:path*' },
];

/** A trailing slash makes another address, which is unknown. Next's router would take it for the same. */
export const trailingSlash = { source: '/:prefix(api|schedule)/:rest*/', destination: '/api/unknown' };
