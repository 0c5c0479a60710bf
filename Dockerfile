# Trueup with Node, as the user "node" (1000). The image holds no secret; pass them as variables when it runs:
#   docker build -t registry.example.com/trueup:0.1.0 .
#   docker run --rm --read-only -v "$PWD:/workspace" -e TRUEUP_API_KEY registry.example.com/trueup:0.1.0 plan
ARG NODE=docker.io/library/node:20.20.2-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0

FROM ${NODE} AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY src src
COPY scripts/build.mjs scripts/bundle.mjs scripts/
RUN npm run build && cp -r node_modules /all
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund

# The controller runs with pg-boss too, in the version of the lock file.
FROM build AS build-controller
RUN rm -rf node_modules && mv /all node_modules \
  && npm pkg delete devDependencies.pg-boss && npm pkg set dependencies.pg-boss="$(npm pkg get peerDependencies.pg-boss | tr -d '"')" \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE} AS base
# Runners check repositories out with the git of the image.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
RUN ln -s /opt/trueup/bin/trueup.js /usr/local/bin/trueup && ln -s /opt/trueup/bin/trueup-ci.js /usr/local/bin/trueup-ci
COPY --from=build /src/package.json /opt/trueup/
COPY --from=build /src/bin /opt/trueup/bin
COPY --from=build /src/dist /opt/trueup/dist
USER node
ENTRYPOINT ["trueup"]

# docker build --target controller -t registry.example.com/trueup-controller:0.1.0 .
FROM base AS controller
COPY --from=build-controller /src/node_modules /opt/trueup/node_modules
CMD ["controller", "--help"]

FROM base
COPY --from=build /src/node_modules /opt/trueup/node_modules
WORKDIR /workspace
CMD ["--help"]
