import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/plan/action.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { notComparedIn } from '../../src/plan/not-compared.ts';
import type { Pair, StateRecord } from '../../src/state/record.ts';
import type { State } from '../../src/state/state.ts';
import { benchWith, exportOf } from '../support/exporting.ts';
import { effort } from '../support/whole.ts';
import { bench, head } from '../support/world.ts';

/**
 * Edits of a manifest in runs that lack some of its secrets, or all: each is planned, refused or counted as not compared. A model
 * that knows both manifests and every secret says which; it shares no code with the engine.
 */

const seed = Number(process.env.TRUEUP_SEED ?? 30);
const runs = Number(process.env.TRUEUP_RUNS ?? effort({ fast: 12, all: 40 }));
const editsPerRun = 5;

type Piece =
  | { readonly text: string }
  | { readonly secret: string }
  | { readonly variable: string }
  | { readonly file: string }
  | { readonly env: string }
  | { readonly ref: string };
type Text = readonly Piece[];

/** The texts of a manifest: of an env file, a compose file, a field, a key of a map, and a list. */
interface Texts {
  readonly smtp: Text;
  readonly web: Text;
  readonly description: Text;
  readonly url: Text;
  readonly first: Text;
  readonly second: Text;
}

/** The values behind the expressions of a manifest. */
interface Values {
  readonly secrets: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

interface Side extends Values {
  readonly texts: Texts;
}

const names = { secret: ['PW', 'TOKEN', 'KEY'], variable: ['port', 'region'], file: ['a', 'b'], env: ['HOST', 'ZONE'] };
const outputs = ['main', 'other'];

/** Which part of which service each text is in, as plans name it. */
const places = {
  'production.compose.shop env': ['smtp'],
  'production.compose.shop source.composeFile': ['web'],
  'production.redis.main description': ['description'],
  'production.redis.main env.URL': ['url'],
  'production.redis.main args': ['first', 'second'],
} as const satisfies Record<string, readonly (keyof Texts)[]>;
type Place = keyof typeof places;

function writtenPiece(piece: Piece): string {
  if ('text' in piece) return piece.text;
  if ('secret' in piece) return `\${secret:${piece.secret}}`;
  if ('variable' in piece) return `\${var:${piece.variable}}`;
  if ('file' in piece) return `\${file:${piece.file}.txt}`;
  return 'env' in piece ? `\${env:${piece.env}}` : `\${ref:postgres.${piece.ref}.host}`;
}

const written = (text: Text) => text.map(writtenPiece).join('');

function filesOf({ texts, variables, files }: Side): Record<string, string> {
  const declared = Object.entries(variables).map(([name, value]) => `${name}: { default: ${JSON.stringify(value)} }`);
  const postgres = outputs.map(
    (name) =>
      `      ${name}: { databasePassword: "\${secret:DB}", databaseName: shop, databaseUser: shop, dockerImage: 'postgres:17' }`,
  );
  return {
    'trueup.yaml': `${head}variables: { ${declared.join(', ')} }
environments:
  production:
    postgres:
${postgres.join('\n')}
    compose:
      shop:
        source:
          type: raw
          composeFile: |
            services:
              web:
                image: nginx
                environment: { TEXT: "${written(texts.web)}" }
        env: |-
          SMTP_HOST=mail.example.com
          SMTP_URL=${written(texts.smtp)}
          REGION=eu
    redis:
      main:
        dockerImage: redis:8
        databasePassword: "\${secret:DB}"
        description: "${written(texts.description)}"
        args: ["${written(texts.first)}", "${written(texts.second)}"]
        env: { URL: "${written(texts.url)}", REGION: eu }
`,
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`${name}.txt`, text])),
  };
}

// The model

