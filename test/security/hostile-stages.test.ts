import { mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trueup } from '../cli/process.ts';
import { effort } from '../support/whole.ts';

/**
 * 400 hostile repositories of stages, made from a seed: `validate --all` reads each to its end and says what is wrong
 * with it in a few lines. None ends it by an error of the program.
 */

type Files = Record<string, string | Buffer>;

/** A number from 0 up to a limit, the same for a seed (mulberry32). */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * limit);
  };
}

const folder = resolve(import.meta.dirname, '../../examples/stages');
const good: Record<string, string> = Object.fromEntries(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
);
const names = Object.keys(good).toSorted();
const image = 'source: { type: docker, image: nginx }';

interface Dice {
  readonly up: (limit: number) => number;
  readonly one: <T>(items: readonly T[]) => T;
}

/** Adds a text to the example: at the top of a shared file, or in place of the value of a setting. */
const beside = (text: string): Files => ({ ...good, 'shop.yaml': `${good['shop.yaml']}\n${text}\n` });
const inRoot = (text: string): Files => ({ ...good, 'staging.yaml': `${good['staging.yaml']}\n${text}\n` });

const odd = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '""',
  '"\\0"',
  '"\\uD800"',
  '"\u202E"',
  '"${secret:A}"',
  '"${param:x}"',
  '? [a, b]\n:',
  '<<',
  '~',
  '1',
  '"a.b[c]"',
  '"${block:key}"',
  'use',
  'with',
  'environment',
  'environments',
  '*a',
  '&a a',
  '!reset a',
];
const oddValues = [
  '',
  '~',
  '[]',
  '{}',
  '[[[]]]',
  '{ __proto__: { x: 1 } }',
  '.nan',
  '-.inf',
  '1e999',
  '0x7fffffffffffffff1',
  '2001-01-01',
  '!!binary "AAAA"',
  '!!set { a, b }',
  '!!js/function "x"',
  '!reset',
  '!reset {}',
  '!include x',
  '!!str',
  '*missing',
  '&a [*a]',
  '"\\x00"',
  '|\n  a\0b',
  '"${param:"',
  '"${param:${param:x}}"',
  '"${ref:}"',
  '"${secret:__proto__}"',
  '"${var:constructor}"',
  '"${file:../../../etc/passwd}"',
  '"${file:shop.yaml}"',
  '>-\n  %TAG ! x',
  'yes',
];

