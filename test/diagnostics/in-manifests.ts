import { adoptOnly } from '../../src/manifest/required.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import type { Code } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { withQuotes } from '../../src/manifest/quote.ts';
import { deploymentsExpected } from '../../src/plan/deployment-findings.ts';
import { validate } from '../../src/workflow/validate.ts';
import { kinds } from '../../src/resources/index.ts';
import { database, folderWith, head, production, raw, reported, stack } from './provoked.ts';

/** A manifest with a role that has some permissions. */
const role = (permissions: string) => `${head}customRoles: { developer: { permissions: { ${permissions} } } }\n`;

/** A manifest for each code that is found before any request. */
export const manifests = {
  'yaml-syntax': { 'trueup.yaml': `include: [staging.yaml\n${head}` },
  'file-unreadable': { 'trueup.yaml': `include: [staging.yaml]\n${production(database())}` },
  'unknown-key': { 'trueup.yaml': production(database('dockerimage: "postgres:18"')) },
  'wrong-type': {
    'trueup.yaml': production(stack('domains: { shop.example.com: { serviceName: web, port: eighty } }')),
  },
  'missing-key': { 'trueup.yaml': 'trueup: 1\nplatform: emulator\nenvironments: {}\n' },
  'defined-twice': {
    'trueup.yaml': `include: [more.yaml]\n${production(database())}`,
    'more.yaml': `environments:\n  production:\n${database()}`,
  },
  'bad-expression': { 'trueup.yaml': production(database('description: "${env:REGION}"')) },
  'not-in-previews': {
    'trueup.yaml': `${head}environment: pr\npreview: {}\nvariables: { suffix: { default: "-\${preview:id}.example.com" } }\napplication: { api: { source: { type: docker, image: "nginx:1.27" }, domains: { main: { host: api.example.com } } } }\n`,
  },
  'misplaced-secret': { 'trueup.yaml': production(database().replace('postgres:17', '${secret:IMAGE}')) },
  'no-expression': { 'trueup.yaml': production(stack('env: { TOKEN: "${secrets:TOKEN}" }')) },
  'unused-parameter': {
    'trueup.yaml': `${head}environment: production
templates: { database: { parameters: { tag: { default: "17" } }, block: { dockerImage: "postgres:17" } } }
postgres: { main: { use: database, databaseName: shop, databaseUser: shop, databasePassword: example } }
`,
  },
  'splits-address': {
    'trueup.yaml': production(stack('env: { DATABASE_URL: "postgres://shop:${var:pw}@db/shop" }')).replace(
      'trueup: 1',
      'trueup: 1\nvariables: { pw: { default: a@b } }',
    ),
  },
  'adopt-only': { 'trueup.yaml': production(database().replace('databaseUser: shop, ', '')) },
  'no-unit': { 'trueup.yaml': production(database('memoryLimit: 512')) },
  'unknown-permission': { 'trueup.yaml': role('sshKey: [read]') },
  'bad-reference': { 'trueup.yaml': production(stack('env: { HOST: "${ref:production.postgres.main.host}" }')) },
  'not-clearable': { 'trueup.yaml': production(database('databaseUser: null').replace('databaseUser: shop, ', '')) },
  'env-value': { 'trueup.yaml': production(stack('env: { PORT: null }')) },
  inconsistent: {
    'trueup.yaml': production(stack('domains: { shop.example.com: { serviceName: api, port: 80 } }')),
  },
  overlap: {
    'trueup.yaml': production(
      stack(
        'domains: { a: { host: shop.example.com, serviceName: web }, b: { host: Shop.example.com, serviceName: web } }',
      ),
    ),
  },
  'not-compose': { 'trueup.yaml': production(raw('service: { web: { image: nginx } }')) },
  'not-in-source': { 'trueup.yaml': production(raw('services: { web: { build: . } }')) },
  'unset-variable': {
    'trueup.yaml': production(raw('services: { web: { image: nginx, environment: { TAG: "${TAG}" } } }')),
  },
  'unused-env': { 'trueup.yaml': production(stack('env: { REGION: eu }')) },
  'env-line': { 'trueup.yaml': production(database('env: "A=1\\nuse flake\\n"')) },
  'refused-expression': { 'trueup.yaml': production(raw('services: { web: { image: nginx, command: "echo ${1}" } }')) },
  'rewritten-file': {
    'trueup.yaml': production(raw('services: { web: { image: nginx, environment: { UMASK: 022 } } }')),
  },
  'lost-route': {
    'trueup.yaml': production(
      raw(
        'x-base: &base { networks: [back] }\nservices: { web: { <<: *base, image: nginx } }\nnetworks: { back: {} }',
        'domains: { shop.example.com: { serviceName: web } }',
      ),
    ),
  },
  'refused-setting': { 'trueup.yaml': production(stack('command: "compose up -d; date"')) },
  'ignored-setting': { 'trueup.yaml': production(stack('randomize: true, suffix: a1, isolatedDeployment: true')) },
  'unmounted-file': { 'trueup.yaml': production(stack('files: { nginx.conf: { content: "a" } }')) },
  'lost-folder': { 'trueup.yaml': production(raw("services: { web: { image: nginx, volumes: ['./up:/srv'] } }")) },
  'unkept-data': {
    'trueup.yaml': production(
      raw("services: { db: { image: postgres, volumes: ['pg:/var/lib/postgresql/data'] } }\nvolumes: { pg: {} }"),
    ),
  },
  'unread-file': {
    'trueup.yaml': production(
      '    compose: { shop: { source: { type: git, url: "https://git.example.com/shop.git", branch: main } } }\n',
    ),
  },
  'must-exist': {
    'trueup.yaml': production(
      raw("services: { db: { image: redis, volumes: ['data:/data'] } }\nvolumes: { data: { external: true } }"),
    ),
  },
  'no-certificate': {
    'trueup.yaml': production(stack('domains: { shop.example.com: { serviceName: web, port: 80, https: true } }')),
  },
  'default-port': { 'trueup.yaml': production(stack('domains: { shop.example.com: { serviceName: web } }')) },
  'backup-fails': {
    'trueup.yaml': production(
      stack(
        "backups: { nightly: { schedule: '0 3 * * *', destinationId: dst_1, prefix: a/, database: shop, databaseType: mariadb, serviceName: web, metadata: { mariadb: { databaseUser: shop } } } }",
      ),
    ),
  },
  'stray-dollar': { 'trueup.yaml': production(database('env: { HOST: a.example.com, URL: "https://${HOST}" }')) },
  allowed: {
    'trueup.yaml': production(stack('env: { REGION: eu }, allow: { unused-env: "read by a script on the server" }')),
  },
  'hostile-setting': { 'trueup.yaml': production(database('description: "${env:TRUEUP_API_KEY}"')) },
  ciphertext: {
    'trueup.yaml': production(stack('env: "${file:shop.yaml}"')),
    'shop.yaml': 'DB_PASSWORD: ENC[AES256_GCM,data:Tr7o,iv:1,tag:2,type:str]\nsops: { version: 3.9.0 }\n',
  },
  'private-source': { 'trueup.yaml': production(database('description: "${file:.git/config}"')) },
} satisfies Partial<Record<Code, Readonly<Record<string, string>>>>;

/** Reads a manifest, and returns what is reported of it. */
export async function read(
  files: Readonly<Record<string, string>>,
  {
    env = {},
    secrets = {},
    variables = {},
  }: { readonly [of in 'env' | 'secrets' | 'variables']?: Readonly<Record<string, string>> } = {},
): Promise<readonly Diagnostic[]> {
  const { manifest, warnings } = await validate({
    workspace: await openWorkspace(folderWith(files)),
    file: 'trueup.yaml',
    kinds,
    env: (name) => env[name],
    secret: (name) => secrets[name],
    given: (name) => {
      const text = variables[name];
      return text === undefined ? undefined : { text, by: `--var ${name}` };
    },
    addSecret: () => {},
  });
  const expected = withQuotes(deploymentsExpected(manifest.deployments), manifest.texts, kinds);
  return [...warnings, ...expected, ...adoptOnly(manifest.resources)];
}

/** Provokes each code with its manifest. */
export const inManifests = Object.fromEntries(
  Object.entries(manifests).map(([code, files]) => [code, () => reported(() => read(files))]),
) as Record<keyof typeof manifests, () => Promise<readonly Diagnostic[]>>;
