// Builds dist/: types, which `npm run types` checks, and bundles. Does nothing where the last build read the same files, and what it wrote is unchanged.
// With a folder that has bin/ and package.json: copies dist/ there, or makes the bundles there when dist/ is out of date.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder] = process.argv.slice(2);

/** All that a build reads, but for the packages. */
const sources = [
  'bin',
  'src',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/support/program-bundles.mjs',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

/** Digests of what the last build read and wrote. In node_modules: `npm ci` removes it and builds. */
const record = join(root, 'node_modules/.trueup-build');

/** The digest of this Node and of the files at some paths of a folder. */
function digestOf(place, ...paths) {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}\0`);
  for (const path of paths.flatMap((path) => filesAt(place, path))) {
    const content = readFileSync(join(place, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesAt(place, path) {
  const found = statSync(join(place, path), { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return found === undefined ? [] : [path];
  const files = readdirSync(join(place, path), { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map((file) => relative(place, join(file.parentPath, file.name))).toSorted();
}

/** Runs a program of a folder there; when it fails, it said why. */
function run(place, script, ...words) {
  const { status } = spawnSync(process.execPath, [join(place, script), ...words], { cwd: place, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** The digest of the sources in a folder, and of the packages that npm says are installed. */
const read = (from) => digestOf(from, ...sources, 'node_modules/.package-lock.json');
const digests = (from, to) => `${read(from)} ${digestOf(to, 'dist')}\n`;
const isBuilt = (to) => existsSync(record) && readFileSync(record, 'utf8') === digests(root, to);

if (folder !== undefined) {
  if (isBuilt(root)) cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  if (!isBuilt(folder)) {
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    run(root, 'scripts/bundle.mjs', folder);
  }
} else if (!isBuilt(root)) {
  // Built from a copy of the sources: what is edited meanwhile, and other builds, are not mixed into it.
  const copy = join(root, `dist.${process.pid}`);
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  for (const path of sources) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const before = read(copy);
  run(copy, 'node_modules/.bin/tsc', '-p', 'tsconfig.build.json');
  run(copy, 'scripts/bundle.mjs');
  const made = digests(copy, copy);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  renameSync(join(copy, 'dist'), join(root, 'dist'));
  // Otherwise the packages changed meanwhile.
  if (made.startsWith(before)) writeFileSync(record, made);
}
