import { expect, test } from 'vitest';
import { obstacles } from '../../src/plan/safeguard.ts';
import type { Manifest } from '../../src/manifest/manifest.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { session } from '../../src/workflow/session.ts';
import { stage, stageHead } from '../support/stages.ts';
import { bench } from '../support/world.ts';

/** `moved:` of stages: in files that they share, and where an environment gets another name. */

const all = { dataLoss: true, adoption: true, massDeletion: true, massRecreation: true };
const image = 'source: { type: docker, image: "nginx:1.27" }';
const web = (...names: readonly string[]) =>
  `application: { ${names.map((name) => `${name}: { ${image} }`).join(', ')} }\n`;
const files = (shared: string, root: Readonly<Record<string, string>>) => ({
  ...Object.fromEntries(
    Object.entries(root).map(([file, own]) => [file, `${stageHead}include: [shop.yml]\n${own}`] as const),
  ),
  'shop.yml': shared,
});

/** A platform on which the manifests of a folder are applied one after the other, and planned. */
function applying() {
  const made = bench();
  return {
    apply: (manifest: Manifest) =>
      session(manifest, made.platform(), { purpose: 'apply', clock: made.clock }, async (run) =>
        run.apply(await run.plan({}), all),
      ),
    plan: (manifest: Manifest) => plan(manifest, made.world()),
  };
}

test('an entry of a shared file counts in each stage, without the environment, and in none that takes its block out', async () => {
  const moved =
    'moved: [{ from: application.api, to: application.web }, { from: application.old, to: application.new }]\n';
  const roots = {
    'staging.yaml': 'environment: staging\n',
    'live.yaml': 'environment: "1.live"\nchanges: { application: { new: !reset } }\n',
  };
  const before = files(web('api', 'old'), { ...roots, 'live.yaml': roots['live.yaml'].replace('new', 'old') });
  const after = files(web('web', 'new') + moved, roots);
  for (const [file, addresses] of [
    [
      'staging.yaml',
      [
        ['staging.application.api', 'staging.application.web'],
        ['staging.application.old', 'staging.application.new'],
      ],
    ],
    ['live.yaml', [['["1.live"].application.api', '["1.live"].application.web']]],
  ] as const) {
    const at = applying();
    await at.apply(await stage(before, file));
    const next = await stage(after, file);
    const planned = await at.plan(next);
    expect(planned.diagnostics, file).toEqual([]);
    const moves = planned.actions.flatMap(({ movedFrom, address }) =>
      movedFrom === undefined ? [] : [[movedFrom, address]],
    );
    expect(moves, file).toEqual(expect.arrayContaining(addresses as unknown as unknown[]));
    expect(
      planned.actions.filter(({ action }) => ['create', 'delete', 'replace'].includes(action)),
      file,
    ).toEqual([]);
    await at.apply(next);
    expect(
      (await at.plan(next)).actions.filter(({ action }) => action !== 'no-op'),
      file,
    ).toEqual([]);
  }
});

test('an entry of the root file, and of a file without an environment of its own, is taken as it is written', async () => {
  const own = `${stageHead}environment: application\n`;
  const entry = (from: string, to: string) => `moved: [{ from: ${from}, to: ${to} }]\n`;
  const movesOf = async (text: string, file: string) =>
    (await stage({ [file]: text }, file)).settings.moved.map(({ from, to }) => [from, to]);
  expect(await movesOf(own + web('b') + entry('redis.a', 'application.application.b'), 'staging.yaml')).toEqual([
    ['application.redis.a', 'application.application.b'],
  ]);
  expect(await movesOf(`${stageHead}environments: {}\n${entry('application.a', 'x.redis.b')}`, 'staging.yaml')).toEqual(
    [['application.a', 'x.redis.b']],
  );
});

test('another name of the environment needs one entry, and the error for the deletion says so', async () => {
  const at = applying();
  const staged = (name: string, more = '') =>
    stage({ 'staging.yaml': `${stageHead}environment: ${name}\n${web('a', 'b')}${more}` });
  await at.apply(await staged('staging'));
  const refused = obstacles(await at.plan(await staged('test')), all);
  const entry = 'moved: [{ from: "staging", to: "test" }]';
  expect(refused).toMatchObject([
    {
      code: 'deletes-everything',
      remedy: `If the environment got another name, write ${entry}. Look whether the manifest is whole: the folder, the branch, its includes.`,
    },
  ]);
  const renamed = await staged('test', `${entry}\n`);
  const planned = await at.plan(renamed);
  expect(obstacles(planned, all)).toEqual([]);
  expect(planned.actions.filter(({ action }) => ['create', 'delete', 'replace'].includes(action))).toEqual([]);
  await at.apply(renamed);
  expect((await at.plan(renamed)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});
