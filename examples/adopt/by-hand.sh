#!/bin/sh
# Puts together by hand what the manifest adopts: a compose with a domain, and a database, on the embedded emulator.
set -eu

# The id in the answer of a call.
id() {
  sed -n "s/^  \"$1\": \"\(.*\)\",\$/\1/p"
}

wiki=$(trueup call compose.create name=wiki environmentId=env_prj_1 composeType=docker-compose | id composeId)
trueup call compose.update composeId="$wiki" sourceType=raw composeFile=@wiki/docker-compose.yml >/dev/null
trueup call domain.create composeId="$wiki" domainType=compose host=wiki.example.com serviceName=web port=8080 >/dev/null

printf %s "$TRUEUP_SECRET_WIKI_DB_PASSWORD" |
  trueup call postgres.create name=wikidb environmentId=env_prj_1 dockerImage=postgres:17 \
    databaseName=wiki databaseUser=wiki databasePassword=@- >/dev/null
