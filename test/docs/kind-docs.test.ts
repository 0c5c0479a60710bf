import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Kind } from '../../src/kind/kind.ts';
import { manifestSchema } from '../../src/manifest/json-schema.ts';
import { kindPages, renderKindPage } from '../../scripts/docs/kind-docs.ts';
import { table } from '../../scripts/docs/markdown.ts';
import { schemaWords } from '../../scripts/docs/schema-words.ts';
import { kinds } from '../../src/resources/index.ts';
import { topKind } from '../support/kind-manifests.ts';
import { bench } from '../support/world.ts';
import { tableRows } from './pages.ts';

const root = resolve(import.meta.dirname, '../..');
const kindOf = (name: string): Kind => {
  const found = kinds.find((kind) => kind.kind === name);
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
};
const pages = new Map<string, string>();
const pageOf = (name: string): string => {
  const page = pages.get(name) ?? renderKindPage(kindOf(name), kinds);
  pages.set(name, page);
  return page;
};
/** The row of a key in the tables of keys, without the key itself. */
const keyRow = (name: string, key: string) =>
  tableRows(pageOf(name), 'key')
    .find(([first]) => first === `\`${key}\``)
    ?.slice(1);

interface Definition {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly additionalProperties?: boolean | { readonly $ref?: string; readonly else?: object };
  readonly oneOf?: readonly Definition[];
  readonly anyOf?: readonly Definition[];
}
const definitions = manifestSchema(kinds).$defs as Readonly<Record<string, Definition>>;

/** A schema, or the one that it refers to. */
const resolved = (one: Definition): Definition =>
  one.$ref === undefined ? one : resolved(definitions[one.$ref.replace('#/$defs/', '')] ?? {});

/** The keys that a schema knows, sections of blocks apart. */
function keysOf(schema: Definition): string[] {
  return Object.entries(resolved(schema).properties ?? {}).flatMap(([key, value]) => {
    const { oneOf, additionalProperties: block } = resolved(value);
    const isValue = typeof block === 'object' && resolved(block).anyOf !== undefined;
    if (typeof block === 'object' && !isValue && (block.$ref !== undefined || block.else !== undefined)) return [];
    if (oneOf === undefined) return [key];
    return oneOf.flatMap((one) => keysOf(one).map((inner) => `${key}.${inner}`));
  });
}

/** Every key that editors know in a block of a kind, from the JSON Schema of manifests; sections of others apart. */
function editorKeys(kind: Kind): string[] {
  const isOf = (name: string) => [kind.kind, `own-${kind.kind}`].includes(name) || name.startsWith(`${kind.kind}-of-`);
  const own = Object.entries(definitions).filter(([name]) => isOf(name) && !name.endsWith('-layer'));
  const single = kinds.flatMap(({ isSingle, section, parents }) => (isSingle && kind.kind in parents ? [section] : []));
  const keys = own.flatMap(([, schema]) => keysOf(schema)).filter((key) => !single.includes(key));
  // A block takes these for what a template has.
  return [...new Set(keys)].filter((key) => key !== 'use' && key !== 'with');
}