/** A text with all values filled in; holes in place of some secrets, each a list that no text is. */
function filled(text: Text, { secrets, variables, files, env }: Values, holes: ReadonlySet<string>): string {
  const parts: (string | readonly [string])[] = [];
  for (const piece of text) {
    if ('secret' in piece && holes.has(piece.secret)) {
      parts.push([piece.secret]);
      continue;
    }
    const value =
      'text' in piece
        ? piece.text
        : 'secret' in piece
          ? secrets[piece.secret]
          : 'variable' in piece
            ? variables[piece.variable]
            : 'file' in piece
              ? files[piece.file]
              : 'env' in piece
                ? env[piece.env]
                : `host of ${piece.ref}`;
    const last = parts.at(-1);
    if (typeof last === 'string') parts[parts.length - 1] = last + value;
    else if (value !== '') parts.push(value ?? '');
  }
  return JSON.stringify(parts);
}

const secretsIn = (texts: readonly Text[]) =>
  new Set(texts.flatMap((text) => text.flatMap((piece) => ('secret' in piece ? [piece.secret] : []))));

type Outcome = 'nothing' | 'planned' | 'refused' | 'counted' | 'counted, not recorded';

/** What a run with some of the secrets has to say of one place. */
function expected(place: Place, before: Side, after: Side, given: ReadonlySet<string>, isFormer: boolean): Outcome {
  const at = ({ texts }: Side) => places[place].map((name) => texts[name]);
  const all = (side: Side, holes: ReadonlySet<string>) =>
    at(side)
      .map((text) => filled(text, side, holes))
      .join('\n');
  const named = secretsIn(at(after));
  const missing = [...named].filter((name) => !given.has(name));
  if (missing.length === 0) return all(before, new Set()) === all(after, new Set()) ? 'nothing' : 'planned';
  const had = secretsIn(at(before));
  const mayHoldSecrets = had.size > 0 || at(before).some((text) => text.some((piece) => 'env' in piece));
  if (isFormer) return mayHoldSecrets ? 'counted, not recorded' : 'refused';
  const isRotated = [...named].some((name) => given.has(name) && before.secrets[name] !== after.secrets[name]);
  const isSame = all(before, had) === all(after, named) && !isRotated;
  return isSame ? 'counted' : 'refused';
}

/** Whether the value that the manifest means is another one, as only the model knows. */
function isEdited(place: Place, before: Side, after: Side): boolean {
  const value = (side: Side) => places[place].map((name) => filled(side.texts[name], side, new Set())).join('\n');
  return value(before) !== value(after);
}

// What the engine says

function said(plan: Plan, place: Place): Outcome {
  const [address = '', path = ''] = place.split(' ');
  const action = plan.actions.find((one) => one.address === address);
  const isRefused = action?.notes.some(
    ({ code, message }) => code === 'secret-missing' && message.startsWith(`${path}: `),
  );
  const isPlanned = action?.changes.some((change) => change.path === path);
  const counted = notComparedIn(plan).filter((one) => one.address === address && one.path === path);
  const outcomes: Outcome[] = [
    ...(isRefused === true ? (['refused'] as const) : []),
    ...(isPlanned === true ? (['planned'] as const) : []),
    ...counted.map(({ why }): Outcome => (why === 'not recorded' ? 'counted, not recorded' : 'counted')),
  ];
  expect(outcomes.length, `${place}: ${outcomes.join(', ')}`).toBeLessThan(2);
  return outcomes[0] ?? 'nothing';
}

// Random manifests, edits and secrets

const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ text: fc.constantFrom('a', 'b', ':', '//x', '5432', '0', 'SECRET-PW') }) },
  { weight: 4, arbitrary: fc.record({ secret: fc.constantFrom(...names.secret) }) },
  { weight: 1, arbitrary: fc.record({ variable: fc.constantFrom(...names.variable) }) },
  { weight: 1, arbitrary: fc.record({ file: fc.constantFrom(...names.file) }) },
  { weight: 1, arbitrary: fc.record({ env: fc.constantFrom(...names.env) }) },
  { weight: 1, arbitrary: fc.record({ ref: fc.constantFrom(...outputs) }) },
);
// A text that is only one expression may be read as a number.
const text: fc.Arbitrary<Text> = fc.array(piece, { minLength: 1, maxLength: 5 }).map((all) => [{ text: 't' }, ...all]);
const texts: fc.Arbitrary<Texts> = fc.record({
  smtp: text,
  web: text,
  description: text,
  url: text,
  first: text,
  second: text,
});
const first: Values = {
  secrets: { PW: 'pw-4711-pw', TOKEN: 'token-0815', KEY: 'key-2342', DB: 'correct-horse-1' },
  variables: { port: '5432', region: 'eu' },
  files: { a: 'alpha', b: 'beta' },
  env: { HOST: 'db.internal', ZONE: 'z1' },
};

