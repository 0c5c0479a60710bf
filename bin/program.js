const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

// Flags are part of what V8 compares before it takes a code cache: they are set before anything is compiled.

// Most runs end before an optimised function gives back what its compilation took: ten times the work that is usual has to
// be done in one before Node 20 optimises it. Later versions have another compiler for that.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=675840');
// The parser of HTTP is WebAssembly. To optimise its one large function takes 0.1 s and 30 MB, which no run gives back.
setFlagsFromString('--liftoff-only');

/** The bundle of the command line, in ASCII. */
const file = path.join(__dirname, '../dist/cli/main.cjs');
/** What V8 made of the bundle when it was built with this Node; where another one built it, the file has another name. */
const cacheFile = path.join(path.dirname(file), `main-${process.version}-${process.platform}-${process.arch}.cache`);

/** Bytes before the code cache: the checksums of the bundle and of the cache. V8 compares the length of the one only. */
const checksums = 8;

/** The content of a cache file. */
function seal(text, cached) {
  const before = Buffer.alloc(checksums);
  before.writeUInt32LE(crc32(text), 0);
  before.writeUInt32LE(crc32(cached), 4);
  return Buffer.concat([before, cached]);
}

/** Reads the bundle and its code cache; undefined where there is none, or none that is whole and of this bundle. */
function readWithCache() {
  try {
    const sealed = readFileSync(cacheFile);
    const text = readFileSync(file);
    const cached = sealed.subarray(checksums);
    const isWhole = cached.length > 0 && sealed.readUInt32LE(4) === crc32(cached);
    return isWhole && sealed.readUInt32LE(0) === crc32(text) ? { text, cached } : undefined;
  } catch {
    return undefined; // without it the program works as well
  }
}

/** Compiles the bundle, by the code cache where V8 takes that: `cachedDataRejected` says that it does not. */
function compile({ text, cached }) {
  const wrapped = `(function (exports, require, module, __filename, __dirname) { ${text.latin1Slice()}\n})`;
  return new Script(wrapped, { filename: file, cachedData: cached });
}

/** Runs a compiled bundle as `require` would. */
function run(script) {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
}

module.exports = { file, cacheFile, seal, readWithCache, compile, run };
