import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { verdictOf } from '../../src/render/verdict.ts';
import type { Former } from '../support/former-states.ts';
import { formerSecrets, openFormer } from '../support/former-states.ts';
import type { Field, Outcome, Piece, Text, Values } from '../support/secret-model.ts';
import {
  documentOf,
  expected,
  expectVerdict,
  isEdited,
  piecesOf,
  said,
  secretsIn,
  written,
} from '../support/secret-model.ts';
import { effort } from '../support/whole.ts';

/**
 * Random edits of a manifest whose state an earlier version wrote, in runs that lack some of its secrets, or all: each is planned, refused
 * or counted as not compared, as a model says that reads the manifests only. Before and after an apply with all secrets.
 */

const seed = Number(process.env.TRUEUP_SEED ?? 31);
/** Tests of some edits each: none takes minutes. */
const parts = effort({ fast: 1, full: 2, all: 5 });
const editsPerPart = Number(process.env.TRUEUP_RUNS ?? effort({ fast: 15, full: 20, all: 50 }));

type Path = readonly [string, ...string[]];
const shop = ['environments', 'production', 'compose', 'shop'] as const;
const web = ['environments', 'production', 'application', 'web'] as const;
const sessions = ['environments', 'production', 'redis', 'sessions'] as const;

/** Where the manifest has each text, by the name of the field in plans. */
const paths = {
  'production env.REGION': ['environments', 'production', 'env', 'REGION'],
  'production env.SHARED': ['environments', 'production', 'env', 'SHARED'],
  'production.postgres.main databasePassword': ['environments', 'production', 'postgres', 'main', 'databasePassword'],
  'production.redis.sessions databasePassword': [...sessions, 'databasePassword'],
  'production.redis.sessions description': [...sessions, 'description'],
  'production.redis.sessions env.URL': [...sessions, 'env', 'URL'],
  'production.redis.sessions env.REGION': [...sessions, 'env', 'REGION'],
  'production.application.web env.DATABASE_URL': [...web, 'env', 'DATABASE_URL'],
  'production.application.web env.NOTE': [...web, 'env', 'NOTE'],
  'production.application.web.mounts["/etc/shop.conf"] content': [...web, 'mounts', '/etc/shop.conf', 'content'],
  'production.compose.shop source.composeFile': [...shop, 'source', 'composeFile'],
  'production.compose.shop env': [...shop, 'env'],
  'production.compose.shop.files["proxy.conf"] content': [...shop, 'files', 'proxy.conf', 'content'],
  'production.compose.shop.schedules.digest command': [...shop, 'schedules', 'digest', 'command'],
  'staging.compose.shop env.REGION': ['environments', 'staging', 'compose', 'shop', 'env', 'REGION'],
  'staging.compose.shop env.TOKEN': ['environments', 'staging', 'compose', 'shop', 'env', 'TOKEN'],
} as const satisfies Record<string, Path>;
type Place = keyof typeof paths;
const allPlaces = Object.keys(paths) as Place[];
const addressOf = (place: Place) => place.slice(0, place.lastIndexOf(' '));

const secretNames = ['SHARED', 'DB_PASSWORD', 'CACHE_PASSWORD', 'TOKEN', 'SMTP_PASSWORD'];

/** A manifest as its texts, and the values of its expressions. */
interface Side extends Values {
  readonly texts: Readonly<Record<Place, Text>>;
}

interface Tree {
  [key: string]: Tree | string | undefined;
}

/** The manifest, without the value that the platform ignores: a plan that has such a value never says that all matches. */
function treeOf({ files }: Former): Tree {
  const text = (files['trueup.yaml'] ?? '').replace('description: Orders of the shop', 'description: Orders');
  return parse(text) as Tree;
}

function sideOf(former: Former): Side {
  const { files } = former;
  const tree = treeOf(former);
  const at = (path: Path) => path.reduce<Tree | string | undefined>((node, key) => (node as Tree)[key], tree);
  const texts = Object.fromEntries(allPlaces.map((place) => [place, piecesOf(String(at(paths[place])))]));
  return {
    texts: texts as Side['texts'], // made of all places
    secrets: formerSecrets,
    variables: { port: '5432', region: 'eu' },
    files: { 'note.txt': files['note.txt'] ?? '' },
    env: {},
  };
}

/** The files of a manifest with other texts and values. */
function filesOf(former: Former, { texts, variables, files: others }: Side): Record<string, string> {
  const { files } = former;
  const tree = treeOf(former);
  for (const place of allPlaces) {
    const path: Path = paths[place];
    const above = path.slice(0, -1).reduce((node, key) => node[key] as Tree, tree);
    above[path.at(-1) ?? ''] = written(texts[place]);
  }
  tree['variables'] = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, { default: value }]));
  return { ...files, ...others, 'trueup.yaml': stringify(tree) };
}

const fieldAt = ({ texts, ...values }: Side, place: Place): Field => ({ texts: [texts[place]], values });

// Random edits: what stands beside an expression, or in its place.

