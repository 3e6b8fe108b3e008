# docker build --build-arg DEMO=yes adds what the demo needs: the payment sandbox and the embedded PostgreSQL.
FROM node:24-slim AS build
WORKDIR /service
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node tools/build.ts
ARG DEMO=
# Optional packages are the embedded PostgreSQL and the build's compilers.
RUN if [ -n "$DEMO" ]; then npm prune --omit=dev; else npm prune --omit=dev --omit=optional && rm -r packages/stripe-sandbox; fi
RUN rm -r .next/cache tools && find node_modules .next -name '*.map' -delete && mkdir .data

FROM node:24-slim
WORKDIR /service
# Owned by root, so that the service cannot change its own code.
COPY --from=build /service ./
RUN chown 1000:1000 .data && chmod 700 .data
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 MALLOC_ARENA_MAX=2
VOLUME /service/.data
EXPOSE 3000
# Liveness: while the database is down, another container would not be ready either.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/api/health/live').then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# As in `npm start`; docs/operations.md says why.
CMD ["node", "--max-old-space-size=768", "--max-semi-space-size=32", "--no-allocation-site-pretenuring", "--import", "./src/fast-imports.mjs", "src/server/start.ts", "--built"]
