import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { armor, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import type { Json } from '../../src/formats/json.ts';
import { exampleSecrets } from '../secrets/canaries.ts';
import { trueupInEveryFormat } from '../support/every-format.ts';
import type { Stand } from '../support/kind-manifests.ts';
import { addressOf, manifestWith, stands, withField } from '../support/kind-manifests.ts';
import { effort } from '../support/whole.ts';
import type { Leaf } from './leaves.ts';
import { composeTexts, leavesOf, shownIn, valueWith } from './leaves.ts';

/**
 * A secret in each leaf of each kind shows nowhere, whatever a check would make of it: in no output, no state and no plan
 * file; in runs that know it, that lost it and that never had it; in changes, drift, deletions and replacements. Where it
 * may not stand, the error does not show it either.
 */

/** How a value gets into a manifest. */
type Source = 'environment' | 'age' | 'program' | 'env';

/** A field of a kind, or a place in the text of a compose file, that gets a secret. */
interface Place {
  readonly title: string;
  readonly stand: Stand;
  /** The block with the expression in it. */
  readonly body: (expression: string) => Record<string, Json> | undefined;
}

/** Every field of every kind, below its first parent; fields that kinds have in common once for each kind. */
function places(): readonly Place[] {
  const found = new Map<string, Place>();
  for (const stand of stands())
    for (const [name, field] of Object.entries(stand.kind.fields)) {
      const title = `${name} of ${stand.kind.kind}`;
      const body = (expression: string) =>
        withField(stand, name, valueWith(field.examples[0], expression, field.map !== undefined));
      if (!found.has(title) && body('a') !== undefined) found.set(title, { title, stand, body });
    }
  const compose = stands().find(({ kind }) => kind.kind === 'compose');
  if (compose === undefined) throw new Error('no compose');
  for (const [where, write] of Object.entries(composeTexts))
    found.set(where, {
      title: `a compose file ${where}`,
      stand: compose,
      body: (expression) => ({
        source: { type: 'raw', composeFile: write(expression) },
        domains: { 'a.example.com': { serviceName: 'web', port: 80 } },
      }),
    });
  return [...found.values()];
}

const all = places();
const folder = join(mkdtempSync(join(tmpdir(), 'trueup-leaves-')), 'shop');
let identity = '';
let recipient = '';
let platform = createEmulator({ profile: 'standard' });
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = await serve({ ...platform, send: async (request) => platform.send(request) });
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
});
afterAll(() => server.close());

