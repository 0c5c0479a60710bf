/** The stages of examples/stages, as somebody writes them out. */

const at = 'postgres://shop:${secret:DB_PASSWORD|urlencode}@';

interface StageOf {
  readonly tag: string;
  readonly suffix: string;
  readonly replicas: number;
  readonly certificate: string;
  readonly without: readonly string[];
  readonly apiMemory: string;
  readonly apiReplicas: number;
  readonly main: string;
  readonly description?: string;
}

const usual: StageOf = {
  tag: '2025.11.4',
  suffix: '.staging.example.com',
  replicas: 1,
  certificate: 'letsencrypt',
  without: [],
  apiMemory: '512Mi',
  apiReplicas: 1,
  main: 'memoryLimit: 1Gi',
};
export const writtenStages: Readonly<Record<string, StageOf>> = {
  staging: usual,
  production: {
    ...usual,
    tag: '2025.11.3',
    suffix: '.example.com',
    replicas: 3,
    apiMemory: '1Gi',
    apiReplicas: 6,
    main: 'memoryLimit: 4Gi, protect: true',
  },
  test: {
    ...usual,
    tag: '2025.11.5',
    suffix: '.test.example.com',
    certificate: 'none',
    without: ['mailer', 'reports'],
  },
  'pr-123': {
    ...usual,
    tag: '4f2a91c',
    suffix: '-pr-123.preview.example.com',
    certificate: 'none',
    without: ['mailer', 'reports'],
    description: 'Preview 123 of preview.yaml',
  },
};

/**
 * A root file that says what a stage of the example says, without templates, variables, changes and other files. `more`: keys of
 * applications that use the template `web` as it is.
 */
export function writtenOut(name: string, more: readonly string[] = []): string {
  const { tag, suffix, replicas, certificate, without, apiMemory, apiReplicas, main, description } =
    writtenStages[name] ?? usual;
  const image = (key: string) => `source: { type: docker, image: "ghcr.io/acme/${key}:${tag}" }`;
  const web = (key: string, port = 8080, memory = '256Mi', env = '', count = replicas) =>
    `      ${key}: { ${image(key)}, memoryLimit: ${memory}, replicas: ${count}, env: { PORT: ${port}, DATABASE_URL: "${at}\${ref:postgres.main.host}:5432/shop"${env} }, domains: { main: { host: ${key}${suffix}, port: ${port}, https: true, certificateType: ${certificate} } } }\n`;
  const worker = (key: string, queue: string, more = '') =>
    `      ${key}: { ${image(key)}, env: { QUEUE: ${queue}, CACHE_HOST: "\${ref:redis.cache.host}", DATABASE_URL: "${at}\${ref:postgres.main.host}:5432/shop" }${more} }\n`;
  const database = (more = '') =>
    `{ dockerImage: postgres:17, databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB_PASSWORD}"${more} }`;
  const applications: Readonly<Record<string, string>> = {
    api: web('api', 8080, apiMemory, ', RATE_LIMIT: "100"', apiReplicas),
    admin: web('admin', 3000, '256Mi', ', SSO: "true"'),
    site: web('site'),
    search: web('search', 8080, '1Gi'),
    reports: web('reports', 8080, '256Mi', `, REPORTS_URL: "${at}\${ref:postgres.reports.host}:5432/shop"`),
    mailer: worker('mailer', 'mail'),
    billing: worker('billing', 'bills'),
    images: worker('images', 'images', ', memoryLimit: 1Gi'),
    ...Object.fromEntries(more.map((key) => [key, web(key)])),
  };
  const has = (key: string) => !without.includes(key);
  return `trueup: 1
platform: emulator
project: prj_1
environments:
  ${name}:
${description === undefined ? '' : `    description: ${description}\n`}    postgres:
      main: ${database(`, ${main}`)}
${has('reports') ? `      reports: ${database()}\n` : ''}    redis:
      cache: { dockerImage: redis:8, databasePassword: "\${secret:CACHE_PASSWORD}" }
    application:
${Object.keys(applications)
  .filter(has)
  .map((key) => applications[key])
  .join('')}`;
}