type Edit = (side: Side) => Side;
const nameOfText = fc.constantFrom<keyof Texts>('smtp', 'web', 'description', 'url', 'first', 'second');
const withText =
  (name: keyof Texts, change: (text: Text) => Text): Edit =>
  (side) => ({
    ...side,
    texts: { ...side.texts, [name]: change(side.texts[name]) },
  });
const withValue =
  (of: keyof Values, name: string, value: string): Edit =>
  (side) => ({
    ...side,
    [of]: { ...side[of], [name]: value },
  });
const value = fc.constantFrom('other', '5433', 'pw-4711-pw');
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.constant<Edit>((side) => side),
  {
    weight: 4,
    arbitrary: fc
      .tuple(nameOfText, fc.nat(5), piece)
      .map(([name, at, one]) =>
        withText(name, (all) =>
          all.map((old, index) => (index > 0 && index === 1 + (at % (all.length - 1)) ? one : old)),
        ),
      ),
  },
  { weight: 2, arbitrary: fc.tuple(nameOfText, piece).map(([name, one]) => withText(name, (all) => [...all, one])) },
  {
    weight: 2,
    arbitrary: nameOfText.map((name) => withText(name, (all) => (all.length > 2 ? all.slice(0, -1) : all))),
  },
  nameOfText.map((name) => withText(name, ([head = { text: 't' }, ...rest]) => [head, ...rest.toReversed()])),
  // The text in place of its secret, and the other way round: the same value for a run that has all.
  nameOfText.map(
    (name) => (side: Side) =>
      withText(name, (all) => all.map((one) => ('secret' in one ? { text: side.secrets[one.secret] ?? '' } : one)))(
        side,
      ),
  ),
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...names.secret), value).map(([name, one]) => withValue('secrets', name, one)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...names.variable), value)
      .map(([name, one]) => withValue('variables', name, one)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...names.file), value).map(([name, one]) => withValue('files', name, one)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...names.env), value).map(([name, one]) => withValue('env', name, one)),
  },
);
const tries = fc.array(fc.tuple(fc.array(edit, { minLength: 1, maxLength: 2 }), fc.subarray(names.secret)), {
  minLength: editsPerRun,
  maxLength: editsPerRun,
});

/** A state as format 3 held it: its pairs have no templates. */
function asFormat3(state: State): State {
  const former = ({ wanted, ...pair }: Pair): Pair => {
    const { template: _, ...rest } = wanted;
    return { ...pair, wanted: rest };
  };
  const resources = Object.entries(state.resources).map(([address, record]): [string, StateRecord] => {
    const pairs = Object.entries(record.pairs).map(([name, pair]) => [name, former(pair)] as const);
    return [address, { ...record, pairs: Object.fromEntries(pairs) }];
  });
  return { ...state, resources: Object.fromEntries(resources) };
}

type Made = ReturnType<typeof bench>;

function give(made: Made, { secrets, env }: Values, given: ReadonlySet<string>): void {
  for (const name of Object.keys(made.secrets)) delete made.secrets[name];
  for (const [name, value] of Object.entries(secrets)) if (given.has(name)) made.secrets[name] = value;
  Object.assign(made.env, env, { TRUEUP_ENV_ALLOW: 'HOST ZONE' });
}

const everySecret = new Set([...names.secret, 'DB']);

async function applied(made: Made, side: Side): Promise<void> {
  give(made, side, everySecret);
  await made.apply(filesOf(side));
  expect(hasChanges(await made.plan(filesOf(side)))).toBe(false);
}