/** A platform on which everything exists that the examples mention. */
function newPlatform() {
  const world = seedWorld();
  Object.assign(world.tables.user.user_1 ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  addRow(world, 'user', { id: 'user_9', email: 'member@example.test' });
  addRow(world, 'member', { id: 'member_9', userId: 'user_9', organizationId: 'org_1', role: 'member' });
  return createEmulator({ profile: 'standard', world, apiKey: 'key-of-the-tests', published: true });
}

/** The environment that the examples need. */
const needed = Object.fromEntries(
  Object.entries(exampleSecrets).map(([name, value]) => [`TRUEUP_SECRET_${name}`, value]),
);

const expressions: Readonly<Record<Source, string>> = {
  environment: '${secret:LEAF}',
  age: '${secret:LEAF}',
  program: '${secret:LEAF}',
  env: '${env:LEAF}',
};

/** Lets runs know a secret by its source; undefined: nothing has it any more. Gives the environment of the runs. */
async function give(source: Source, leaf: Leaf | undefined): Promise<Record<string, string>> {
  const base = { TRUEUP_API_KEY: 'key-of-the-tests', ...needed };
  if (source === 'environment') return leaf === undefined ? base : { ...base, TRUEUP_SECRET_LEAF: leaf.value };
  if (source === 'env') return leaf === undefined ? base : { ...base, LEAF: leaf.value };
  if (leaf === undefined) return base;
  if (source === 'program') {
    writeFileSync(join(folder, 'answer'), leaf.value);
    return { ...base, ALLOWED: 'yes' };
  }
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  const line = `LEAF=${/["'\n#$\\]|^ | $/.test(leaf.value) ? `'${leaf.value}'` : leaf.value}\n`;
  writeFileSync(join(folder, 'secrets.env.age'), armor.encode(await encrypter.encrypt(line)));
  return { ...base, TRUEUP_AGE_IDENTITY: identity };
}

/** The manifest with a block in it, or without it. */
function manifest({ stand }: Place, body: Record<string, Json> | undefined, source: Source): string {
  const text = JSON.parse(manifestWith(stand, body)) as Record<string, Json>;
  const secrets =
    source === 'age'
      ? { secrets: [{ age: 'secrets.env.age' }] }
      : source === 'program'
        ? { secrets: [{ command: ['cat', 'answer'] }] }
        : {};
  return JSON.stringify({ ...text, platform: { url: server.url }, ...secrets }, null, 1);
}

/** Everything that runs left beside the manifest. */
function left(): string {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter(
    (item) => item.isFile() && !/^(?:answer|secrets\.env\.age)$/.test(item.name),
  );
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n');
}

/** Runs the life of a block with a secret in one place. Gives the trail that it leaves, and how far it came. */
async function lifeOf(place: Place, source: Source, { leaf, next }: { leaf: Leaf; next: Leaf }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  platform = newPlatform();
  const body = place.body(expressions[source]);
  const address = addressOf(place.stand);
  const write = (text: string) => writeFileSync(join(folder, 'trueup.yaml'), text);
  const trail: (readonly [what: string, text: string])[] = [];
  let env = await give(source, leaf);
  const run = async (...words: readonly string[]) => {
    const { ALLOWED: allows, ...rest } = env;
    const asks = ['plan', 'apply', 'explain'].includes(words[0] ?? '');
    const more = asks && allows !== undefined ? ['--allow-secret-commands'] : [];
    const { code, out, err } = await trueupInEveryFormat([...words, ...more], { cwd: folder, env: rest });
    trail.push([`trueup ${words.join(' ')}`, out + err]);
    return code;
  };
  const ended = (came: string) => ({ trail: [...trail, ['what is left', left()] as const], came });

  write(manifest(place, body, source));
  await run('validate');
  if ((await run('plan', '--out', 'file.plan')) !== 0) return ended('refused');
  const applied = await run('apply', '--auto-approve', '--adopt', '--allow-data-loss', '--in-flight-timeout', '1');
  trail.push(['state and plan file', left()]);
  if (applied !== 0) return ended('not applied');
  const again = await run('plan', '--detailed-exitcode');
  // The secret is another one.
  env = await give(source, next);
  await run('plan');
  await run('plan', '--replace', address);
  // Nothing has it any more.
  env = await give(source, undefined);
  await run('plan');
  await run('plan', '--replace', address);
  await run('drift', '--no-remember');
  await run('status');
  await run('state', 'show', address);
  await run('explain', address);
  await run('output');
  await run('plan', '--destroy');
  // The block is gone.
  write(manifest(place, undefined, 'environment'));
  await run('plan');
  await run('plan', '--hide-values');
  // Somebody changed the text around the secret.
  for (const table of Object.values(platform.world.tables))
    for (const row of Object.values(table as Record<string, Record<string, unknown>>))
      for (const [name, value] of Object.entries(row))
        if (typeof value === 'string' && value.includes(leaf.value) && !name.endsWith('Id')) row[name] = `${value} `;
  await run('drift', '--no-remember');
  await run('plan');
  write(manifest(place, body, source));
  await run('drift', '--no-remember');
  await run('drift', 'adopt', '--all', '--dry-run');
  await run('plan');
  await run('destroy', '--auto-approve', '--allow-data-loss', '--in-flight-timeout', '1');
  return ended(again === 0 ? 'applied' : 'plans again');
}

const sources: readonly Source[] = ['environment', 'age', 'env', 'program'];
const count = leavesOf(1).length;

/** The forms that a place is tried with: all of them in a soak. */
function turnsOf(row: number): readonly number[] {
  const step = effort({ fast: count, all: 5, soak: 1 });
  return Array.from({ length: count }, (_, turn) => turn).filter((turn) => (turn + row * 7) % step === 0);
}

describe('no output shows a secret', () => {
  const tried = all.map((place, row) => ({ place, row })).filter(({ row }) => row % effort({ fast: 16, all: 1 }) === 0);

  test.each(tried.map(({ place, row }) => [place.title, place, row] as const))(
    'in %s',
    async (_, place, row) => {
      const shown: string[] = [];
      for (const turn of turnsOf(row)) {
        const [leaf, next] = [leavesOf(row * 2 + 1)[turn], leavesOf(row * 2 + 2)[turn]];
        if (leaf === undefined || next === undefined) throw new Error('no leaf');
        const source = sources[(turn + row) % sources.length] ?? 'env';
        const life = await lifeOf(place, source, { leaf, next });
        expect(life.came, leaf.form).not.toBe('plans again');
        const secret = `${leaf.form} ${JSON.stringify(leaf.value)} from ${source}`;
        shown.push(...shownIn(life.trail, [leaf, next]).map((where) => `${secret}: ${where}`));
      }
      expect(shown.slice(0, 4)).toEqual([]);
    },
    3_600_000,
  );

  test('in any field of any kind: each is tried', () => {
    expect(all.length).toBeGreaterThan(200);
  });
});
