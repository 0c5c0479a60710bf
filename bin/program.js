const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

// Flags are part of what V8 compares before it takes a code cache: they are set before anything is compiled.

// Most runs end before an optimised function gives back what its compilation took: ten times the work that is usual has to
// be done in one before Node 20 optimises it. Later versions have another compiler for that.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=675840');
// The parser of HTTP is WebAssembly. To optimise its one large function takes 0.1 s and 30 MB, which no run gives back.
setFlagsFromString('--liftoff-only');

/** The bundle of the command line. */
const file = path.join(__dirname, '../dist/cli/main.cjs');
/** What V8 made of the bundle when it was built; only the same version of V8 on the same kind of processor can take it. */
const cacheFile = path.join(path.dirname(file), `main-${process.versions.v8}-${process.arch}.cache`);

/** Compiles the bundle, by the code cache where V8 takes that: `cachedDataRejected` says that it does not. */
function compile(cachedData) {
  // The bundle is ASCII.
  const text = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(file, 'latin1')}\n})`;
  return new Script(text, { filename: file, cachedData });
}

/** Runs a compiled bundle as `require` would. */
function run(script) {
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
}

module.exports = { file, cacheFile, compile, run };
