import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, inject, test } from 'vitest';

/** The program starts with what V8 compiled when it was built, where this V8 takes that, and works without it. */

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly version: string;
};
const manifest = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { a: {} }\n';

let place: string;

/** A copy of the program that a test may change, and a manifest. */
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'trueup-cache-'));
  const built = dirname(dirname(inject('program')));
  for (const name of ['bin', 'dist/cli', 'package.json'])
    cpSync(join(built, name), join(place, name), { recursive: true });
  writeFileSync(join(place, 'trueup.yaml'), manifest);
  return () => rmSync(place, { recursive: true });
});

function node(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const about = { cwd: place, encoding: 'utf8', env: { PATH: process.env.PATH, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, about);
  return { status, stdout, stderr };
}

const trueup = (words: readonly string[], env = {}) => node([join(place, 'bin/trueup.js'), ...words], env);

/** What bin/program.js gives for an expression with `program`. */
const ask = (expression: string, env = {}): string =>
  node(['-p', `const program = require(${JSON.stringify(join(place, 'bin/program.js'))}); ${expression}`], env).stdout;
const read = (bundle: string, ...words: readonly string[]) =>
  `program.readWithCache(${JSON.stringify(bundle)}, ${JSON.stringify(words)})`;
const isRejected = (...which: Parameters<typeof read>) => `program.compile(${read(...which)}).cachedDataRejected`;
const hasCache = `${read('main', 'validate')} !== undefined`;
const cacheFile = () => ask('program.cacheFileOf("main", ["validate"])').trim();

const valid = { status: 0, stdout: 'trueup.yaml is valid: 1 resource.\n', stderr: '' };

test.each([
  ['main', 'validate'],
  ['main', '-C', '.', 'plan'],
  ['main', 'apply'],
  ['main', 'status'],
  ['agent', 'plan'],
] satisfies [bundle: string, ...words: string[]][])(
  'the Node that built the program takes the cache of %s for %s',
  (bundle, ...words) => {
    expect(ask(isRejected(bundle, ...words))).toBe('false\n');
  },
);

test('a run that does little takes the small cache', () => {
  const sizes = ['validate', 'plan', 'apply', 'status'].map((word) => {
    return Number(ask(`${read('main', word)}.cached.length`));
  });
  const [validate = 0, plan = 0, apply = 0, status] = sizes;
  expect(validate).toBeGreaterThan(0);
  expect(plan).toBeGreaterThan(validate * 1.2);
  expect(apply).toBeGreaterThan(plan);
  expect(status).toBe(apply);
});

describe('the program works', () => {
  test('where V8 has other flags than when it was built', () => {
    const env = { NODE_OPTIONS: '--max-old-space-size=500 --stack-trace-limit=5' };
    expect(ask(isRejected('main', 'validate'), env)).toBe('true\n');
    expect(trueup(['validate'], env)).toEqual(valid);
  });

  test.each([
    ['was cut off', (cache: string) => truncateSync(cache, 100_000)],
    ['is empty', (cache: string) => truncateSync(cache)],
    [
      'has one wrong bit',
      (cache: string) => {
        const bytes = readFileSync(cache);
        const at = bytes.length >> 1;
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        writeFileSync(cache, bytes);
      },
    ],
    [
      'is a folder',
      (cache: string) => {
        rmSync(cache);
        mkdirSync(cache);
      },
    ],
    ['is that of another version of Node', (cache: string) => rmSync(cache)],
  ])('where its cache %s', (_, spoil) => {
    expect(ask(hasCache)).toBe('true\n');
    spoil(cacheFile());
    expect(ask(hasCache)).toBe('false\n');
    expect(trueup(['validate'])).toEqual(valid);
  });
});

test('a bundle runs once, however often it is required', () => {
  const load = 'program.runWithCache("agent", [])';
  expect(ask(`typeof ${load}.Agent`)).toBe('function\n');
  expect(ask(`${load} === ${load}`)).toBe('true\n');
});

test('connections work without a cache of their own', () => {
  rmSync(ask('program.cacheFileOf("agent", [])').trim());
  writeFileSync(join(place, 'trueup.yaml'), manifest.replace('emulator', '{ url: "http://127.0.0.1:1" }'));
  const { status, stderr } = trueup(['plan'], { TRUEUP_API_KEY: 'key-1', TRUEUP_PINNED: 'false' });
  expect(stderr).toContain('the server refused the connection');
  expect(status).not.toBe(0);
});

test('a bundle of the same length runs, and not the code of the cache', () => {
  const bundle = join(place, 'dist/cli/main.cjs');
  writeFileSync(bundle, readFileSync(bundle, 'utf8').replaceAll('is valid: ', 'is BUILT: '));
  expect(trueup(['validate'])).toEqual({ ...valid, stdout: valid.stdout.replace('is valid: ', 'is BUILT: ') });
});

test('the bundles are strict, and ASCII, as they are read', () => {
  for (const name of ['main', 'agent']) {
    const text = readFileSync(join(place, `dist/cli/${name}.cjs`), 'utf8');
    expect(text).toMatch(/^'use strict';/);
    expect(text.search(/[^\0-\x7F]/)).toBe(-1);
  }
});

test('a command that only prints its help ends with 0', () => {
  expect(trueup(['help', 'plan'])).toMatchObject({ status: 0, stderr: '' });
});

test('a stack for TRUEUP_DEBUG=1 names the files of the source', () => {
  writeFileSync(join(place, 'trueup.yaml'), 'trueup: 1\n');
  const { status, stderr } = trueup(['validate'], { TRUEUP_DEBUG: '1' });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^ +at .*src\/workflow\/validate\.ts:\d+:\d+/m);
});

test('a program that is not built says so, and knows its version', () => {
  rmSync(join(place, 'dist'), { recursive: true });
  expect(trueup(['validate'])).toEqual({
    status: 1,
    stdout: '',
    stderr: 'trueup is not built: run `npm run build` first\n',
  });
  expect(trueup(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});
