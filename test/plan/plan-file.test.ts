import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planFile } from '../../src/plan/plan-facts.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { partAddress } from '../../src/kind/address.ts';
import { textsIn } from '../../src/formats/json.ts';
import type { Field } from '../../src/kind/field.ts';
import { fieldPath } from '../../src/kind/row-values.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import { planFileText } from '../../src/plan/plan-file.ts';
import { obstacles } from '../../src/plan/safeguard.ts';
import { kinds } from '../../src/resources/index.ts';
import { actionsOf, everything, plansNothing, results } from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import type { Body, Stand } from '../support/kind-manifests.ts';
import {
  addressOf,
  canBeCopied,
  copyOf,
  manifestOf,
  manifestWith,
  markOf,
  together,
  triedStands,
  withField,
} from '../support/kind-manifests.ts';
import { kindNamed } from '../support/random-manifest.ts';
import { actionsIn, again, applyFile, fileIn, review, thisVersion } from '../support/reviewed.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import { isAll, thinned } from '../support/whole.ts';

/** Plans that go through a file come out as they were, and their file gives nothing away. */

/** A world in which the secrets of the examples exist, and a member whose rights can be changed. */
function world(): Bench {
  const seed = seedWorld();
  Object.assign(seed.tables.user['user_1'] ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  addRow(seed, 'user', { id: 'user_9', email: 'member@example.test' });
  addRow(seed, 'member', { id: 'member_9', userId: 'user_9', organizationId: 'org_1', role: 'member' });
  const made = bench({ emulate: { world: seed } });
  for (const kind of kinds)
    for (const [, name = ''] of kind.examples.join('\n').matchAll(/\$\{secret:(\w+)\}/g))
      made.secrets[name] = canary(name);
  return made;
}

/** A secret that the platform takes, and that nothing else holds. */
function canary(name: string): string {
  if (name.endsWith('WEBHOOK')) return `https://hooks.test/canary-${name}`;
  if (!/KEY$|CERTIFICATE$/.test(name) || name === 'MODEL_KEY') return `canary-${name}`;
  const what = name.endsWith('CERTIFICATE')
    ? 'CERTIFICATE'
    : name === 'DEPLOY_KEY'
      ? 'OPENSSH PRIVATE KEY'
      : 'PRIVATE KEY';
  return `-----BEGIN ${what}-----\ncanary${name.replaceAll('_', '')}\n-----END ${what}-----\n`;
}

/** Does in the browser what makes the platform list a provider, and applies what waited for it. */
async function connectAll(made: Bench, text: string): Promise<void> {
  for (const gitlabId of Object.keys(made.emulator.world.tables.gitlab)) {
    await made.emulator.act('gitlab.connect', { gitlabId });
  }
  await done(made, await review(made, text), text);
}

async function done(made: Bench, file: string, text: string): Promise<void> {
  const result = await applyFile(made, file, text, { dataLoss: true, massDeletion: true });
  expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
}

/** Plans into a file, applies the file, and then plans nothing. */
async function applied(made: Bench, text: string): Promise<string> {
  made.requests('POST');
  const file = await review(made, text);
  expect(made.requests('POST')).toEqual([]);
  const planned = actionsOf(await made.plan(text));
  expect(actionsOf(await again(made, file, text))).toEqual(planned);
  await done(made, file, text);
  if (Object.keys(made.emulator.world.tables.gitlab).length > 0) await connectAll(made, text);
  await plansNothing(made, text);
  return file;
}

const textOf = (stands: readonly Stand[], bodyOf: (stand: Stand) => Body | undefined) =>
  manifestOf(stands.map((stand) => manifestWith(stand, bodyOf(stand))));

describe.each(together(triedStands()))('$title', ({ group }) => {
  test('goes through a file when it is created, adopted and deleted', async () => {
    const made = world();
    const text = textOf(group, ({ body }) => body);
    const first = actionsIn(await applied(made, text));
    for (const stand of group) expect(Object.keys(first)).toContain(addressOf(stand));
    made.store.state = undefined;
    const second = actionsIn(await applied(made, text));
    for (const stand of group) expect(second[addressOf(stand)]).toMatchObject({ 'action adopt': '', consent: '' });
    await applied(
      made,
      textOf(group, () => undefined),
    );
  });
});

interface Edit {
  readonly stand: Stand;
  readonly name: string;
  readonly bodies: readonly [Body, Body];
}

/** The changes of fields that are tried, each on an object of its own. */
function edits(): Edit[] {
  const edited = new Set<Field | string>();
  return triedStands().flatMap((stand) => {
    const { kind } = stand;
    const found = Object.entries(kind.fields).flatMap(([name, field]) => {
      const bodies = field.examples.map((value) => withField(stand, name, value));
      // Fields are the same below every parent; one that kinds share is tried in the first of them, unless everything is.
      const one = isAll ? `${kind.kind} ${name}` : field;
      if (bodies[0] === undefined || bodies[1] === undefined || typeof field.onChange === 'object') return [];
      if (edited.has(one)) return [];
      edited.add(one);
      return [{ stand, name, bodies: bodies as [Body, Body] }];
    });
    return thinned(found, 3);
  });
}

/** The changes by kind; what cannot be there twice is alone. */
function editsTogether(): { readonly title: string; readonly group: readonly Edit[] }[] {
  const groups = new Map<string, Edit[]>();
  for (const edit of edits()) {
    const { stand, name } = edit;
    const title = canBeCopied(stand) ? `fields of ${stand.kind.kind}` : `${name} of ${stand.title}`;
    const group = groups.get(title) ?? [];
    const copy = canBeCopied(stand) ? copyOf(stand, markOf(group.length)) : stand;
    groups.set(title, [...group, { ...edit, stand: copy }]);
  }
  return [...groups].map(([title, group]) => ({ title, group }));
}

test.each(editsTogether())(
  'another value of each of the $title goes through a file: it names the field and holds no value',
  async ({ group }) => {
    const made = world();
    const textWith = (which: 'first' | 'second') =>
      manifestOf(
        group.map(({ stand, bodies: [first, second] }) => manifestWith(stand, which === 'first' ? first : second)),
      );
    const first = textWith('first');
    const [{ stand }] = group as [Edit];
    // What cannot be made is taken over first.
    if (stand.kind.operations.create === undefined)
      await made.apply(
        textOf([stand], ({ body }) => body),
        everything,
      );
    await made.apply(first, everything);
    if (stand.kind.identity.listedOnce !== undefined) await connectAll(made, first);
    const text = textWith('second');
    const purpose = { manifest: await made.manifest(text), deploys: true, destroys: false };
    const planned = await plan(purpose.manifest, made.world(), purpose);
    expect(obstacles(planned, everything)).toEqual([]);
    const file = planFileText(planFile(planned, purpose, thisVersion, await made.store.key()));
    expect(await namesNothingElse(file, made, text)).toEqual([]);
    expect(actionsOf(await again(made, file, text))).toEqual(actionsOf(planned));
    const actions = actionsIn(file);
    const unnamed = group.filter((edit) => {
      // Where the new object is made first, what it replaces goes later.
      const own = [addressOf(edit.stand), partAddress(addressOf(edit.stand), 'deposed')];
      const paths = own.flatMap((address) => Object.keys(actions[address] ?? {}));
      const path = `was ${fieldPath(edit.stand.kind, edit.name)}`;
      return !paths.some((one) => one === path || one.startsWith(`${path}.`));
    });
    expect(unnamed.map(({ stand, name }) => `${name} of ${stand.title}`)).toEqual([]);
  },
);

/** Words of the form of a file, and of Trueup's own settings. */
const words = [
  'trueup/plan-file emulator block declared missing action id was warning risk consent send order member changed',
  'create update move replace delete adopt forget gone deploy reset after in teardown steps',
  'id protect envMode accessMode deleteVolumes',
].flatMap((line) => line.split(' '));

/** The names of the kinds, of their fields and of the operations of the platform, and the words. */
const knownNames: ReadonlySet<string> = new Set([
  ...kinds.flatMap(({ kind, fields }) => [
    kind,
    ...Object.keys(fields),
    ...Object.keys(fields).map((name) => fieldPath(kindNamed(kind), name)),
  ]),
  ...[...extendedContracts.standard.operations].flatMap(([operation, { endpoint }]) => [
    operation,
    ...Object.keys(endpoint.input.shape),
  ]),
  ...words,
]);

/** What a file holds that is neither a digest nor a name: nothing, if it keeps its promise. */
async function namesNothingElse(file: string, made: Bench, text: string | Record<string, string>): Promise<string[]> {
  const { facts, state, shown: _encrypted, ...about } = fileIn(file);
  const { resources } = await made.manifest(text);
  const records = made.store.state?.resources ?? {};
  const addresses = [...resources.map(({ address }) => address), ...Object.keys(records)];
  const names = new Set([
    ...addresses,
    ...resources.flatMap(({ maps }) => Object.values(maps).flatMap((entries) => [...entries.keys()])),
    ...Object.values(made.emulator.world.tables).flatMap((rows) => Object.keys(rows)),
    ...Object.values(records).flatMap(({ id }) => id ?? []),
    ...Object.values(facts).flatMap(({ risk = '' }) => [risk]),
    about.madeBy,
    about.madeAt,
    about.root,
    ...Object.values(state).map(String),
  ]);
  // Names may be joined by dots or a colon, and have dots themselves.
  const isName = (one: string): boolean =>
    names.has(one) ||
    knownNames.has(one) ||
    [...one.matchAll(/[.:]/g)].some(({ index }) => isName(one.slice(0, index)) && isName(one.slice(index + 1)));
  const isDigest = (one: string): boolean => /^[\w-]{43}$/.test(one);
  const isWarning = (path: string): boolean => path.startsWith('warning ');
  const texts = Object.entries(facts).flatMap(([address, one]) => [
    address.replace(/ \((deploy|old)\)$/, ''),
    ...Object.keys(one).flatMap((path) => (isWarning(path) ? [] : path.split(' '))),
    ...Object.values(one).flatMap((value) => (names.has(value) ? [] : value.split(' '))),
  ]);
  return [...texts, ...textsIn({ ...about })].filter((one) => one !== '' && !isDigest(one) && !isName(one));
}

describe('the example with every kind', () => {
  const example = resolve(import.meta.dirname, '../../examples/everything');

  function benchOfExample(): Bench {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-file-'));
    cpSync(example, folder, { recursive: true });
    const made = bench({ folder });
    const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.yaml'))
      .map((path) => readFileSync(join(folder, path), 'utf8'));
    for (const [, name = ''] of texts.join('\n').matchAll(/\$\{secret:(\w+)\}/g)) made.secrets[name] = `canary-${name}`;
    made.secrets.EVERYTHING_SLACK_WEBHOOK = 'https://hooks.test/canary-of-a-hook';
    made.secrets.EVERYTHING_SSH_KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n`;
    return made;
  }

  test('is applied from a file that holds no secret, and then plans nothing', async () => {
    const made = benchOfExample();
    const file = await review(made, {});
    expect(file).not.toContain('canary');
    expect(await namesNothingElse(file, made, {})).toEqual([]);
    for (const permission of [false, true]) {
      const result = await applyFile(made, permission ? await review(made, {}) : file, {}, { dataLoss: permission });
      expect(Object.values(results(result)).filter((became) => became !== 'done')).toEqual([]);
      for (const gitlabId of Object.keys(made.emulator.world.tables.gitlab)) {
        await made.emulator.act('gitlab.connect', { gitlabId });
      }
    }
    expect(actionsIn(await review(made, {}))).toEqual({});
    const gone = await review(made, {}, { destroys: true });
    const paths = Object.values(fileIn(gone).facts).flatMap((facts) => Object.keys(facts));
    expect(paths.filter((path) => /^(block|declared|missing)/.test(path))).toEqual([]);
    expect(gone).not.toContain('canary');
    const result = await applyFile(made, gone, {}, { dataLoss: true });
    expect(Object.values(results(result)).filter((became) => became !== 'done')).toEqual([]);
    expect(made.store.state?.resources).toEqual({});
  });
});

describe('a plan file', () => {
  const text = `${production(`    env: { REGION: eu-of-the-manifest }\n${stack(`env: { A: "\${secret:TOKEN}", B: "\${secret:TOKEN}", HOST: "\${ref:production.postgres.main.host}" }`)}`)}${database()}`;

  async function started(): Promise<Bench> {
    const made = bench();
    made.secrets.TOKEN = '1234';
    return made;
  }

  test('is the same for the same plan, but for its time', async () => {
    const made = await started();
    await made.apply(text);
    made.secrets.TOKEN = '5678';
    const [one, other] = [fileIn(await review(made, text)), fileIn(await review(made, text))];
    expect({ ...one, madeAt: '', seal: '' }).toEqual({ ...other, madeAt: '', seal: '' });
    expect(Object.keys(actionsIn(planFileText(one)))).toEqual([
      'production.compose.shop',
      'production.compose.shop (deploy)',
    ]);
    await applied(made, text);
  });

  test('has different digests for the same value in two places', async () => {
    const made = await started();
    const { facts } = fileIn(await review(made, text));
    const shop = facts['production.compose.shop'] ?? {};
    expect(shop['declared env.A']).toMatch(/^[\w-]{43}$/);
    expect(shop['declared env.A']).not.toBe(shop['declared env.B']);
    const digests = textsIn(facts).filter((one) => /^[\w-]{43}$/.test(one));
    expect(digests.length).toBeGreaterThan(10);
    expect(new Set(digests).size).toBe(digests.length);
    await applied(made, text);
  });

  test('names the lineage of a state, and holds no key, also while there is no state', async () => {
    const made = await started();
    expect(fileIn(await applied(made, text)).state).toEqual({ lineage: made.store.state?.lineage });
    const later = await review(made, text);
    expect(fileIn(later).state).toMatchObject({ lineage: made.store.state?.lineage, serial: 1 });
  });

  test('holds no value of the platform', async () => {
    const made = await started();
    await made.apply(text);
    for (const row of Object.values(made.emulator.world.tables.compose)) {
      Object.assign(row, { env: 'A=by-hand-canary\nMORE=by-hand-canary\n', composeFile: 'by-hand-canary' });
    }
    const file = await review(made, text);
    expect(file).not.toContain('canary');
    const paths = Object.keys(actionsIn(file)['production.compose.shop'] ?? {});
    expect(paths.filter((path) => path.startsWith('was ')).toSorted()).toEqual(
      ['env.A', 'env.B', 'env.HOST', 'env.MORE', 'source.composeFile'].map((path) => `was ${path}`),
    );
    await applied(made, text);
  });
});
