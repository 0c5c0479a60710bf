import { production } from './manifest-texts.ts';

/** A manifest of two databases and what connects to them, with secrets that get new values. */

const [pw, cache] = ['${secret:PW}', '${secret:CACHE}'];
const docker = 'source: { type: docker, image: nginx }';
const databases = `    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "${pw}" }
    redis:
      cache: { dockerImage: "redis:8", databasePassword: "${cache}" }
`;
const users = `    application:
      api: { ${docker}, env: { PASSWORD: "${pw}" } }
      web: { ${docker}, env: { URL: "postgres://shop:${pw}@\${ref:postgres.main.host}:5432/shop" } }
      job: { ${docker}, env: { KEY: "x-\${secret:PW|base64}", CACHE: "redis://:${cache}@cache" } }
      mail: { ${docker}, env: { A: one } }
`;
const above = `    env: { SHARED: "${pw}" }\n`;
const through = `      old: { ${docker}, env: { PASSWORD: "\${{environment.SHARED}}" } }\n`;
/** The users stand before the databases: neither the order of lines nor a reference decides. */
export const text = production(above + users + through + databases);

/** What each secret is before and after. */
export const old = { PW: 'correct-horse-old', CACHE: 'battery-staple-old' };
export const fresh = { PW: 'correct-horse-new', CACHE: 'battery-staple-new' };
export const freshForms = /correct-horse-new|battery-staple-new|Y29ycmVjdC1ob3JzZS1uZX/;

/** The same without databases. */
export const withoutDatabases = production(above + users.replaceAll(cache, 'x') + through).replace(
  '${ref:postgres.main.host}',
  'db',
);

export const address = (name: string) => `production.${name}`;
export const applications = ['api', 'web', 'job', 'old'].map((name) => address(`application.${name}`));
export const [main, redis] = [address('postgres.main'), address('redis.cache')];
