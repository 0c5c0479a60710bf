import { mkdirSync, mkdtempSync, writeFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { platformOf } from '../../src/project/open-connection.ts';
import type { ProjectFolder } from '../../src/project/folder.ts';
import { loadManifest } from '../../src/project/load.ts';
import { openProject } from '../../src/project/open-project.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { findTarget } from '../../src/project/target.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { session } from '../../src/workflow/session.ts';
import { folderWith } from '../diagnostics/provoked.ts';

/** A manifest is opened together with its platform: what its state knows is read meanwhile. */

const manifestOf = (url: string, { services = 3, more = '' } = {}): string => `trueup: 1
platform: { url: "${url}", profile: dokploy }
project: prj_1
environments:
  production:
    env: { REGION: eu }
    redis:
${Array.from({ length: services }, (_, n) => `      cache${n}: { dockerImage: "redis:8", databasePassword: password-${n} }`).join('\n')}
registries:
  own: { username: owner, password: password-9 }
${more}`;

/** A platform with a folder whose manifest was applied to it. */
async function applied() {
  const emulator = createEmulator({ profile: 'dokploy' });
  const server = await serve(emulator);
  onTestFinished(() => server.close());
  const folder = mkdtempSync(join(tmpdir(), 'trueup-open-'));
  const options: ProjectFolder = {
    folder,
    file: 'trueup.yaml',
    env: { TRUEUP_API_KEY: 'emulator-key' },
    redactor: createRedactor(),
    kinds,
    variables: new Map<string, string>(),
    isPinned: false,
  };
  const write = (text: string) => writeFileSync(join(folder, 'trueup.yaml'), text);
  write(manifestOf(server.url));
  const about = { options, purpose: 'test' };
  const load = (onSettings?: Parameters<Parameters<typeof openProject>[0]>[0]) => loadManifest(options, { onSettings });
  const { manifest } = await load();
  await session(manifest, platformOf(manifest.settings, about), { purpose: 'apply' }, async (opened) =>
    opened.apply(await opened.plan(), { dataLoss: false, adoption: true }),
  );
  /** The reads since the last call, with what they asked for. */
  const reads = () =>
    emulator.log
      .splice(0)
      // A client reads the limit of its key once, whatever it reads then.
      .filter(({ operation }) => operation !== 'user.getBackups')
      .map(({ method, operation, input }) => `${method} ${operation} ${JSON.stringify(input)}`);
  reads();
  return { emulator, url: server.url, write, about, load, reads };
}

test('reads what the state knows before the manifest is checked', async () => {
  const { emulator, about, load, reads } = await applied();
  const { validated, connection } = await openProject(
    async (onSettings) => {
      const loaded = await load(onSettings);
      await expect.poll(() => emulator.log.map(({ operation }) => operation)).toContain('redis.one');
      return loaded;
    },
    { ...about, bulk: false },
  );
  onTestFinished(connection.close);
  const early = reads();
  expect(early.filter((read) => !read.startsWith('GET'))).toEqual([]);
  expect(hasChanges(await plan(validated.manifest, connection))).toBe(false);
  const late = reads();
  // Each once, and the same ones as without a head start.
  expect(hasChanges(await plan(validated.manifest, { ...connection, ahead: undefined }))).toBe(false);
  expect([...early, ...late].toSorted()).toEqual(reads().toSorted());
});

test('reads anew in a second plan, and the state too', async () => {
  const { about, load, write, url } = await applied();
  const { validated, connection } = await openProject(load, about);
  onTestFinished(connection.close);
  expect(hasChanges(await plan(validated.manifest, connection))).toBe(false);
  write(manifestOf(url, { services: 4 }));
  const { manifest } = await load();
  await session(manifest, platformOf(manifest.settings, about), { purpose: 'apply' }, async (opened) =>
    opened.apply(await opened.plan(), { dataLoss: false, adoption: true }),
  );
  expect(hasChanges(await plan(manifest, connection))).toBe(false);
});

test('ends with the mistakes of a manifest, after GETs alone', async () => {
  const { about, load, write, url, reads } = await applied();
  write(manifestOf(url, { more: 'environment:\n  other: {}\n' }));
  await expect(openProject(load, about)).rejects.toMatchObject({ failure: 'manifest' });
  expect(reads().filter((read) => !read.startsWith('GET'))).toEqual([]);
});

test('says what the manifest lacks before what the connection lacks', async () => {
  const { about, load, write, url } = await applied();
  const keyless = { ...about, options: { ...about.options, env: {} } };
  await expect(openProject(load, keyless)).rejects.toMatchObject({ failure: 'authentication' });
  write(manifestOf(url, { more: 'environment:\n  other: {}\n' }));
  await expect(openProject(load, keyless)).rejects.toMatchObject({ failure: 'manifest' });
});

test('says what the manifest lacks before what the state lacks', async () => {
  const { about, load, write, url } = await applied();
  writeFileSync(join(about.options.folder, '.trueup', 'state.json'), '{');
  await expect(openProject(load, about)).rejects.toMatchObject({ failure: 'state' });
  write(manifestOf(url, { more: 'environment:\n  other: {}\n' }));
  await expect(openProject(load, about)).rejects.toMatchObject({ failure: 'manifest' });
});

test('reads nothing ahead for the state of another project', async () => {
  const { about, load, write, url, reads } = await applied();
  write(manifestOf(url).replace('prj_1', 'prj_2'));
  const { connection } = await openProject(load, about);
  onTestFinished(connection.close);
  expect(connection.ahead).toBeUndefined();
  expect(reads()).toEqual([]);
});

test('sends nothing for a manifest in which a mistake was found already', async () => {
  const { about, load, write, url, reads } = await applied();
  write(manifestOf(url, { more: 'include: ["none/*.yaml"]\n' }));
  await expect(openProject(load, about)).rejects.toMatchObject({ failure: 'manifest' });
  expect(reads()).toEqual([]);
});

test('reads nothing ahead where sources are asked for secrets', async () => {
  const { about, load, write, url, reads } = await applied();
  write(manifestOf(url, { more: 'secrets: [{ command: [pass, show, "{name}"] }]\n' }));
  const { connection } = await openProject(load, about);
  onTestFinished(connection.close);
  expect(connection.ahead).toBeUndefined();
  expect(reads()).toEqual([]);
});

test('gives up what the platform does not answer when the connection is closed', async () => {
  const { emulator, about, load } = await applied();
  const { send } = emulator;
  const held = vi
    .spyOn(emulator, 'send')
    .mockImplementation((request) =>
      request.path.includes('user.get') ? new Promise(() => undefined) : send(request),
    );
  const { connection } = await openProject(load, { ...about, deadlineMs: 3_600_000 });
  await expect.poll(() => held.mock.calls.length).toBeGreaterThan(0);
  await connection.close();
});

/** A folder, with surroundings that have nothing. */
function placeIn(folder: string): ProjectFolder {
  return { folder, file: 'trueup.yaml', env: {}, redactor: createRedactor(), kinds, variables: new Map() };
}

test('a manifest that is missing in a sub folder is named where it is: nothing says to write a second one', async () => {
  const above = mkdtempSync(join(tmpdir(), 'trueup-open-'));
  writeFileSync(join(above, 'trueup.yaml'), '');
  const folder = join(above, 'environments', 'production');
  mkdirSync(folder, { recursive: true });
  await expect(loadManifest(placeIn(folder))).rejects.toMatchObject({
    diagnostics: [{ code: 'file-unreadable', remedy: `There is one in ${above}: give -C ${above}.` }],
  });
});

test.each([
  ['a root file of another name', { 'trueup.yml': 'trueup: 1\n' }, 'It has trueup.yml: name one with -f.'],
  [
    'no such file',
    { 'README.md': '', 'truepu.yaml': '' },
    'Name the folder of the manifest with -C, or the file in it with -f. trueup init writes a first one.',
  ],
])('a manifest that is missing is reported where there is %s', async (_where, names, remedy) => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-open-'));
  for (const [name, text] of Object.entries(names)) writeFileSync(join(folder, name), text);
  await expect(loadManifest(placeIn(folder))).rejects.toMatchObject({
    diagnostics: [{ code: 'file-unreadable', message: `there is no file trueup.yaml in ${folder}`, remedy }],
  });
});

