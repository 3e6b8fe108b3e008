FROM node:24-slim AS build
WORKDIR /service
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN node tools/build.ts

FROM node:24-slim
WORKDIR /service
COPY --from=build --chown=node:node /service ./
RUN mkdir .data && chown node:node .data
USER node
ENV HOST=0.0.0.0
EXPOSE 3000
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/api/health/ready').then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/server/start.ts"]
