/** Ten plans, five of them on docs/plans.md: what was applied before, what happened since, and what is planned. */

/** The files of a project, by path. */
type Files = Readonly<Record<string, string>>;

/** A change on the platform, made behind the back of the repository. */
interface ChangeByHand {
  readonly address: string;
  readonly operation: string;
  /** The member that takes the id of the object. */
  readonly id: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** One captured plan. */
export interface CapturedPlan {
  readonly title: string;
  /** What a reader has to know, in one or two sentences. */
  readonly about: string;
  /** Applied first; undefined: there is nothing yet. */
  readonly applied?: Files;
  readonly byHand?: readonly ChangeByHand[];
  readonly planned: Files;
  /** The page shows it; of the others the tests look at the width. */
  readonly isOnPage?: true;
}

/** The secrets of all plans, by name. */
export const secrets: Readonly<Record<string, string>> = {
  DB_PASSWORD: 'correct-horse-battery-1',
  API_TOKEN: 'tok-7f3a9c51e8d24b60',
};

const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';

const shop = (tag: string): string => `services:
  web:
    image: registry.example.com/shop/web:${tag}
    environment:
      DATABASE_URL: \${DATABASE_URL}
      LOG_LEVEL: \${LOG_LEVEL:-info}
    volumes: ["../files/nginx.conf:/etc/nginx/nginx.conf"]
    depends_on: [worker]
  worker:
    image: registry.example.com/shop/worker:${tag}
    volumes: ["uploads:/srv/uploads"]
volumes:
  uploads: {}
`;

/** A PostgreSQL database `main`, with more lines. */
const database = ({ image = 'postgres:17', name = 'shop', more = '' } = {}): string => `    postgres:
      main:
        dockerImage: ${image}
        databaseName: ${name}
        databaseUser: shop
        databasePassword: \${secret:DB_PASSWORD}
${more}`;

const environment = (level = 'info'): string => `        env:
          DATABASE_URL: postgres://shop:\${secret:DB_PASSWORD}@\${ref:production.postgres.main.host}:5432/shop
          LOG_LEVEL: ${level}
`;

const limit = '        memoryLimit: 2Gi\n';

const stack = `${head}environments:
  production:
${database({
  more: `${limit}        healthCheckSwarm: { Test: [CMD, pg_isready], Interval: 30s, Retries: 3 }
        backups:
          nightly: { destinationId: dst_1, database: shop, prefix: shop/, schedule: "0 3 * * *" }
`,
})}    compose:
      shop:
        source: { type: raw, composeFile: "\${file:shop.yml}" }
${environment()}        domains:
          shop.example.com: { serviceName: web, port: 8080, https: true, certificateType: letsencrypt }
        files:
          nginx.conf: { content: "worker_processes 2;\\n" }
`;

const web = (fields: string): string => `${head}environments:
  production:
    application:
      web:
${fields.replaceAll(/^/gm, '        ')}
        domains:
          www.example.com: { port: 80 }
`;

const envOfWeb = (entries: string): string =>
  web(`source: { type: docker, image: "nginx:1.27" }\nenv:\n${entries.replaceAll(/^/gm, '  ')}`);

/** A compose file of 359 lines. */
function large({ web: image = 'nginx:1.27', replicas = 2 } = {}): string {
  const service = (at: number): string =>
    [
      `  service-${String(at).padStart(2, '0')}:`,
      `    image: ${at === 12 ? image : `registry.example.com/part-${at}:2.${at}.0`}`,
      '    restart: unless-stopped',
      '    environment:',
      '      LOG_LEVEL: info',
      `      PORT: "80${String(at).padStart(2, '0')}"`,
      `    deploy: { replicas: ${at === 43 ? replicas : 1} }`,
      '',
    ].join('\n');
  return `services:\n${Array.from({ length: 50 }, (_, at) => service(at)).join('')}networks:\n  front: {}\n  back: {}\nvolumes:\n  data:\n    labels:\n      keep: "yes"\n  cache: {}\n`;
}

const compose = (text: string): Files => ({
  'trueup.yaml': `${head}environments:
  production:
    compose:
      platform:
        source: { type: raw, composeFile: "\${file:platform.yml}" }
`,
  'platform.yml': text,
});

const onlyDatabase = (about: { name?: string; image?: string }): Files => ({
  'trueup.yaml': `${head}environments:\n  production:\n${database({ ...about, more: '        env: { TZ: UTC }\n' })}`,
});

const staging = `  staging:
${database({
  more: `        backups:
          nightly: { destinationId: dst_1, database: shop, prefix: staging/, schedule: "0 3 * * *" }
`,
})}    compose:
      shop:
        source: { type: raw, composeFile: "\${file:shop.yml}" }
        domains:
          staging.example.com: { serviceName: web, port: 8080 }
        files:
          nginx.conf: { content: "worker_processes 2;\\n" }
`;

const production = `${head}environments:
  production:
    application:
      web:
        source: { type: docker, image: "nginx:1.27" }
`;

const many = (tag: string): Files => {
  const service = (at: number): string =>
    `      shop-${String(at + 1).padStart(3, '0')}: { source: { type: docker, image: "nginx:${tag}" } }\n`;
  const services = Array.from({ length: 200 }, (_, at) => service(at)).join('');
  return { 'trueup.yaml': `${head}environments:\n  production:\n    application:\n${services}` };
};

/** All plans, in the order of the page. */
export const capturedPlans: readonly CapturedPlan[] = [
  {
    title: 'A new stack',
    isOnPage: true,
    about: 'A database with a nightly backup, and a compose with a domain and a mounted file. None of it exists yet.',
    planned: { 'trueup.yaml': stack, 'shop.yml': shop('4.1') },
  },
  {
    title: 'A new image',
    about: '`nginx:1.27` became `nginx:1.28` in the manifest.',
    applied: { 'trueup.yaml': web('source: { type: docker, image: "nginx:1.27" }') },
    planned: { 'trueup.yaml': web('source: { type: docker, image: "nginx:1.28" }') },
  },
  {
    title: 'Other variables',
    isOnPage: true,
    about: 'In `env:` one key is new, one is gone, one has another value, and so has the secret behind another.',
    applied: {
      'trueup.yaml': envOfWeb('LOG_LEVEL: info\nREGION: eu-1\nOLD_FLAG: "1"\nAPI_TOKEN: old-${secret:API_TOKEN}'),
    },
    planned: {
      'trueup.yaml': envOfWeb('LOG_LEVEL: debug\nREGION: eu-1\nWORKERS: "4"\nAPI_TOKEN: ${secret:API_TOKEN}'),
    },
  },
  {
    title: 'Two places of a long compose file',
    about: 'A compose file of 359 lines has another image in one place and another number of replicas in another.',
    applied: compose(large()),
    planned: compose(large({ web: 'nginx:1.28', replicas: 4 })),
  },
  {
    title: 'A compose file changed on the platform',
    isOnPage: true,
    about: 'The manifest is as it was applied. The image of one service was changed on the platform.',
    applied: compose(large()),
    byHand: [
      {
        address: 'production.compose.platform',
        operation: 'compose.update',
        id: 'composeId',
        members: { composeFile: large({ web: 'nginx:1.27.3-hotfix' }) },
      },
    ],
    planned: compose(large()),
  },
  {
    title: 'A conflict',
    isOnPage: true,
    about: 'Since the last apply the manifest got another image, and so did the platform.',
    applied: onlyDatabase({ image: 'postgres:17.5' }),
    byHand: [
      {
        address: 'production.postgres.main',
        operation: 'postgres.update',
        id: 'postgresId',
        members: { dockerImage: 'postgres:17.6-hotfix' },
      },
    ],
    planned: onlyDatabase({ image: 'postgres:17.6' }),
  },
  {
    title: 'A database that has to be replaced',
    isOnPage: true,
    about: '`databaseName` became `store` in the manifest. A running database keeps its name.',
    applied: onlyDatabase({}),
    planned: onlyDatabase({ name: 'store' }),
  },
  {
    title: 'An environment that goes',
    about: 'The environment `staging` is no longer in the manifest.',
    applied: { 'trueup.yaml': `${production}${staging}`, 'shop.yml': shop('4.1') },
    planned: { 'trueup.yaml': production, 'shop.yml': shop('4.1') },
  },
  {
    title: 'A new address',
    about: 'The block `shop` is now called `store`, and `moved:` says so. Its name on the platform stays.',
    applied: { 'trueup.yaml': stack, 'shop.yml': shop('4.1') },
    planned: {
      'trueup.yaml': stack
        .replace('      shop:\n', '      store:\n        name: shop\n')
        .replace(
          'environments:',
          'moved:\n  - { from: production.compose.shop, to: production.compose.store }\nenvironments:',
        ),
      'shop.yml': shop('4.1'),
    },
  },
  {
    title: 'The same change in 200 services',
    about: 'All 200 applications get another image.',
    applied: many('1.27'),
    planned: many('1.28'),
  },
];

const pictured = ({ tag = '1.4.1', level = 'info', port = 8080 }): string => `${head}environments:
  production:
${database({ more: limit })}    compose:
      shop:
        source:
          type: raw
          composeFile: |
            services:
              web:
                image: registry.example.com/shop/web:${tag}
                env_file: .env
                depends_on: [worker]
              worker:
                image: registry.example.com/shop/worker:1.4.1
${environment(level)}        domains:
          shop.example.com: { serviceName: web, port: ${port}, https: true, certificateType: letsencrypt }
`;

/** The plan in the picture of the README. */
export const picturedPlan: CapturedPlan = {
  title: 'A release',
  about: '',
  applied: { 'trueup.yaml': pictured({}) },
  byHand: [
    {
      address: 'production.postgres.main',
      operation: 'postgres.update',
      id: 'postgresId',
      members: { memoryLimit: '4294967296' },
    },
  ],
  planned: { 'trueup.yaml': pictured({ tag: '1.5.0', level: 'debug', port: 8081 }) },
};