test('a manifest that is a link out of the folder, or to nothing, is said to be one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-open-'));
  const elsewhere = mkdtempSync(join(tmpdir(), 'trueup-open-'));
  symlinkSync(join(elsewhere, 'trueup.yaml'), join(folder, 'trueup.yaml'));
  await expect(loadManifest(placeIn(folder))).rejects.toMatchObject({
    diagnostics: [
      {
        message: `trueup.yaml in ${folder} is a link to a file that is not there`,
        remedy: 'Put the file itself in the place of the link.',
      },
    ],
  });
  writeFileSync(join(elsewhere, 'trueup.yaml'), 'trueup: 1\n');
  await expect(loadManifest(placeIn(folder))).rejects.toMatchObject({
    diagnostics: [
      {
        message: 'trueup.yaml leads by a link out of the workspace, the folder of trueup.yaml',
        remedy:
          'Put the file itself in the place of the link, or run Trueup in the folder that the link leads to (-C).',
      },
    ],
  });
});

describe('a root file of several that is named wrong', () => {
  const files = {
    'shop.yaml': 'project: prj_1\n',
    'production.yaml': 'trueup: 1\nplatform: emulator\nenvironment: production\ninclude: [shop.yaml]\n',
    'staging.yaml': 'trueup: 1\nplatform: emulator\nenvironment: staging\ninclude: [shop.yaml]\n',
    '.trueup/test.yaml/state.json': '{}',
  };
  const folder = folderWith(files);
  const [none, shared] = [(file: string) => `there is no file ${file} in ${folder}`, 'shop.yaml is no root file: '];

  test.each([
    ['prod.yaml', none('prod.yaml'), 'It has production.yaml, staging.yaml: name one with -f.'],
    ['production', none('production'), 'Did you mean production.yaml?'],
    ['stagin.yaml', none('stagin.yaml'), 'Did you mean staging.yaml?'],
    [
      'test.yaml',
      none('test.yaml'),
      'Its state is still there. If you renamed it, run trueup state move test.yaml NEW-FILE. ' +
        'If it was deleted, take it from git again: git log -- test.yaml lists its commits.',
    ],
    [
      'shop.yaml',
      `${shared}production.yaml, staging.yaml include it`,
      'Name a root file: trueup plan -f production.yaml.',
    ],
  ])('%s leads to the right one', async (file, message, remedy) => {
    const options = { ...placeIn(folder), file };
    const expected = { diagnostics: [{ message, remedy }] };
    await expect(loadManifest(options)).rejects.toMatchObject(expected);
    await expect(findTarget(options)).rejects.toMatchObject(expected);
  });
});
