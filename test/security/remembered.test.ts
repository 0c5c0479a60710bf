import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { project, trueup } from '../cli/process.ts';
import { edit } from '../support/drifting.ts';

/** What came from a secret stays concealed in a run that does not know its value. */

const apiKey = 'right-key-4711';
const secrets = {
  TEAM: 'northwind',
  VOLUME: 'riverside',
  VERSION: 'moonstone',
  NETWORK: 'lakeview',
  ARGUMENT: 'tall oaks',
  SHORT: 'k7q',
};
const known = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`TRUEUP_SECRET_${name}`, value]));
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

const compose = `
    compose:
      shop:
        deploy: never
        source:
          type: raw
          composeFile: |
            services:
              web:
                image: registry.example.com/\${secret:TEAM}/web:1.27
                volumes: ["data:/srv/\${secret:VOLUME}"]
              db:
                image: "postgres:17-\${secret:VERSION}"
                dns_search: ["\${secret:NETWORK}"]
                volumes: ["data:/var/lib/\${secret:SHORT}"]
            volumes:
              data: {}
        env: { TIER: gold, PIN: "\${secret:SHORT}" }
`;
const command = `
    mariadb:
      jobs: { databaseName: shop, databaseUser: shop, databasePassword: pw-4711-pw, databaseRootPassword: pw-4712-pw, dockerImage: "mariadb:11", command: "mariadbd --name '\${secret:ARGUMENT}'" }
`;
const redis = '\n    redis:\n      cache: { dockerImage: "redis:8", databasePassword: pw-4711-pw }\n';

interface Here {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly write: (blocks: string) => void;
  readonly run: (...args: string[]) => ReturnType<typeof trueup>;
  readonly emulator: Emulator;
}

/** A project that was applied with its secrets, in a run that knew them; the runs of the test do not. */
async function applied(blocks: string): Promise<Here> {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const server = await serve(emulator);
  open.push(server);
  const text = (more: string) =>
    `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\nenvironments:\n  production:${more}`;
  const folder = project(text(blocks));
  const env = { TRUEUP_API_KEY: apiKey, TRUEUP_URL: server.url };
  const first = await trueup(['apply', '--auto-approve', '-C', folder], { env: { ...env, ...known } });
  expect(first).toMatchObject({ code: 0 });
  expect((await trueup(['plan', '-C', folder], { env: { ...env, ...known } })).out).toContain('No changes.');
  return {
    folder,
    env,
    emulator,
    write: (more) => writeFileSync(join(folder, 'trueup.yaml'), text(more)),
    run: (...args) => trueup([...args, '-C', folder], { env }),
  };
}

/** The values of secrets that a text shows. */
function shownIn({ out, err }: { readonly out: string; readonly err: string }): string[] {
  return Object.values(secrets).filter((value) => `${out}${err}`.includes(value));
}

const formats = ['text', 'json', 'markdown', 'sarif', 'junit', 'html'];
const values = [[], ['--hide-values']];

describe.each(formats)('in %s', (format) => {
  test('the deletion of what was made with secrets', async () => {
    const here = await applied(compose + command + redis);
    here.write(redis);
    for (const more of values) {
      const found = await here.run('plan', '--format', format, ...more);
      expect(found.code).toBe(0);
      expect(shownIn(found)).toEqual([]);
      if (format !== 'sarif') expect(found.out).toContain('production.compose.shop');
    }
    expect(shownIn(await here.run('plan', '--destroy', '--format', format))).toEqual([]);
    expect(shownIn(await here.run('drift', '--format', format))).toEqual([]);
  });

  test('its replacement, and a run that lacks the secrets of a block', async () => {
    const here = await applied(compose + command + redis);
    for (const more of values) {
      const found = await here.run('plan', '--format', format, '--replace', 'production.compose.shop', ...more);
      expect(shownIn(found)).toEqual([]);
      expect(shownIn(await here.run('plan', '--format', format, ...more))).toEqual([]);
    }
    // Another text, without secrets, in place of what came from them.
    here.write(compose.replaceAll(/\$\{secret:\w+\}/g, 'plain').replace('1.27', '1.28') + command + redis);
    for (const more of values) {
      expect(shownIn(await here.run('plan', '--format', format, ...more))).toEqual([]);
      expect(shownIn(await here.run('drift', '--format', format, ...more))).toEqual([]);
    }
  });
});

