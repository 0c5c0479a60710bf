// Builds dist/: types and bundles. Does nothing where the last build read the same files, and what it wrote is unchanged.
// With a folder that has bin/ and package.json: copies dist/ there, or makes the bundles there when dist/ is out of date.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder] = process.argv.slice(2);

/** All that a build reads; the lock file stands for the packages. */
const sources = [
  'bin',
  'src',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/support/code-cache.cjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Digests of what the last build read and wrote. In node_modules: `npm ci` removes it and builds. */
const record = join(root, 'node_modules/.trueup-build');

/** The digest of this Node and of the files at some paths. */
function digestOf(...paths) {
  const hash = createHash('sha256').update(`${process.version} ${process.arch}\0`);
  for (const path of paths.flatMap(filesAt)) {
    const content = readFileSync(join(root, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesAt(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const files = readdirSync(join(root, path), { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map((file) => relative(root, join(file.parentPath, file.name))).toSorted();
}

/** Runs a program; when it fails, it said why. */
function run(script, ...words) {
  const { status } = spawnSync(process.execPath, [join(root, script), ...words], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const read = digestOf(...sources);
const digests = () => `${read} ${digestOf('dist')}\n`;
const isBuilt = [record, join(root, 'dist')].every(existsSync) && readFileSync(record, 'utf8') === digests();

if (folder !== undefined) {
  if (isBuilt) cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  else run('scripts/bundle.mjs', folder);
} else if (!isBuilt) {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  run('node_modules/.bin/tsc', '-p', 'tsconfig.build.json');
  run('scripts/bundle.mjs');
  writeFileSync(record, digests());
}