type Edit = (side: Side) => Side;
const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.record({ text: fc.constantFrom('x', '7', 'SECRET') }),
  fc.record({ secret: fc.constantFrom(...secretNames) }),
  fc.record({ variable: fc.constantFrom('port', 'region') }),
  fc.record({ file: fc.constant('note.txt') }),
);
const inText: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.constantFrom(...allPlaces),
    fc.nat(9),
    fc.constantFrom('before' as const, 'after', 'instead', 'its value'),
    piece,
  )
  .map(([place, nth, how, one]) => (side: Side) => {
    const text = side.texts[place];
    const spots = text.flatMap((old, at) => ('text' in old || 'ref' in old ? [] : [at]));
    const spot = spots[nth % spots.length];
    const old = text[spot ?? 0];
    if (spot === undefined || old === undefined) return side;
    // A password with a blank in it is no password of a database.
    const added = 'file' in one && place.endsWith(' databasePassword') ? { text: 'x' } : one;
    const value = 'secret' in old ? (side.secrets[old.secret] ?? '') : 'x';
    const ways = { before: [added, old], after: [old, added], instead: [added], 'its value': [{ text: value }] };
    const edited = text.flatMap((other, at) => (at === spot ? ways[how] : [other]));
    return { ...side, texts: { ...side.texts, [place]: edited } };
  });
const withValue =
  (of: 'secrets' | 'variables' | 'files', name: string, value: string): Edit =>
  (side) => ({ ...side, [of]: { ...side[of], [name]: value } });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: inText },
  fc.constantFrom(...secretNames).map((name) => withValue('secrets', name, 'another-4800')),
  fc.constantFrom('5433', '15432').map((value) => withValue('variables', 'port', value)),
  fc.constant(withValue('variables', 'region', 'us')),
  fc.constantFrom('', 'another note').map((value) => withValue('files', 'note.txt', value)),
);

function give({ made, keepSecrets }: Former, { secrets }: Side, given: ReadonlySet<string>): void {
  keepSecrets(Object.keys(formerSecrets).filter((name) => given.has(name) || !secretNames.includes(name)));
  for (const name of given) made.secrets[name] = secrets[name] ?? '';
}

describe.each([
  ['as the earlier version left it', true],
  ['after an apply with all secrets', false],
])('a state %s', (_, isFormer) => {
  test.each(Array.from({ length: parts }, (__, at) => at))(
    'each edit is planned, refused or counted (%i)',
    async (part) => {
      const former = openFormer('at-rest');
      if (!isFormer) await former.apply();
      const before = sideOf(former);
      const seen: Partial<Record<Outcome, number>> = {};
      let tried = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(edit, { minLength: 1, maxLength: 2 }),
          fc.subarray(secretNames),
          fc.constantFrom(...allPlaces),
          async (changes, some, target) => {
            const after = changes.reduce((side, change) => change(side), before);
            const given = new Set(some);
            give(former, after, given);
            const files = filesOf(former, after);
            const about = `with ${some.join(', ')}: ${JSON.stringify(after)}`;
            const fields = (place: Place) => [fieldAt(before, place), fieldAt(after, place)] as const;
            const outcomesIn = (document: ReturnType<typeof documentOf>, where: readonly Place[]) =>
              where.map((place) => {
                const outcome = said(document, place);
                expect(outcome, `${place} ${about}`).toBe(expected(...fields(place), given, isFormer));
                if (isEdited(...fields(place))) expect(outcome, `${place} ${about}`).not.toBe('nothing');
                return outcome;
              });
            const whole = documentOf(await former.plan(files));
            const outcomes = outcomesIn(whole, allPlaces);
            for (const outcome of outcomes) seen[outcome] = (seen[outcome] ?? 0) + 1;
            expect(whole.ignored).toBe(0);
            expectVerdict(whole, outcomes, about);
            // The same of a part: what it leaves out it does not speak of.
            const narrowing = readNarrowing({ target: [addressOf(target)] });
            const part = documentOf(await former.plan(files, { narrowing }));
            outcomesIn(
              part,
              allPlaces.filter((place) => addressOf(place) === addressOf(target)),
            );
            expect(verdictOf(part), about).not.toContain('matches');
            // The platform is as it was: drift finds what is edited, and that only.
            const { plan, findings } = await former.drift(files);
            outcomesIn(documentOf(plan), allPlaces);
            const found = findings.flatMap(({ is, address, path }) =>
              path === undefined ? [] : `${is} ${address} ${path}`,
            );
            const isFound = (__: Place, at: number) => ['planned', 'refused'].includes(outcomes[at] ?? '');
            const edited = allPlaces.filter(isFound).map((place) => `not yet applied ${place}`);
            expect(found.toSorted(), about).toEqual(edited.toSorted());
            const lacksOne = allPlaces.some((place) =>
              [...secretsIn(fieldAt(after, place))].some((one) => !given.has(one)),
            );
            if (lacksOne && allPlaces.some((place) => isEdited(...fields(place)))) tried += 1;
          },
        ),
        { seed: seed + part, numRuns: editsPerPart },
      );
      // So many changed a value and lacked a secret that the manifest names: 200 in all parts of the tier all.
      expect(tried).toBeGreaterThanOrEqual(editsPerPart * effort({ fast: 0.6, all: 0.8 }));
      for (const word of isFormer ? ['counted, not recorded'] : ['refused', 'counted'])
        expect(seen).toHaveProperty([word]);
      for (const word of ['nothing', 'planned']) expect(seen).toHaveProperty([word]);
    },
  );
});
