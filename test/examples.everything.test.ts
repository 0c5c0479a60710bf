import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { World } from '../src/emulator/world.ts';
import type { PlanDocument } from '../src/render/document-schemas.ts';
import { kinds } from '../src/resources/index.ts';
import { documentOf, trueup } from './cli/process.ts';
import type { Bench } from './support/world.ts';
import { bench } from './support/world.ts';

/** The example with every kind: applied, destroyed, and applied again to the same world. */

const example = resolve(import.meta.dirname, '../examples/everything');

/** Members of rows that may differ between two worlds that are the same, by the reason. */
const maySay: Readonly<Record<string, readonly string[]>> = {
  'times of the platform': ['createdAt', 'updatedAt', 'lastUsedAt', 'createdAt2', 'initialisedAt'],
  'times of a deployment': ['startedAt', 'finishedAt', 'logPath'],
  'numbers and texts that the platform makes up': ['uniqueConfigKey', 'refreshToken', 'accessToken', 'certificatePath'],
  'lists that only ever grow': ['accessedServices', 'accessedEnvironments', 'accessedProjects'],
};
const ignored = new Set(Object.values(maySay).flat());

function everything(world?: World): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-everything-'));
  cpSync(example, folder, { recursive: true });
  const made = bench({ folder, ...(world === undefined ? {} : { emulate: { world } }) });
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => readFileSync(join(folder, path), 'utf8'));
  for (const [, name = ''] of texts.join('\n').matchAll(/\$\{secret:(\w+)\}/g)) made.secrets[name] = `canary-${name}`;
  made.secrets.EVERYTHING_SLACK_WEBHOOK = 'https://hooks.test/canary-of-a-hook';
  made.secrets.EVERYTHING_SSH_KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n`;
  return made;
}

test('its README sets every secret that it names', () => {
  const texts = readdirSync(example, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .map((path) => readFileSync(join(example, path), 'utf8'));
  const named = new Set([...texts.join('\n').matchAll(/\$\{secret:(\w+)\}/g)].map(([, name = '']) => name));
  const page = readFileSync(join(example, 'README.md'), 'utf8');
  const [, list = ''] = /^for name in ([^;]*);/m.exec(page) ?? [];
  const exported = [...page.matchAll(/^export TRUEUP_SECRET_(\w+)=/gm)].map(([, name = '']) => name);
  const looped = [...list.matchAll(/\w+/g)].map(([name]) => `EVERYTHING_${name}`);
  expect([...exported, ...looped].toSorted()).toEqual([...named].toSorted());
});

/** Every row of the platform with its ids and generated names replaced by what the rows are called. */
function worldOf(made: Bench): string[] {
  const { tables } = made.emulator.world;
  const rows = Object.entries(tables).flatMap(([table, byId]) =>
    Object.entries(byId).map(([id, row]) => ({ table, id, row: row as Record<string, unknown> })),
  );
  // The platform deletes no volume with its service.
  const mounted = new Set<unknown>(Object.values(tables.mount).map((row) => row.volumeName));
  const names = new Map<string, string>();
  for (const { table, id, row } of rows) {
    const called = [row.name, row.host, row.path, row.filePath, row.mountPath, row.prefix, row.email].filter(Boolean);
    names.set(id, `<${table} ${called.join(' ')}>`);
  }
  for (const { table, row } of rows) if (typeof row.appName === 'string') names.set(row.appName, `<name of ${table}>`);
  const longest = [...names.keys()].filter((id) => id.length > 6).toSorted((a, b) => b.length - a.length);
  return rows
    .filter(({ table, row }) => table !== 'volume' || mounted.has(row.volumeName))
    .map(({ table, row }) => {
      let text = JSON.stringify(row, (key, value: unknown) => (ignored.has(key) ? undefined : value));
      for (const id of longest) text = text.replaceAll(JSON.stringify(id).slice(1, -1), names.get(id) ?? '');
      // Routes have the key of their domain, which its turn decides.
      text = text.replaceAll(/(?<=\.<name of \w+>-)\d+(?=-web)/g, 'key');
      return `${table} ${text.replace(/trueup-[\w-]{12}/, '<mark>')}`;
    })
    .toSorted();
}

async function apply(made: Bench): Promise<void> {
  const result = await made.apply({}, { adoption: true, dataLoss: true });
  expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
}

async function plansNothing(made: Bench): Promise<void> {
  made.requests('POST');
  const plan = await made.plan({});
  expect(plan.actions.filter((action) => action.action !== 'no-op')).toEqual([]);
  expect(plan.actions.flatMap((action) => action.notes)).toEqual([]);
  await apply(made);
  expect(made.requests('POST')).toEqual([]);
}

async function connect(made: Bench): Promise<void> {
  for (const gitlabId of Object.keys(made.emulator.world.tables.gitlab)) {
    await made.emulator.act('gitlab.connect', { gitlabId });
  }
}

test.each(['emulator', '{ emulator: true, profile: dokploy }', '{ emulator: true, profile: standard }'])(
  'is applied, plans nothing but lab, and is destroyed by the command line with platform: %s',
  async (platform) => {
    const { folder, secrets } = everything();
    const file = join(folder, 'trueup.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('platform: emulator', `platform: ${platform}`));
    const env = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`TRUEUP_SECRET_${name}`, value]));
    const run = async (...args: string[]) => {
      const ran = await trueup(args, { cwd: folder, env });
      expect(ran.out + ran.err).not.toMatch(/^error\b/m);
      expect(ran.code).toBe(0);
      return ran;
    };
    await run('plan');
    await run('apply', '--adopt', '--auto-approve');
    const { actions } = documentOf(await run('plan', '--format', 'json')) as PlanDocument;
    expect(actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
    await run('destroy', '--allow-data-loss', '--auto-approve');
  },
);

/** Kinds that need a license, which a new emulator does not have. */
const licensed: readonly string[] = ['customRole', 'forwardAuth'];

test('declares every kind that needs no license', async () => {
  const { resources } = await everything().manifest({});
  const declared = new Set(resources.map(({ kind }) => kind.kind));
  expect([...declared].toSorted()).toEqual(
    kinds.flatMap(({ kind }) => (licensed.includes(kind) ? [] : [kind])).toSorted(),
  );
});

test('is applied, plans nothing once lab is connected, and after destroy and apply the objects are the same again', async () => {
  const made = everything();
  await apply(made);
  const pending = await made.plan({});
  expect(pending.actions.flatMap((action) => action.notes.map((note) => note.code))).toEqual(['pending']);
  await connect(made);
  await apply(made);
  await plansNothing(made);
  expect(JSON.stringify(made.store.state)).not.toContain('canary');
  const before = worldOf(made);
  const { github, gitProvider } = structuredClone(made.emulator.world.tables);

  const destroyed = await made.destroy({});
  expect(destroyed.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
  expect(made.store.state?.resources).toEqual({});
  const left = worldOf(made);
  expect(
    left.filter((row) => /^(application|compose|postgres|domain|mount|backup|volumeBackup|ai) /.test(row)),
  ).toEqual([]);

  // A person installs the app in the browser again.
  const world = structuredClone(made.emulator.world);
  Object.assign(world.tables.github, github);
  const apps = Object.entries(gitProvider).filter(([, { providerType }]) => providerType === 'github');
  Object.assign(world.tables.gitProvider, Object.fromEntries(apps));
  const again = everything(world);
  await apply(again);
  await connect(again);
  await apply(again);
  await plansNothing(again);
  expect(worldOf(again)).toEqual(before);
});

test('plans with one read per service and environment, per list of the organization, per git provider and per list that a service has apart', async () => {
  const made = everything();
  await apply(made);
  await connect(made);
  await apply(made);
  const { resources } = await made.manifest({});
  const ofKind = (rows: string) =>
    resources.filter((item) => (item.parent === undefined) === (rows === 'top')).map((item) => item);
  made.requests('GET');
  await made.plan({});
  const reads = made.requests('GET');
  const lists = new Set(ofKind('top').map(({ kind }) => kind.kind)).size;
  const providers = ofKind('top').filter(({ link }) => link.rows === 'summary').length;
  const services = ofKind('below').filter(({ link }) => link.rows === 'summary').length;
  const listedByCall = ofKind('below').filter(({ link }) => 'call' in link.listed);
  const below = new Set(listedByCall.map(({ kind, parent }) => `${kind.kind} of ${parent}`)).size;
  const environments = resources.filter(({ kind }) => kind.kind === 'environment').length;
  expect(reads.length).toBeLessThanOrEqual(1 + lists + providers + environments + services + below);
});