test('a deletion names what is in clear around the secrets', async () => {
  const here = await applied(compose + redis);
  here.write(redis);
  const { out } = await here.run('plan');
  expect(out).toContain('services: web (registry.example.com/(sensitive)/web:1.27), db (postgres:17-(sensitive))');
  expect(out).toContain('the volumes data at /srv/(sensitive), data at /var/lib/(sensitive) stay on the server');
  const gone = await here.run('apply', '--auto-approve', '--allow-data-loss');
  expect(gone.code).toBe(0);
  expect(shownIn(gone)).toEqual([]);
  expect((await here.run('plan')).out).toContain('No changes.');
});

test('a key conceals what broke out of the secret of another', async () => {
  const blocks = `
    compose:
      shop:
        deploy: never
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        env: { TIER: gold, NOTE: "\${secret:SHORT}", OTHER: one }
`;
  const here = await applied(blocks);
  const [composeId] = Object.keys(here.emulator.world.tables.compose);
  for (const env of [
    `TIER="gold NOTE=${secrets.SHORT}"\nOTHER=two\n`,
    `TIER="gold\n${secrets.SHORT}"\nNOTE=x\nOTHER=two\n`,
    `TIER=gold\nNOTE="x\n${secrets.SHORT}=more"\nOTHER=two\n`,
  ]) {
    await edit({ emulator: here.emulator, apiKey }, 'compose.update', { composeId, env });
    for (const format of formats) {
      expect(shownIn(await here.run('drift', '--format', format))).toEqual([]);
      expect(shownIn(await here.run('plan', '--format', format))).toEqual([]);
    }
    expect((await here.run('drift')).out).toContain('two');
  }
});

test('the other commands conceal it too, and a plan file', async () => {
  const here = await applied(compose + command + redis);
  const shop = 'production.compose.shop';
  const all = async () => {
    const file = join(here.folder, 'plan.json');
    expect(await here.run('plan', '--out', file)).toMatchObject({ code: 0 });
    return [
      await here.run('explain', shop),
      await here.run('status'),
      await here.run('graph'),
      await here.run('state', 'show', shop),
      await here.run('show', file),
      { out: readFileSync(file, 'utf8'), err: '' },
      { out: readFileSync(join(here.folder, '.trueup/state.json'), 'utf8'), err: '' },
    ];
  };
  expect((await all()).flatMap(shownIn)).toEqual([]);
  here.write(redis);
  expect((await all()).flatMap(shownIn)).toEqual([]);
});

test('a deletion conceals what its block called private', async () => {
  const text = `
    compose:
      shop:
        deploy: never
        private: [image]
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: northwind/web:1.27\\n" }
`;
  const here = await applied(text + redis);
  here.write(redis);
  const found = await here.run('plan');
  expect(shownIn(found)).toEqual([]);
  expect(found.out).toContain('services: web ((sensitive))');
});

test('of a text that was changed on the platform, what is at risk is said without names', async () => {
  const here = await applied(compose + redis);
  const [composeId] = Object.keys(here.emulator.world.tables.compose);
  await edit({ emulator: here.emulator, apiKey }, 'compose.update', {
    composeId,
    composeFile: `services:\n  web: { image: "nginx-${secrets.TEAM}", volumes: ["data:/${secrets.VOLUME}"] }\nvolumes: { data: {} }\n`,
  });
  here.write(redis);
  const found = await here.run('plan');
  expect(shownIn(found)).toEqual([]);
  expect(found.out).toContain('data at risk: 1 volume stays on the server, and nothing mounts it any more');
});
