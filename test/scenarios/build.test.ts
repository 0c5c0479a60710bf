import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';

/** When `scripts/build.mjs` builds: in a checkout whose compiler and bundler only note that they ran. */

const root = resolve(import.meta.dirname, '../..');
const checkout = mkdtempSync(join(tmpdir(), 'trueup-build-'));
for (const name of ['bin', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'])
  cpSync(join(root, name), join(checkout, name), { recursive: true });
for (const name of ['scripts/build.mjs', 'scripts/support/code-cache.cjs'])
  cpSync(join(root, name), join(checkout, name));
write('src/index.ts', 'export {};\n');
write('node_modules/.bin/tsc', note('types', "'dist'"));
write('scripts/bundle.mjs', note('bundles', "(process.argv[2] ?? '.') + '/dist'"));
afterAll(() => rmSync(checkout, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

/** A program that writes a file into a folder, and notes that it ran. */
function note(name: string, folder: string): string {
  return `const { appendFileSync, mkdirSync, writeFileSync } = process.getBuiltinModule('fs');
mkdirSync(${folder}, { recursive: true });
writeFileSync(${folder} + '/${name}', '${name}');
appendFileSync('ran', '${name} ');
`;
}

/** Builds, and gives what ran for it. */
function build(...folder: readonly string[]): string {
  write('ran', '');
  execFileSync(process.execPath, [join(checkout, 'scripts/build.mjs'), ...folder], { stdio: 'pipe' });
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
  ['the packages were installed', () => rmSync(join(checkout, 'node_modules/.trueup-build'))],
  ['a built file changed', () => write('dist/bundles', 'changed')],
  ['a built file is missing', () => rmSync(join(checkout, 'dist/types'))],
  ['nothing is built', () => rmSync(join(checkout, 'dist'), { recursive: true })],
])('builds again when %s', (_, change) => {
  change();
  expect(build()).toBe(built);
});

test('another folder gets a copy of dist/, and bundles of its own when that is out of date', () => {
  const other = join(checkout, 'other');
  expect([build(), build(other)]).toEqual(['', '']);
  expect(readdirSync(join(other, 'dist'))).toEqual(['bundles', 'types']);
  write('src/index.ts', 'export { };\n');
  expect(build(other)).toBe('bundles');
});
