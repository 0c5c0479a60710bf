import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { processOfTest } from '../../test/support/process.ts';

/** Pages of the real command line on the embedded emulator. */
export interface ExamplePages {
  readonly plan: string;
  readonly apply: string;
  readonly drift: string;
}

/** The secret of the examples, which no page holds. */
export const exampleSecret = 'correct-horse-battery-1';

/** A small shop that is changed in every way that a page shows: created, updated, deleted, restarted, overwritten. */
export const examplePages = (): Promise<ExamplePages> => exampleRuns('html');

/** The same as documents; of the apply, the plan, its events and the result, one a line. */
export const exampleDocuments = (): Promise<ExamplePages> => exampleRuns('json');

async function exampleRuns(format: 'html' | 'json'): Promise<ExamplePages> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-pages-'));
  const write = (version: Version) => writeFileSync(join(folder, 'trueup.yaml'), manifest(version));
  const run = async (...args: readonly string[]): Promise<string> => {
    const process = processOfTest({
      args: ['-C', folder, ...args],
      env: { TRUEUP_SECRET_DB: exampleSecret },
      cwd: folder,
      input: '',
    });
    const code = await runCommandLine(process);
    if (code !== 0 && code !== 2) throw new Error(`trueup ${args.join(' ')}: ${process.printed.err}`);
    return process.printed.out;
  };
  write(before);
  await run('apply', '--auto-approve');
  const list = JSON.parse(await run('state', 'list', '--format', 'json')) as {
    resources: { address: string; id: string }[];
  };
  const idOf = (address: string) => list.resources.find((one) => one.address === address)?.id ?? '';
  const byHand = ['--yes', '--format', 'json'];
  await run(
    'call',
    'postgres.update',
    `postgresId=${idOf('production.postgres.main')}`,
    'memoryLimit=3221225472',
    ...byHand,
  );
  await run('call', 'redis.update', `redisId=${idOf('staging.redis.cache')}`, 'dockerImage=redis:7', ...byHand);
  const drift = await run('drift', '--format', format);
  write(after);
  const plan = await run('plan', '--format', format);
  const apply = await run('apply', '--auto-approve', '--allow-data-loss', '--format', format);
  return { plan, apply, drift };
}

interface Version {
  readonly tag: string;
  readonly level: string;
  readonly api: string;
  readonly memory: string;
  readonly port: number;
  readonly databases: readonly string[];
  readonly hasAdmin: boolean;
}

const before: Version = {
  tag: '1.4.0',
  level: 'info',
  api: '2.1.0',
  memory: '2Gi',
  port: 8080,
  databases: ['cache', 'sessions'],
  hasAdmin: false,
};
const after: Version = {
  tag: '1.5.0',
  level: 'debug',
  api: '2.2.0',
  memory: '4Gi',
  port: 8443,
  databases: ['cache'],
  hasAdmin: true,
};

function manifest(version: Version): string {
  const staging = { ...before, api: version.api, port: version.port, databases: ['cache'] };
  return `trueup: 1
platform: emulator
project: prj_1
environments:
${environment('production', version)}${environment('staging', staging)}`;
}

function environment(name: string, { tag, level, api, memory, port, databases, hasAdmin }: Version): string {
  const host = name === 'production' ? 'shop.example.com' : `${name}.shop.example.com`;
  return `  ${name}:
    postgres:
      main:
        dockerImage: postgres:17
        databaseName: shop
        databaseUser: shop
        databasePassword: \${secret:DB}
        memoryLimit: ${memory}
        backups:
          nightly: { destinationId: dst_1, database: shop, prefix: ${name}/, schedule: "0 3 * * *" }
    redis:
${databases.map((one) => `      ${one}: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }\n`).join('')}    compose:
      shop:
        source:
          type: raw
          composeFile: |
            services:
              web:
                image: registry.example.com/shop/web:${tag}
                environment:
                  DATABASE_URL: \${DATABASE_URL}
                  LOG_LEVEL: ${level}
                depends_on: [worker]
                healthcheck:
                  test: [CMD, curl, -f, http://localhost:8080/health]
                  interval: 30s
              worker:
                image: registry.example.com/shop/worker:${tag}
                volumes: ["uploads:/srv/uploads"]
            volumes:
              uploads: {}
        env:
          DATABASE_URL: postgres://shop:\${secret:DB}@\${ref:postgres.main.host}:5432/shop
          LOG_LEVEL: ${level}
        domains:
          ${host}: { serviceName: web, port: ${port}, https: true, certificateType: letsencrypt }
    application:
      api:
        source: { type: docker, image: "registry.example.com/shop/api:${api}" }
        env: { REDIS_URL: "redis://\${ref:redis.cache.host}:6379" }
${
  hasAdmin
    ? `      admin:
        source: { type: docker, image: "registry.example.com/shop/admin:0.3.0" }
        env: { API_URL: "https://shop.example.com/api" }
        domains: { admin.example.com: { port: 3000 } }
`
    : ''
}`;
}