describe.each([
  ['this version', false],
  ['format 3', true],
])('with a state of %s', (_title, isFormer) => {
  test('each random edit is planned, refused or counted, as the model says', async () => {
    const seen: Partial<Record<Outcome, number>> = {};
    await fc.assert(
      fc.asyncProperty(texts, tries, async (written, all) => {
        const made = bench();
        const before: Side = { ...first, texts: written };
        await applied(made, before);
        const { state } = made.store;
        if (state === undefined) throw new Error('nothing was applied');
        if (isFormer) made.store.state = asFormat3(state);
        for (const [edits, some] of all) {
          const after = edits.reduce((side, change) => change(side), before);
          const given = new Set([...some, 'DB']);
          give(made, after, given);
          const plan = await made.plan(filesOf(after));
          for (const place of Object.keys(places) as Place[]) {
            const outcome = said(plan, place);
            const context = `${place} with ${[...given].join(', ')}: ${JSON.stringify([before.texts, after])}`;
            expect(outcome, context).toBe(expected(place, before, after, given, isFormer));
            if (isEdited(place, before, after)) expect(outcome, context).not.toBe('nothing');
            seen[outcome] = (seen[outcome] ?? 0) + 1;
          }
        }
        rmSync(made.folder, { recursive: true, force: true });
      }),
      { seed, numRuns: isFormer ? Math.ceil(runs / 3) : runs },
    );
    const wordsOf = isFormer ? ['counted, not recorded'] : ['nothing', 'planned', 'refused', 'counted'];
    for (const word of wordsOf) expect(seen).toHaveProperty([word]);
  });
});

test('a secret in place of a secret value without a name is refused, and drift beside that too', async () => {
  const made = bench();
  const redis = (password: string, more = '') => `${head}environments:
  production:
    redis: { main: { dockerImage: 'redis:8', databasePassword: "${password}", description: "${more}" } }
`;
  made.env.HOST = 'db.internal';
  made.env.TRUEUP_ENV_ALLOW = 'HOST';
  const before = redis('correct-horse-1', 'at ${env:HOST}');
  await made.apply(before);
  expect(hasChanges(await made.plan(before))).toBe(false);
  const refused = async (text: string) => {
    const { notes = [] } = (await made.plan(text)).actions.find(({ kind }) => kind.kind === 'redis') ?? {};
    return notes.map(({ code, message }) => `${code} ${message}`);
  };
  const sentence = (path: string) => `secret-missing ${path}: it was edited and needs PW, which this run does not have`;
  expect(await refused(redis('${secret:PW}', 'at ${env:HOST}'))).toEqual([sentence('databasePassword')]);
  expect(await refused(redis('correct-horse-1', 'at ${env:HOST} ${secret:PW}'))).toEqual([sentence('description')]);
});

test('an export keeps what it needs to notice an edit in a run that never had the secret', async () => {
  const made = bench();
  await made.apply(`${head}environments:
  production:
    redis:
      main:
        dockerImage: redis:8
        databasePassword: correct-horse-1
        env: |-
          DATABASE_URL=postgresql://app:hunter2-hunter2@db:5432/app
`);
  const exported = await exportOf(made);
  const fresh = benchWith(made, exported);
  const files = Object.fromEntries(exported.files);
  const untouched = await fresh.plan(files);
  expect(hasChanges(untouched)).toBe(false);
  const place = { address: 'production.redis.main', path: 'env.DATABASE_URL', why: 'secret missing' };
  expect(notComparedIn(untouched)).toContainEqual(expect.objectContaining(place));
  expect(new Set(notComparedIn(untouched).map(({ why }) => why))).toEqual(new Set(['secret missing']));
  const edited = Object.entries(files).map(([name, text]) => [name, text.replace(':5432/app', ':5433/app')] as const);
  expect(edited).not.toEqual(Object.entries(files));
  const plan = await fresh.plan(Object.fromEntries(edited));
  const messages = plan.actions.flatMap(({ notes }) => notes.map(({ message }) => message));
  expect(messages).toEqual([expect.stringMatching(/^env\.DATABASE_URL: it was edited and needs [A-Z_0-9]+, which/)]);
});
