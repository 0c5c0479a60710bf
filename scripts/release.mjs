// Makes a release: `npm run release -- 0.2.0` writes the version wherever it stands, packs, and lists what is left to do by hand.
// All of it is made in a copy of the commit, which has nothing that lies beside it here. With --dry-run, npm also tries what it would
// publish, and nothing here changes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** Files that name the version of the package that they belong to, beside package.json and the changelog. */
const naming = [
  'Dockerfile',
  'deploy/kubernetes.yaml',
  'docs/install.md',
  'pipelines/kubernetes.yaml',
  'test/support/reviewed.ts',
];

/** The next version: the one given, or, to try a release, the next minor one. @throws {Error} where there is none */
function versionOf(given, present, isTry) {
  const [major = 0, minor = 0] = present.split('.').map(Number);
  if (given === undefined && !isTry)
    throw new Error('no version is given: npm run release -- 0.2.0, or npm run release -- --dry-run');
  const next = given ?? `${major}.${minor + 1}.0`;
  if (!/^\d+\.\d+\.\d+$/.test(next)) throw new Error(`${next} is no version such as 0.2.0`);
  const isNewer = next.localeCompare(present, 'en', { numeric: true }) > 0;
  if (!isNewer) throw new Error(`${next} is not newer than ${present}`);
  return next;
}

/** Writes a version in the place of another in all files of a folder. @throws {Error} where a file does not have it */
function writeVersion(folder, from, to, isTry) {
  const npm = ['version', to, '--no-git-tag-version', '--ignore-scripts'];
  execFileSync('npm', npm, { cwd: folder, stdio: 'ignore' });
  for (const path of naming) {
    const text = readFileSync(join(folder, path), 'utf8');
    // Not a part of a longer one: 0.20.2 in 20.20.2.
    const whole = new RegExp(`(?<![\\d.])${from.replaceAll('.', String.raw`\.`)}(?!\\.?\\d)`, 'g');
    if (!whole.test(text)) throw new Error(`${path} does not name ${from}`);
    writeFileSync(join(folder, path), text.replace(whole, to));
  }
  const path = join(folder, 'CHANGELOG.md');
  const text = readFileSync(path, 'utf8');
  const [, entries = ''] = text.match(/^## Unreleased\n([\s\S]*?)(?=^## |(?![\s\S]))/m) ?? [];
  // Behind a release there is nothing new yet, and the next one can be tried all the same.
  if (entries.trim() === '' && isTry) return;
  if (entries.trim() === '') throw new Error('CHANGELOG.md has nothing below "## Unreleased"');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(path, text.replace('## Unreleased\n', `## ${to} (${today})\n`));
}

/** Packs a folder into `release/`, with the single files, the bills of materials and the SHA-256 of each, as `sha256sum --check` reads them. */
function pack(folder) {
  const place = join(folder, 'release');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', place], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  cpSync(join(folder, 'sbom.cdx.json'), join(place, 'sbom.cdx.json'));
  const singleFile = [join(folder, 'scripts/single-file.mjs'), 'x64', 'arm64', '--out', place];
  execFileSync(process.execPath, singleFile, { stdio: ['ignore', 'ignore', 'inherit'] });
  const names = readdirSync(place).toSorted();
  const sums = names.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(place, name)))
        .digest('hex')}  ${name}\n`,
  );
  writeFileSync(join(place, 'SHA256SUMS'), sums.join(''));
  const tarball = names.find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm packed nothing');
  return { sums: sums.join(''), tarball };
}

/** A copy of the commit, with the packages that are installed here. */
function copyOfCommit() {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-release-'));
  const archive = execFileSync('git', ['archive', '--format=tar', 'HEAD'], { cwd: root, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  rmSync(join(folder, 'node_modules/.trueup-build'), { force: true });
  return folder;
}

function release(words) {
  // Without the `--` behind `npm run release`, npm takes the option for its own, and tells of it so.
  const isTry = words.includes('--dry-run') || process.env.npm_config_dry_run === 'true';
  delete process.env.npm_config_dry_run;
  const [given, ...others] = words.filter((word) => word !== '--dry-run');
  const unknown = others[0] ?? (given?.startsWith('-') === true ? given : undefined);
  if (unknown !== undefined) throw new Error(`${unknown} means nothing here: npm run release -- 0.2.0 [--dry-run]`);
  const { version: present } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = versionOf(given, present, isTry);
  if (!isTry && execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }) !== '')
    throw new Error('there are changes that are not committed');
  const folder = copyOfCommit();
  try {
    writeVersion(folder, present, version, isTry);
    const { sums, tarball } = pack(folder);
    if (isTry)
      execFileSync('npm', ['publish', '--dry-run', '--loglevel=notice', '--provenance=false', `./release/${tarball}`], {
        cwd: folder,
        stdio: 'inherit',
      });
    else takeOver(folder);
    process.stdout.write(`\nTrueup ${version}${isTry ? ', tried and removed' : ' is in release/'}\n${sums}`);
    if (!isTry) process.stdout.write(`\nWhat is left: CONTRIBUTING.md, "A release", from its second step.\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes what a release is, and the files that name its version, out of the copy. */
function takeOver(folder) {
  rmSync(join(root, 'release'), { recursive: true, force: true });
  for (const path of ['release', 'package.json', 'package-lock.json', 'CHANGELOG.md', ...naming])
    cpSync(join(folder, path), join(root, path), { recursive: true });
}

try {
  release(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