/** The ways to be hostile; each makes the files of a repository. */
const ways: Readonly<Record<string, (dice: Dice) => Files>> = {
  'nests deeply': ({ up, one }) => {
    const deep = one([10, 70, 1_000, 100_000]);
    const [open, close] = one([['[', ']'] as const, ['{ a: ', '}'] as const, ['[{ a: [', ''] as const]);
    const value = open.repeat(deep) + close.repeat(up(2) * deep);
    return one([beside, inRoot])(`${one(['templates', 'changes', 'variables', 'application', 'x-a'])}: ${value}`);
  },
  'nests deeply by indentation': ({ one }) => {
    const deep = one([60, 300, 2_000]);
    return beside(Array.from({ length: deep }, (_, level) => `${' '.repeat(level)}a:`).join('\n'));
  },
  'has a huge key': ({ one }) => {
    const key = one(['a', '𝒳', '"\\"', '- ']).repeat(one([1_000, 100_000]));
    return one([beside, inRoot])(
      one([
        `templates: { ${key}: { block: {} } }`,
        `application: { ${key}: { use: ${key} } }`,
        `changes: { application: { api: { env: { ${key}: !reset } } } }`,
        `generated: { ${key}: uuid }`,
        `${key}: 1`,
      ]),
    );
  },
  'expands by aliases': ({ one, up }) => {
    const levels = Array.from({ length: 3 + up(8) }, (_, n) => n);
    const row = (n: number) => `  a${n}: &a${n} ${one(['[', '{'])}`;
    const items = (n: number) => (n === 0 ? 'x' : Array.from({ length: 12 }, () => `*a${n - 1}`).join(', '));
    const lists = levels.map((n) => `${row(n).replace('{', '[')}${items(n)}]`).join('\n');
    return beside(
      `x-bomb:\n${lists}\n${one(['drift', 'variables', 'outputs', 'application'])}: { a: *a${levels.length - 1} }`,
    );
  },
  'expands by merge keys': ({ up }) => {
    const levels = Array.from({ length: 3 + up(10) }, (_, n) => n);
    const all = levels.map(
      (n) =>
        `  m${n}: &m${n} { ${n === 0 ? 'a: 1' : `<<: [${Array.from({ length: 9 }, () => `*m${n - 1}`).join(', ')}]`}, k${n}: 1 }`,
    );
    return beside(`x-bomb:\n${all.join('\n')}\napplication: { a: { env: *m${levels.length - 1}, ${image} } }`);
  },
  'expands by templates': ({ up, one }) => {
    const levels = Array.from({ length: 2 + up(14) }, (_, n) => n);
    const wide = Array.from({ length: one([2, 10, 30]) }, (_, n) => n);
    const last = levels.length;
    const rows = levels.map(
      (n) =>
        `  b${n}: { block: { domains: { ${wide.map((w) => `d${w}: { use: b${n + 1} }`).join(', ')} }, mounts: { ${wide.map((w) => `m${w}: { use: b${n + 1} }`).join(', ')} } } }`,
    );
    return {
      ...good,
      'templates.yaml': `${good['templates.yaml']}${rows.join('\n')}\n  b${last}: { block: {} }\n`,
      'shop.yaml': `${good['shop.yaml']}\napplication: { bomb: { use: b0 } }\n`,
    };
  },
  'goes in circles of templates': ({ up, one }) => {
    const all = Array.from({ length: 1 + up(20) }, (_, n) => n);
    const rows = all.map(
      (n) =>
        `  c${n}: { block: { ${one(['use', 'domains: { a: { use'])}: c${(n + 1) % all.length} } } }${' }'.repeat(0)}`,
    );
    return {
      ...good,
      'templates.yaml': `${good['templates.yaml']}${rows.map((row) => (row.includes('domains') ? `${row} }` : row.replace('} } }', '} }'))).join('\n')}\n`,
      'shop.yaml': `${good['shop.yaml']}\napplication: { circle: { use: c0 } }\n`,
    };
  },
  'goes in circles of includes': ({ up }) => {
    const all = Array.from({ length: 1 + up(12) }, (_, n) => n);
    const files = Object.fromEntries(
      all.map((n) => [`more/i${n}.yaml`, `include: [i${(n + 1) % all.length}.yaml, "*.yaml"]\n`]),
    );
    return {
      ...good,
      ...files,
      'shop.yaml': (good['shop.yaml'] ?? '').replace('apps/*.yaml]', 'apps/*.yaml, more/i0.yaml]'),
    };
  },
  'refers in circles': ({ up }) => {
    const all = Array.from({ length: 1 + up(30) }, (_, n) => n);
    const blocks = all.map(
      (n) => `r${n}: { ${image}, env: { A: "\${ref:application.r${(n + 1) % all.length}.appName}" } }`,
    );
    return beside(`application: { ${blocks.join(', ')} }`);
  },
  'includes odd paths': ({ one }) => {
    const path = one([
      '../../../etc/passwd',
      '/etc/passwd',
      '.',
      '..',
      './',
      '*',
      '**/*.yaml',
      '"a\\0b"',
      '""',
      'loop/loop/a.yaml',
      'a/'.repeat(3_000),
      '"*".yaml',
      '[a]*',
      '${var:tag}',
      'shop.yaml',
      './shop.yaml',
      'staging.yaml',
      '.git/config',
      '~',
      '{}',
      'unreadable.yaml',
    ]);
    return { ...good, 'shop.yaml': (good['shop.yaml'] ?? '').replace('apps/*.yaml]', `apps/*.yaml, ${path}]`) };
  },
  'has odd names': ({ one }) => {
    const [a, b] = [one(odd), one(odd)];
    return one([beside, inRoot])(
      one([
        `templates: { ${a}: { parameters: { ${b}: {} }, block: { ${image} } } }`,
        `application: { ${a}: { use: web, with: { ${b}: 1 } } }`,
        `variables: { ${a}: { default: 1 } }`,
        `changes: { ${a}: { ${b}: !reset } }`,
        `changes: { application: { ${a}: { ${b}: !reset } } }`,
        `generated: { ${a}: uuid, ${b}: ed25519 }`,
        `environment: { ${a}: ${b} }`,
        `${a}: { ${b}: 1 }`,
      ]),
    );
  },
  'has odd values': ({ one }) => {
    const key = one([
      'trueup',
      'platform',
      'project',
      'environment',
      'include',
      'variables',
      'templates',
      'changes',
      'secrets',
      'generated',
      'state',
      'drift',
      'moved',
      'outputs',
      'application',
      'postgres',
    ]);
    const value = one(oddValues);
    const file = one(names);
    const text = (good[file] ?? '').split('\n').filter((line) => !line.startsWith(`${key}:`));
    return { ...good, [file]: [...text, `${key}: ${value}`].join('\n') };
  },
  'has odd values in templates and changes': ({ one }) => {
    const value = one(oddValues);
    return one([
      beside(`templates: { t: ${value} }\napplication: { a: { use: t } }`),
      beside(`templates: { t: { block: ${value}, parameters: ${one(oddValues)} } }\napplication: { a: { use: t } }`),
      beside(
        `templates: { t: { block: { ${image}, env: ${value} } } }\napplication: { a: { use: t, with: ${one(oddValues)} } }`,
      ),
      beside(`application: { a: { use: ${value}, with: ${one(oddValues)} } }`),
      inRoot(`changes: { application: ${value} }`),
      inRoot(`changes: { application: { api: { env: ${value}, domains: ${one(oddValues)} } } }`),
    ]);
  },
  'is no text': ({ up, one }) => {
    const bytes = Buffer.from(Array.from({ length: 1 + up(4_000) }, () => up(256)));
    const text = good['shop.yaml'] ?? '';
    const file = one(names);
    const content = one([
      bytes,
      Buffer.concat([Buffer.from(text), bytes]),
      Buffer.from(text, 'utf16le'),
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]),
      Buffer.from(`\uFEFF\uFEFF${text}`),
      Buffer.from(`${text}\0`),
      Buffer.from(text.replaceAll('\n', one(['\r', '\u2028', '\u0085', '\f']))),
      Buffer.alloc(0),
    ]);
    return { ...good, [file]: content };
  },
  'is several documents, or none': ({ one }) => {
    const file = one(names);
    const text = good[file] ?? '';
    return {
      ...good,
      [file]: one([
        `${text}---\n${text}`,
        `---\n---\n${text}`,
        `%YAML 3.0\n---\n${text}`,
        `%TAG ! tag:x,2000:\n---\n${text}`,
        `${text}...\nmore`,
        '# nothing\n',
        '--- |\n  text\n',
        `${text}\n\t- tab`,
      ]),
    };
  },
  'holds endless expressions': ({ one }) => {
    const many = one([10, 1_000, 20_000]);
    const text = one([
      '${param:',
      '${param:x}',
      '$${',
      '${block:key}',
      '${ref:a',
      '${var:tag}',
      '${file:a}',
      '${secret:A|base64}',
      '}${',
    ]).repeat(many);
    return beside(
      `templates: { t: { parameters: { x: { default: "${'a'.repeat(one([1, 10_000]))}" } }, block: { ${image}, env: { A: "${text}" } } } }\napplication: { a: { use: t } }`,
    );
  },
  'has a slow pattern': ({ one }) => {
    const pattern = one(['(a+)+b', '(a|a)*b', '(.*)*x', '((a{1,50}){1,50}){1,50}', '(?=a*)*b', '[a-', '\\\\1(a)']);
    return beside(`variables: { slow: { pattern: "${pattern}", default: ${'a'.repeat(one([30, 5_000]))} } }`);
  },
  'was damaged': ({ up, one }) => {
    const file = one(names);
    let text = good[file] ?? '';
    for (let edits = 1 + up(4); edits > 0; edits--) {
      const at = up(text.length);
      const to = at + up(1 + up(30));
      text = one([
        text.slice(0, at) + text.slice(to),
        text.slice(0, to) + text.slice(at),
        text.slice(0, at) +
          one([
            '{',
            '}',
            '[',
            ']',
            ':',
            '\n',
            '"',
            "'",
            '${',
            '!reset ',
            '&a ',
            '*a',
            '- ',
            '\t',
            '|',
            '#',
            '\0',
            '§',
          ]) +
          text.slice(at),
      ]);
    }
    return { ...good, [file]: text };
  },
};

