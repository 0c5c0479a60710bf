import type { ParentLink } from '../../src/kind/parent.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { sectionAlias } from '../../src/kind/aliases.ts';
import { topOf, withTop } from '../../src/kind/top.ts';
import { fieldPath } from '../../src/kind/row-values.ts';
import { mergeOption, writtenFields } from '../../src/kind/written-keys.ts';
import { beyondDocument } from './kind-beyond.ts';
import { callsOf } from './kind-calls.ts';
import { identityOf } from './kind-identity.ts';
import { renderKeys } from './kind-keys.ts';
import { exampleManifests, linkTo, pageName, pathsOf } from './kind-place.ts';
import { risksOf } from './kind-risks.ts';
import { code, enumerate, inDocument, page, points, table } from './markdown.ts';
import { schemaWords } from './schema-words.ts';

/** The page of one kind. */
export function renderKindPage(kind: Kind, kinds: readonly Kind[]): string {
  const risks = risksOf(kind);
  const beyond = beyondDocument(kind, kinds);
  const below = kinds.filter((item) => Object.hasOwn(item.parents, kind.kind));
  return page([
    `# ${kind.kind}${inDocument(sectionAlias(kind.kind))}`,
    kind.summary,
    `Stands at ${enumerate(pathsOf(kind, kinds).map(code), 'or')}.`,
    below.length === 0 ? '' : `Below it: ${below.map((item) => `${code(item.section)} (${linkTo(item)})`).join(', ')}.`,
    ...exampleManifests(kind, kinds).map((example) => `\`\`\`yaml\n${example}\`\`\``),
    '## Which object it is',
    points(identityOf(kind)),
    '## Keys',
    '([how to read the tables](README.md#how-to-read-the-tables))',
    ...renderKeys(kind, kinds),
    ...renderHints(kind),
    '## Options',
    renderOptions(kind),
    '## Outputs',
    renderOutputs(kind),
    '## Operations',
    renderOperations(kind, kinds),
    ...(beyond.length === 0
      ? []
      : [
          '## Beyond the API document',
          'Some platforms serve operations that the API document lacks. Trueup uses these where the platform serves them:',
          points(beyond),
        ]),
    ...(risks.length === 0 ? [] : ['## Deletion and replacement', points(risks)]),
  ]);
}

/** The page that leads to all kinds. */
function renderIndex(kinds: readonly Kind[]): string {
  const rows = kinds.flatMap((kind) =>
    pathsOf(kind, kinds).map((path) => ({
      path,
      cells: [code(path), `${linkTo(kind)}${inDocument(sectionAlias(kind.kind))}`, kind.summary],
    })),
  );
  return page([
    '# Kinds',
    'This table has all that a manifest can declare, by its place; `<…>` is the key of a block. ' +
      '[Endpoints](../endpoints.md) says which operations of the API Trueup uses for that.',
    table(
      ['where', 'kind', 'meaning'],
      rows.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(({ cells }) => cells),
    ),
    '## How to read the tables',
    points(legend),
  ]);
}

const legend: readonly string[] = [
  'The API document has other names for some things, and the pages have both. A manifest may use either, on any platform. Plans ' +
    'and messages have the names of Dokploy.',
  'Trueup does not manage a key that you leave out. If it managed the key before, it leaves the value alone.',
  '**In place**: an update writes it. Trueup sends the other members that the operation requires as it read them just before. ' +
    '**Next deployment**: it takes effect then.',
  '**A new object replaces the old one**: on an edit only. Trueup reports a change of the platform and leaves it. Where the platform ' +
    'has another value and the object is adopted, or the field is new in the block, that is an error, never a replacement.',
  '**Refused**: the plan has an error with the reason. A field that refuses `null` has no empty value on the platform.',
  'In types, a member with a star is required.',
  '[Field decisions](../field-decisions.md) says when Trueup writes a field.',
];

/** All pages about kinds, by their names: also about the one that the top of a manifest can declare. */
export function kindPages(declared: readonly Kind[]): ReadonlyMap<string, string> {
  const kinds = [...declared, topOf(withTop(declared)) ?? []].flat();
  return new Map([
    ['README.md', renderIndex(kinds)],
    ...kinds.map((kind) => [pageName(kind), renderKindPage(kind, kinds)] as const),
  ]);
}

function renderHints(kind: Kind): string[] {
  const hints = Object.entries(kind.checks?.hints ?? {});
  if (hints.length === 0) return [];
  return ['Keys that do not work here:', points(hints.map(([key, hint]) => `${code(key)}: ${hint}.`))];
}

function renderOptions(kind: Kind): string {
  const written = new Map(Object.values(kind.parents).flatMap((link: ParentLink) => [...writtenFields(kind, link)]));
  const merge = mergeOption(kind);
  return table(
    ['key', 'effect', 'type', 'when left out'],
    [...written].flatMap(([name, is]) => {
      if (is.is !== 'option') return [];
      const sent = kind.operations.deleteOptions?.[name];
      const otherwise =
        name === merge?.name
          ? code(merge.otherwise)
          : sent === undefined
            ? 'not set'
            : code(JSON.stringify(sent.otherwise));
      const goesWith = sent === undefined ? '' : ` Sent with ${code(kind.operations.delete ?? '')}.`;
      return [[code(name), `${is.schema.description ?? ''}${goesWith}`, schemaWords(is.schema), otherwise]];
    }),
  );
}

function renderOutputs(kind: Kind): string {
  const outputs = Object.entries(kind.outputs ?? {}).map(([name, { describe }]) => [name, describe] as const);
  return table(
    ['reference', 'what it is'],
    [['id', 'Its id on the platform.'] as const, ...outputs].map(([name, describe]) => [
      code(`\${ref:<address>.${name}}`),
      describe,
    ]),
  );
}

function renderOperations(kind: Kind, kinds: readonly Kind[]): string {
  const { create, delete: remove } = kind.operations;
  const calls = callsOf(kind, kinds);
  const missing = [
    ...(create === undefined ? [['create', reason(kind.operations.cannot?.create)]] : []),
    ...(remove === undefined ? [['delete', reason(kind.operations.cannot?.delete)]] : []),
  ];
  return table(
    ['what', 'operation', 'what it carries'],
    [
      ...calls.map(({ does, operation, fields, note }) => [
        does,
        code(operation),
        [...new Set(fields.map((name) => code(fieldPath(kind, name)))), ...(note === undefined ? [] : [note])].join(
          ', ',
        ) || 'the id',
      ]),
      ...missing.map(([what = '', why = '']) => [what, 'none', why]),
    ],
  );
}

function reason(why: string | undefined): string {
  return why ?? 'the platform has no operation for it';
}