describe.each([...kinds, topKind()].map((kind) => ({ kind, name: kind.kind })))('the page of $name', ({ kind }) => {
  const text = renderKindPage(kind, kinds);

  test('has every key that the manifest takes, and no other', () => {
    const written = new Set(
      tableRows(text, 'key').flatMap(([key = '']) =>
        key
          .replaceAll('`', '')
          .replace(/ \((\w+) in the API document\)/, ' or $1')
          .split(' or '),
      ),
    );
    const expected = editorKeys(kind).filter((key) => !key.endsWith('.type'));
    expect([...written].toSorted()).toEqual(expected.toSorted());
  });

  test('has every case of every choice', () => {
    const written = (kind.unions ?? []).flatMap(({ at, tag, cases }) =>
      Object.keys(cases).map((word) => (at === undefined ? `\`${tag}: ${word}\`` : `#### \`${at}.type: ${word}\``)),
    );
    expect(written.filter((words) => !text.includes(words))).toEqual([]);
  });

  test('names every operation of the declaration, or the reason why there is none', () => {
    const rows = tableRows(text, 'what');
    const { update = [], create, delete: remove, read, move } = kind.operations;
    const declared = [create, read, ...[update].flat(), remove, move?.call].filter((name) => name !== undefined);
    const fromUnions = (kind.unions ?? []).flatMap(({ calls }) => Object.values(calls ?? {}));
    const shown = new Set(rows.map(([, operation]) => operation));
    expect([...declared, ...fromUnions].filter((name) => !shown.has(`\`${name}\``))).toEqual([]);
    for (const what of ['create', 'delete'] as const) {
      if (kind.operations[what] === undefined)
        expect(rows).toContainEqual([what, 'none', kind.operations.cannot?.[what]]);
    }
  });

  test('has examples that are valid manifests, in the block that it names', async () => {
    const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
    expect(examples).toHaveLength(kind.examples.length);
    const places = [...(/^Stands at (.*)\.$/m.exec(text)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(
      ([, path = '']) => path,
    );
    for (const yaml of examples) {
      const made = bench();
      for (const [, secret = ''] of yaml.matchAll(/\$\{secret:(\w+)\}/g)) {
        // A value for each form that a secret of an example has.
        made.secrets[secret] = `-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n`;
        if (secret.endsWith('PASSWORD')) made.secrets[secret] = 'correct-horse-1';
        if (secret.endsWith('WEBHOOK')) made.secrets[secret] = 'https://hooks.test/correct-horse-1';
      }
      const { resources } = await made.manifest(yaml);
      const resource = resources.find((item) => item.kind.kind === kind.kind);
      expect(places.some((place) => patternOf(place).test(resource?.address ?? ''))).toBe(true);
    }
  });

  test('links only to pages and files that there are', () => {
    const pages = kindPages(kinds);
    for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      expect(pages.has(target) || existsSync(join(root, 'docs/kinds', target)), target).toBe(true);
    }
  });
});

/** Addresses that a path with placeholders stands for: `environments.<name>` is addressed by its key alone. */
function patternOf(place: string): RegExp {
  const key = String.raw`(\.?[A-Za-z_][\w-]*|\["[^"]+"\])`;
  const pattern = place
    .replace(/^environments\./, '')
    .split('.')
    .map((part) => (part.startsWith('<') ? key : `\\.?${part}`))
    .join('');
  return new RegExp(`^${pattern}$`);
}

describe('a page states', () => {
  test('the type, the required keys, the effect of a change and the effect of null', () => {
    expect(keyRow('domain', 'path')).toEqual([
      'Path that is routed.',
      'text; must begin with / and hold no backtick, which ends it in the rule of the proxy',
      '`"/"` when left out',
      'in place, next deployment (below application: at once)',
      'writes `"/"`',
    ]);
    expect(keyRow('volumeBackup', 'enabled')).toEqual([
      'Whether it runs; true by default.',
      'true or false',
      '`true` when left out',
      'in place',
      'refused: null means that it never runs; write false for that',
    ]);
    expect(keyRow('postgres', 'dockerImage')?.slice(2)).toEqual([
      '`"postgres:18"` when left out',
      'in place, next deployment',
      'refused',
    ]);
    expect(keyRow('mariadb', 'dockerImage')?.[2]).toBe('required');
    expect(keyRow('application', 'source.branch')?.[2]).toBe('required');
    expect(keyRow('application', 'source.buildPath')?.[2]).toBe('optional');
    expect(keyRow('backup', 'database')?.[2]).toBe('required, unless its parent has a `databaseName`');
    expect(keyRow('compose', 'name')?.[2]).toBe('the key of the block, when left out');
  });

  test('how a field is changed that no update carries', () => {
    expect(keyRow('postgres', 'databasePassword')?.[3]).toMatch(
      /^in place, through `postgres.changePassword`; else written only: the database does not run/,
    );
    expect(keyRow('postgres', 'databaseName')?.[3]).toMatch(
      /^a new object replaces the old one; changed on the platform/,
    );
    expect(keyRow('application', 'name')?.[3]).toMatch(/^in place/);
    expect(pageOf('application')).toContain(
      '`application.update`: a change of `name`, `description`. Elsewhere Trueup refuses it.',
    );
    expect(pageOf('certificate')).toContain(
      '`certificates.update`: a change of `name`, `certificateData`, `privateKey` in place. Elsewhere a new object replaces the old one.',
    );
  });

  test('secrets, references, and the keys of each case or parent', () => {
    expect(keyRow('postgres', 'databasePassword')?.[0]).toContain('**Secret:**');
    expect(keyRow('compose', 'env')?.[0]).toContain('**May hold secrets:** plans show what git shows');
    expect(keyRow('compose', 'source.sshKey')?.[0]).toContain('Refers to [sshKey](ssh-key.md).');
    expect(keyRow('mount', 'volumeName')?.[0]).toContain('Only with `type: volume`.');
    expect(keyRow('domain', 'serviceName')?.[0]).toContain('Only below compose.');
    expect(pageOf('application')).toContain('`type: drop` cannot be declared: its code is a file that is uploaded');
  });

  test('how an object is recognised', () => {
    expect(pageOf('domain')).toContain('below the same parent with the same `host`, `path` and `serviceName`');
    expect(pageOf('mount')).toContain('same `mountPath` (`type: bind` or `type: volume`) or `filePath` (`type: file`)');
    expect(pageOf('sshKey')).toContain('with the same `publicKey`');
    expect(pageOf('sshKey')).toContain('The platform does not return the id of a new one');
    expect(pageOf('certificate')).toContain('Trueup chooses the id of a new one');
    expect(pageOf('gitlab')).toContain('in no list before it is connected in the browser');
    expect(pageOf('environment')).toContain('and never creates or deletes it. Its `name` cannot be changed.');
    expect(pageOf('backup')).toContain('The key of the block is a label');
  });

  test('the data that a deletion or a replacement puts at risk', () => {
    expect(pageOf('compose')).toContain('Deletion with `deleteVolumes: true` puts data at risk');
    expect(pageOf('compose')).not.toContain('Deletion puts data at risk');
    expect(pageOf('compose')).toContain('Replacement puts data at risk (the volumes of this compose)');
    expect(pageOf('mount')).toContain('Deletion with `type: volume` puts data at risk');
    expect(pageOf('redis')).toContain('Deletion puts data at risk (the data of this database)');
    expect(pageOf('certificate')).toContain('creates the new object, points its users to it');
  });

  test('which options and outputs there are', () => {
    const options = Object.fromEntries(
      tableRows(pageOf('memberPermissions'), 'key').map(([key, ...rest]) => [key, rest]),
    );
    expect(options['`accessMode`']?.at(-1)).toBe('`merge`');
    expect(keyRow('compose', 'deleteVolumes')?.at(-1)).toBe('`false`');
    const outputs = tableRows(pageOf('postgres'), 'reference').map(([output]) => output);
    expect(outputs).toEqual(['`${ref:<address>.id}`', '`${ref:<address>.host}`', '`${ref:<address>.appName}`']);
  });
});

test('there is a page for each file of the resources, under its name, and one that leads to all', () => {
  const files = readdirSync(join(root, 'src/resources')).filter((name) => name.endsWith('.ts') && name !== 'index.ts');
  const pages = [...kindPages(kinds).keys()];
  expect(pages.toSorted()).toEqual(
    ['README.md', 'project.md', ...files.map((name) => name.replace(/\.ts$/, '.md'))].toSorted(),
  );
  const index = kindPages(kinds).get('README.md');
  for (const name of pages.slice(1)) expect(index).toContain(`](${name})`);
  expect(index).toContain('| `environments.<name>.compose.<name>.domains.<host>` | [domain](domain.md) |');
});

test.each([
  [z.string(), 'text'],
  [z.string().min(1).max(32), 'text (1 to 32 characters)'],
  [z.string().regex(/^a+$/), 'text (matching `^a+$`)'],
  [z.string().regex(/^a+$/, 'may hold only the letter a'), 'text; may hold only the letter a'],
  [z.string().refine(() => true, 'is not a host name: letters'), 'text; a host name: letters'],
  [
    z.string().min(1, 'may not be empty: it would be made up').nullable(),
    'text or `null`; may not be empty: it would be made up',
  ],
  [z.enum(['a', 'b']), 'one of `a`, `b`'],
  [z.number().int().min(1).max(65_535).optional(), 'whole number from 1 to 65535'],
  [z.number().min(0).default(20), 'number from 0; `20` when left out'],
  [z.array(z.string()), 'list of text'],
  [z.record(z.string(), z.string()), 'map of text'],
  [z.strictObject({ A: z.boolean(), b: z.url().optional() }), 'map { `A`\\* true or false, `b` URL }'],
  [z.unknown(), 'any JSON value'],
])('a schema becomes words (%#)', (schema, words) => {
  expect(schemaWords(schema)).toBe(words);
});

test('a table with an empty cell is refused', () => {
  expect(table(['a', 'b'], [['x|y', '`z`']])).toBe('| a | b |\n| --- | --- |\n| x\\|y | `z` |\n');
  expect(() => table(['a', 'b'], [['x', ' ']])).toThrow('has an empty cell: x');
});
