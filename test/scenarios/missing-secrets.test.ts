import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasChanges } from '../../src/plan/action.ts';
import { notComparedIn } from '../../src/plan/not-compared.ts';
import type { Pair, StateRecord } from '../../src/state/record.ts';
import type { State } from '../../src/state/state.ts';
import { benchWith, exportOf } from '../support/exporting.ts';
import type { Field, Outcome, Piece, Text, Values } from '../support/secret-model.ts';
import { documentOf, expected, expectVerdict, isEdited, said, secretsIn, written } from '../support/secret-model.ts';
import { effort } from '../support/whole.ts';
import { bench, head } from '../support/world.ts';

/**
 * Edits of a manifest in runs that lack some of its secrets, or all: each is planned, refused or counted as not compared, as a
 * model says; and the plan says that the platform matches only where everything was compared.
 */

const seed = Number(process.env.TRUEUP_SEED ?? 30);
const runs = Number(process.env.TRUEUP_RUNS ?? effort({ fast: 6, full: 14, all: 75 }));
const editsPerRun = 5;

/** The texts of a manifest: of an env file, a compose file, a field, a key of a map, and a list. */
interface Texts {
  readonly smtp: Text;
  readonly web: Text;
  readonly description: Text;
  readonly url: Text;
  readonly first: Text;
  readonly second: Text;
}

interface Side extends Values {
  readonly texts: Texts;
}

const names = {
  secret: ['PW', 'TOKEN', 'KEY'],
  variable: ['port', 'region'],
  file: ['a.txt', 'b.txt'],
  env: ['HOST', 'ZONE'],
};
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
const allPlaces = Object.keys(places) as Place[];

const fieldAt = ({ texts, ...values }: Side, place: Place): Field => ({
  texts: places[place].map((name) => texts[name]),
  values,
});

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
    ...files,
  };
}

// Random manifests, edits and secrets

const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ text: fc.constantFrom('a', 'b', ':', '//x', '5432', '0', 'SECRET-PW') }) },
  { weight: 4, arbitrary: fc.record({ secret: fc.constantFrom(...names.secret) }) },
  { weight: 1, arbitrary: fc.record({ variable: fc.constantFrom(...names.variable) }) },
  { weight: 1, arbitrary: fc.record({ file: fc.constantFrom(...names.file) }) },
  { weight: 1, arbitrary: fc.record({ env: fc.constantFrom(...names.env) }) },
  { weight: 1, arbitrary: fc.record({ ref: fc.constantFrom(...outputs.map((name) => `postgres.${name}.host`)) }) },
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
  files: { 'a.txt': 'alpha', 'b.txt': 'beta' },
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
    const tried = { edits: 0, edited: 0 };
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
          const document = documentOf(await made.plan(filesOf(after)));
          const about = `with ${[...given].join(', ')}: ${JSON.stringify([before.texts, after])}`;
          const outcomes = allPlaces.map((place) => {
            const fields = [fieldAt(before, place), fieldAt(after, place)] as const;
            const outcome = said(document, place);
            expect(outcome, `${place} ${about}`).toBe(expected(...fields, given, isFormer));
            if (isEdited(...fields)) expect(outcome, `${place} ${about}`).not.toBe('nothing');
            seen[outcome] = (seen[outcome] ?? 0) + 1;
            return outcome;
          });
          expectVerdict(document, outcomes, about);
          tried.edits += 1;
          const lacksOne = (place: Place) => [...secretsIn(fieldAt(after, place))].some((name) => !given.has(name));
          const isChanged = (place: Place) => isEdited(fieldAt(before, place), fieldAt(after, place));
          if (allPlaces.some(lacksOne) && allPlaces.some(isChanged)) tried.edited += 1;
        }
        rmSync(made.folder, { recursive: true, force: true });
      }),
      { seed, numRuns: runs },
    );
    const wordsOf = isFormer ? ['counted, not recorded'] : ['nothing', 'planned', 'refused', 'counted'];
    for (const word of wordsOf) expect(seen).toHaveProperty([word]);
    expect(tried.edits).toBe(runs * editsPerRun);
    // Each of these changes a value, and lacks a secret that the manifest names.
    expect(tried.edited).toBeGreaterThanOrEqual(runs < 75 ? tried.edits / 2 : 200);
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
