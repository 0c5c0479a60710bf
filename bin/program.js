const { closeSync, openSync, readFileSync, readSync, statSync } = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

// Flags are part of what V8 compares before it takes a code cache: they are set before anything is compiled.

// Most runs end before an optimised function gives back what its compilation took: twenty times the work that is usual has to
// be done in one before Node 20 optimises it. Later versions have another compiler for that.
if (process.versions.node.startsWith('20.')) {
  setFlagsFromString('--interrupt-budget=1350000');
  // The space for new objects begins with 1 MB and grows once while the program loads: to 8 MB, and not to 4. Half as many
  // collections for 3 MB. src/cli/main.ts ends its growth.
  setFlagsFromString('--semi-space-growth-factor=4');
}
// The parser of HTTP is WebAssembly. To optimise its one large function takes 0.1 s and 30 MB, which no run gives back.
setFlagsFromString('--liftoff-only');

const folder = path.join(__dirname, '../dist/cli');

/** The bundles of the command line, in ASCII: the program, and the connections to a platform, which it loads when it needs them. */
const fileOf = (bundle) => path.join(folder, `${bundle}.cjs`);

/**
 * Commands with a code cache of their own, each with all of those before it: a run that does little takes the small one. Any
 * cache goes with any command, since it holds functions of the same bundle; the largest is for all others.
 */
const commands = ['validate', 'plan', 'apply'];

/** The code that V8 made of a bundle when this Node built it; where another one did, the file has another name. */
function cacheFileOf(bundle, words) {
  const command = words.find((word) => commands.includes(word)) ?? commands.at(-1);
  const name = bundle === 'main' ? command : bundle;
  return path.join(folder, `${name}-${process.version}-${process.platform}-${process.arch}.cache`);
}

/** Reads a bundle, as the function that Node makes of a module. */
function readBundle(bundle) {
  const before = '(function (exports, require, module, __filename, __dirname) { ';
  const after = '\n})';
  const filename = fileOf(bundle);
  const { size } = statSync(filename);
  const wrapped = Buffer.allocUnsafe(before.length + size + after.length);
  wrapped.latin1Write(before);
  const text = wrapped.subarray(before.length, before.length + size);
  const opened = openSync(filename);
  try {
    if (readSync(opened, text) !== size) throw new Error('the bundle is cut off');
  } finally {
    closeSync(opened);
  }
  wrapped.latin1Write(after, before.length + size);
  return { filename, wrapped, checksum: crc32(text) };
}

/** Bytes before the code cache: the checksums of the bundle and of the cache. V8 compares the length of the one only. */
const checksums = 8;

/** The content of a cache file. */
function seal({ checksum }, cached) {
  const before = Buffer.alloc(checksums);
  before.writeUInt32LE(checksum, 0);
  before.writeUInt32LE(crc32(cached), 4);
  return Buffer.concat([before, cached]);
}

/** Reads a bundle and its code cache for a command; undefined where there is none, or none that is whole and of this bundle. */
function readWithCache(bundle, words) {
  try {
    const sealed = readFileSync(cacheFileOf(bundle, words));
    const read = readBundle(bundle);
    const cached = sealed.subarray(checksums);
    const isWhole = cached.length > 0 && sealed.readUInt32LE(4) === crc32(cached);
    return isWhole && sealed.readUInt32LE(0) === read.checksum ? { ...read, cached } : undefined;
  } catch {
    return undefined; // without it the program works as well
  }
}

/** Compiles a bundle, by its code cache where V8 takes that: `cachedDataRejected` says that it does not. */
function compile({ filename, wrapped, cached }) {
  return new Script(wrapped.latin1Slice(), { filename, cachedData: cached });
}

/** Runs a compiled bundle as `require` would; `load` gives the bundles that it requires, undefined for those without a cache. */
function run(filename, script, load) {
  const module = { exports: {} };
  const require = createRequire(filename);
  const requireWithCache = (id) => (id === './agent.cjs' ? load('agent') : undefined) ?? require(id);
  script.runInThisContext()(module.exports, requireWithCache, module, filename, folder);
  return module.exports;
}

/** The exports of the bundles that ran, as `require` keeps them. */
const loaded = new Map();

/** Runs a bundle with its code cache, the first time; undefined where it has none. */
function runWithCache(bundle, words) {
  if (loaded.has(bundle)) return loaded.get(bundle);
  const read = readWithCache(bundle, words);
  const exports = read && run(read.filename, compile(read), (other) => runWithCache(other, words));
  loaded.set(bundle, exports);
  return exports;
}

module.exports = { fileOf, commands, cacheFileOf, readBundle, seal, readWithCache, compile, run, runWithCache };