function write(files: Files): string {
  const made = mkdtempSync(join(tmpdir(), 'trueup-hostile-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(made, name)), { recursive: true });
    writeFileSync(join(made, name), content);
  }
  symlinkSync('.', join(made, 'loop'));
  return made;
}

/** Repositories of each kind: 414 in all. */
const each = effort({ fast: 4, all: 23 });
const kinds = Object.entries(ways);

describe('validate --all of a repository that', () => {
  test.each(kinds)(
    '%s is read to its end, and says what is wrong',
    async (_way, make) => {
      let refused = 0;
      for (let n = 0; n < each; n++) {
        const up = randomOf(n * 7919 + kinds.findIndex(([, one]) => one === make));
        const dice: Dice = { up, one: (items) => items[up(items.length)] as never };
        const made = write(make(dice));
        const { code, out, err } = await trueup(['validate', '--all', '-C', made]);
        const about = `seed ${n} in ${made}, exit code ${code}\n${err.slice(0, 2_000)}`;
        expect([0, 3], about).toContain(code);
        expect(out + err, about).not.toMatch(/\n {4}at |TypeError|RangeError|\[object Object\]|undefined/);
        // Three stages, each with at most the errors that are shown at once.
        expect(err.length, about).toBeLessThan(200_000);
        if (code !== 0) {
          refused += 1;
          expect(err, about).toMatch(/^error(?:\[[a-z-]+\])?/m);
          expect(err, about).toMatch(/^ {2}-> /m);
        }
      }
      expect(refused).toBeGreaterThan(0);
    },
    300_000,
  );
});
