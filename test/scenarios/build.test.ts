import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/** When `scripts/build.mjs` builds: in a checkout whose compiler and bundler only note that they ran. */

const root = resolve(import.meta.dirname, '../..');
const checkout = mkdtempSync(join(tmpdir(), 'trueup-build-'));
/** What the compiler and the bundler of this checkout read. */
const source = 'src/text.ts';
for (const name of ['bin', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'])
  cpSync(join(root, name), join(checkout, name), { recursive: true });
for (const name of ['scripts/build.mjs', 'scripts/support/program-bundles.mjs'])
  cpSync(join(root, name), join(checkout, name));
write('src/index.ts', 'export {};\n');
write(source, 'export {};\n');
write('node_modules/.bin/tsc', note('types', "'dist'"));
write('scripts/bundle.mjs', note('bundles', "(process.argv[2] ?? '.') + '/dist'"));
afterAll(() => rmSync(checkout, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

/** A program that writes the source into a file of a folder, and notes that it ran. Before, it does what `MEANWHILE` says. */
function note(name: string, folder: string): string {
  return `const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = process.getBuiltinModule('fs');
const { spawnSync } = process.getBuiltinModule('child_process');
const isBundling = '${name}' === 'bundles';
eval(process.env.MEANWHILE ?? '');
mkdirSync(${folder}, { recursive: true });
writeFileSync(${folder} + '/${name}', readFileSync('${source}'));
appendFileSync(${JSON.stringify(join(checkout, 'ran'))}, '${name} ');
`;
}

const script = join(checkout, 'scripts/build.mjs');

/** Builds, and gives what ran for it. */
function build(...folder: readonly string[]): string {
  return buildWhile('', ...folder);
}

/** Builds while something else is done, before the compiler and the bundler write. */
function buildWhile(meanwhile: string, ...folder: readonly string[]): string {
  write('ran', '');
  const env = { ...process.env, MEANWHILE: meanwhile };
  execFileSync(process.execPath, [script, ...folder], { stdio: 'pipe', env });
  return readFileSync(join(checkout, 'ran'), 'utf8').trim();
}

const built = 'types bundles';

test('a build of the same files by the same packages does nothing', () => {
  expect(build()).toBe(built);
  expect(build()).toBe('');
  expect(readdirSync(join(checkout, 'dist'))).toEqual(['bundles', 'types']);
});

test.each<[what: string, change: () => void]>([
  ['a file of the source has another text', () => write('src/index.ts', '')],
  ['a file of the source is new', () => write('src/new.ts', '')],
  ['a file of the source has another name', () => (write('src/other.ts', ''), rmSync(join(checkout, 'src/index.ts')))],
  ['a setting of the compiler changed', () => write('tsconfig.json', '{}')],
  ['a package changed', () => write('package-lock.json', '{}')],
  ['other packages are installed', () => write('node_modules/.package-lock.json', '{}')],
  ['the packages were installed', () => rmSync(join(checkout, 'node_modules/.trueup-build'))],
  ['a built file changed', () => write('dist/bundles', 'changed')],
  ['a built file is missing', () => rmSync(join(checkout, 'dist/types'))],
  ['nothing is built', () => rmSync(join(checkout, 'dist'), { recursive: true })],
])('builds again when %s', (_, change) => {
  change();
  expect(build()).toBe(built);
});

test('a build beside another one that dies is whole', () => {
  write(source, 'export const beside = 1;\n');
  const dying = `isBundling && spawnSync(process.execPath, [${JSON.stringify(script)}], { env: { MEANWHILE: 'process.exit(1)' } })`;
  expect(buildWhile(dying)).toBe(built);
  expect(readdirSync(join(checkout, 'dist'))).toEqual(['bundles', 'types']);
  expect(build()).toBe('');
});

test('a build that fails leaves what was built', () => {
  write(source, 'export const fails = 1;\n');
  expect(() => buildWhile('isBundling && process.exit(1)')).toThrow('Command failed');
  expect(readdirSync(join(checkout, 'dist'))).toEqual(['bundles', 'types']);
  expect(build()).toBe(built);
});

test('what is edited during a build is not built as what was there before', () => {
  const before = 'export const before = 1;\n';
  write(source, before);
  buildWhile(`writeFileSync(${JSON.stringify(join(checkout, source))}, 'edited')`);
  write(source, before);
  build();
  const texts = ['bundles', 'types'].map((name) => readFileSync(join(checkout, 'dist', name), 'utf8'));
  expect(texts).toEqual([before, before]);
});

test('another folder gets a copy of dist/, and bundles of its own when that is out of date', () => {
  const other = join(checkout, 'other');
  expect([build(), build(other)]).toEqual(['', '']);
  expect(readdirSync(join(other, 'dist'))).toEqual(['bundles', 'types']);
  write(source, 'export { };\n');
  expect(build(other)).toBe('bundles');
});
