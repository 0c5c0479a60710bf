# Trueup as the user "trueup" (1000), with git and without Node. The image holds no secret; pass them as variables when it runs:
#   docker build -t registry.example.com/trueup:0.2.0 .
#   docker run --rm --read-only -v "$PWD:/workspace" -e TRUEUP_API_KEY registry.example.com/trueup:0.2.0 plan
ARG NODE=docker.io/library/node:20.20.2-bookworm-slim@sha256:2cf067cfed83d5ea958367df9f966191a942351a2df77d6f0193e162b5febfc0
ARG DEBIAN=docker.io/library/debian:trixie-20260918-slim@sha256:a99cfc517144bc59b1978475ec53b46ecabec7e43635402ee5b77cc54cd1b20a

FROM ${NODE} AS build
WORKDIR /src
COPY package.json package-lock.json tsconfig.json LICENSE ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src src
COPY scripts/single-file.mjs scripts/
COPY scripts/support/program-bundles.mjs scripts/support/single-file.cjs scripts/support/
COPY docs/diagnostics.md docs/
RUN npm run single-file && cd release && for part in '' .cdx.json; do \
    mv "trueup-linux-$(node -p process.arch)$part" "trueup$part"; \
  done

FROM ${DEBIAN} AS base
# Runners check repositories out with the git of the image; curl asks the controller whether it is well.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates curl git \
  && rm -rf /var/lib/apt/lists/*
# A volume takes the owner of what it is mounted over: the checkouts of the controller are its own.
RUN useradd --create-home --uid 1000 trueup \
  && ln -s trueup /usr/local/bin/trueup-ci \
  && install --directory --owner 1000 --group 1000 --mode 700 /var/lib/trueup
COPY --from=build /src/release/trueup /usr/local/bin/
COPY --from=build /src/release/trueup-licenses.txt /src/release/trueup.cdx.json /usr/local/share/doc/trueup/
USER trueup
ENTRYPOINT ["trueup"]

# The same with another first word; the controller is in the file:
#   docker build --target controller -t registry.example.com/trueup-controller:0.2.0 .
FROM base AS controller
CMD ["controller", "--help"]

# For Forgejo and Gitea, where actions such as checkout run with the Node of the image:
#   docker build --target actions -t registry.example.com/trueup-actions:0.2.0 .
FROM base AS actions
COPY --from=build /usr/local/bin/node /usr/local/bin/
WORKDIR /workspace
CMD ["--help"]

FROM base
WORKDIR /workspace
CMD ["--help"]
