import { expect, test } from 'vitest';
import type { Change } from '../../src/plan/action.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { plansNothing } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';
import { canariesIn } from '../secrets/canaries.ts';

/** Plans show both sides of what git shows anyway, and no secret beside it, however the platform and the manifest change. */

const main = 'production.compose.shop';

const manifest = ({ image = 'nginx:1', tag = '1', more = '' } = {}) => `${head}environments:
  production:
    compose:
      shop:
        source:
          type: raw
          composeFile: |
            services:
              web:
                image: ${image}
                command: serve --title \${secret:TITLE}
                environment:
                  LOG_LEVEL: info
                  DB_PASSWORD: canary-in-clear
        env: { TAG: "${tag}", URL: "postgres://shop:\${secret:PW}@db/shop", API_TOKEN: canary-token }
${more}`;

type Made = ReturnType<typeof bench>;

async function made(): Promise<Made> {
  const world = bench();
  Object.assign(world.secrets, { TITLE: 'ab', PW: 'canary-pw-4711' });
  await world.apply(manifest());
  await plansNothing(world, manifest());
  return world;
}

async function changes(world: Made, text: string): Promise<Record<string, Change>> {
  const plan = await world.plan(text);
  expect(canariesIn(JSON.stringify(plan.actions.map((action) => [action.changes, action.notes])))).toEqual([]);
  expect(canariesIn(JSON.stringify(world.store.state))).toEqual([]);
  return Object.fromEntries(plan.actions.flatMap((action) => action.changes).map((one) => [one.path, one]));
}

const masked = (text: string) => ({ is: 'masked', value: expect.stringContaining(text) as string });
const shown = (value: string) => ({ is: 'value', value });

const composeId = (world: Made) => world.store.state?.resources[main]?.id ?? '';

test('an edit beside secrets', async () => {
  const world = await made();
  const text = manifest({ image: 'nginx:2' });
  const found = await changes(world, text);
  expect(Object.keys(found)).toEqual(['source.composeFile']);
  expect(found['source.composeFile']).toMatchObject({
    cause: 'edit',
    before: masked('image: nginx:1\n    command: serve --title (sensitive)\n'),
    after: masked('image: nginx:2\n    command: serve --title (sensitive)\n'),
  });
  expect(JSON.stringify(found)).toContain('LOG_LEVEL: info\\n      DB_PASSWORD: (sensitive)');
  await world.apply(text);
  await plansNothing(world, text);
});

test('a new value of a secret', async () => {
  const world = await made();
  world.secrets.PW = 'canary-other-pw';
  world.secrets.TITLE = 'cd';
  const found = await changes(world, manifest());
  expect(found['env.URL']).toMatchObject({
    before: { is: 'masked', value: 'postgres://shop:(sensitive)@db/shop' },
    after: { is: 'masked', value: 'postgres://shop:(sensitive, changed)@db/shop' },
  });
  expect(JSON.stringify(found)).not.toMatch(/title (?:ab|cd)/);
  await world.apply(manifest());
  await plansNothing(world, manifest());
});

test('drift and a conflict show both sides, and a drifted text with secrets none of its own', async () => {
  const world = await made();
  const env = 'TAG=by-hand\nURL=postgres://shop:canary-foreign@db/other\nAPI_TOKEN=canary-foreign-token\n';
  const composeFile = 'services: { web: { image: nginx:9, command: serve --title xy } }\n';
  await world.emulator.act('compose.update', { composeId: composeId(world), env, composeFile });
  const drift = await changes(world, manifest());
  expect(drift['env.TAG']).toMatchObject({ cause: 'drift', before: shown('by-hand'), after: shown('1') });
  expect(drift['env.URL']).toMatchObject({ cause: 'drift', before: { is: 'hidden' } });
  expect(drift['env.API_TOKEN']).toMatchObject({ before: { is: 'hidden' }, after: { is: 'hidden' } });
  expect(drift['source.composeFile']).toMatchObject({ cause: 'drift', before: { is: 'hidden' } });
  const text = manifest({ tag: '2' });
  const conflict = await changes(world, text);
  expect(conflict['env.TAG']).toMatchObject({
    cause: 'conflict',
    last: shown('1'),
    before: shown('by-hand'),
    after: shown('2'),
  });
  await world.apply(text);
  await plansNothing(world, text);
});

const keys = `${head}environments:
  production:
    application:
      web:
        source: { type: docker, image: nginx }
        private: [CUSTOMER]
        env: { TAG: "1", LICENSE: "\${secret:LICENSE}", CUSTOMER: "canary-customer GmbH" }
`;

test.each([
  ['in a key before it', 'TAG="1\nLICENSE=canary-first\ncanary-second"\nCUSTOMER=x\n'],
  ['on the line before it', 'TAG="1 LICENSE=two canary-words"\nCUSTOMER=x\n'],
  ['in a key before a private one', 'TAG="1 CUSTOMER=the canary-customer GmbH"\nLICENSE=x\n'],
  ['in a key of its own', 'TAG=1\nLICENSE=canary-first\nmore=canary-second"\nCUSTOMER=x\n'],
])('of a secret whose quotes broke on the platform no part shows: %s', async (_title, env) => {
  const world = bench();
  world.secrets['LICENSE'] = 'canary-first\nmore=canary-second';
  await world.apply(keys);
  await plansNothing(world, keys);
  // The secret changed since, so that nothing knows the old one.
  world.secrets['LICENSE'] = 'other';
  const applicationId = world.store.state?.resources['production.application.web']?.id ?? '';
  await world.emulator.act('application.saveEnvironment', {
    applicationId,
    env,
    buildArgs: '',
    buildSecrets: '',
    createEnvFile: true,
  });
  const made = plan(await world.manifest(keys), { ...world.world(), values: 'all' });
  const { actions } = await made;
  expect(actions.flatMap(({ changes: all }) => all.map(({ path }) => path))).toContain('env.LICENSE');
  expect(canariesIn(JSON.stringify(actions.map((action) => [action.changes, action.notes])))).toEqual([]);
});

test('a key that becomes private', async () => {
  const world = await made();
  expect(JSON.stringify(world.store.state?.resources[main]?.pairs['env["TAG"]'])).toContain('"value":"1"');
  const text = manifest({ tag: '2', more: '        private: [TAG, LOG_LEVEL]\n' });
  const found = await changes(world, text);
  expect(found['env.TAG']).toMatchObject({ before: { is: 'hidden' }, after: { is: 'hidden' } });
  await world.apply(text);
  expect(world.store.state?.resources[main]?.pairs['env["TAG"]']?.answered).toEqual({
    digest: expect.any(String) as string,
  });
  await plansNothing(world, text);
  const edited = await changes(world, manifest({ image: 'nginx:3', tag: '2', more: '        private: [LOG_LEVEL]\n' }));
  expect(JSON.stringify(edited['source.composeFile'])).not.toContain('info');
});
