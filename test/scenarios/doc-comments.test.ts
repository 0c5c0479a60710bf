import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/samples.ts';

/** The doc comments of everything that the package exports. */

/** The files that the package exports, by its package.json. */
function entries(): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, { default: string } | string>;
  };
  return Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
  );
}

interface Exported {
  readonly name: string;
  /** The file that declares it. */
  readonly file: string;
}

/** The names that a file exports again from others, without its types. */
function exportedBy(path: string, text: string): Exported[] {
  return [...text.matchAll(/^export \{([^}]*)\} from '([^']+)';$/gm)].flatMap(([, names = '', from = '']) =>
    names.split(',').flatMap((name) => {
      const file = resolve(root, dirname(path), from);
      return name.trim() === '' ? [] : [{ name: name.trim(), file }];
    }),
  );
}

/** What is wrong with the doc comment of something; undefined: nothing. */
function faultOf(name: string, text: string): string | undefined {
  const declared = new RegExp(`^export (?:(?:async )?function|const|class) ${name}\\b`, 'm').exec(text);
  if (declared === null) return 'is declared in no form that is known here';
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, declared.index))?.[1];
  if (comment === undefined) return 'has no doc comment';
  if (!declared[0].includes('function')) return undefined;
  return /@throws|Never[\s*]+throws/.test(comment) ? undefined : 'says neither @throws nor "Never throws"';
}

const all = entries().flatMap((path) => exportedBy(path, readFileSync(join(root, path), 'utf8')));

describe('the exports of the package', () => {
  test('is found in all of its entry points', () => {
    expect(entries()).toHaveLength(7);
    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['open', 'session', 'createClient', 'serve', 'storeOver', 'defineKind']),
    );
  });

  test.each(all)('$name has a doc comment with its meaning and its errors', ({ name, file }) => {
    expect(faultOf(name, readFileSync(file, 'utf8'))).toBeUndefined();
  });

  test.each([
    ['export function a() {}', 'has no doc comment'],
    ['/** Does it. */\nexport async function a() {}', 'says neither @throws nor "Never throws"'],
    ['/** Does it. Never throws. */\nexport function a() {}', undefined],
    ['/**\n * Does it.\n *\n * @throws {Stop} sometimes.\n */\nexport function a() {}', undefined],
    ['/** A value. */\nexport const a = 1;', undefined],
    ['const b = 1;', 'is declared in no form that is known here'],
  ])('%j: %s', (text, fault) => {
    expect(faultOf('a', text)).toBe(fault);
  });
});
