const { closeSync, openSync, readSync, statSync } = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { cachedDataVersionTag, setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');
const { cacheFolderOf, keepCode, readCode } = require('./code-cache.js');

// Flags are part of what V8 compares before it takes a code cache: they are set before anything is compiled.

const isNode20 = process.versions.node.startsWith('20.');
// Most runs end before an optimised function gives back what its compilation took: twenty times the work that is usual has to
// be done in one before Node 20 optimises it. Later versions have another compiler for that.
if (isNode20) setFlagsFromString('--interrupt-budget=1350000');
/** The flags of memory as the program loads, which src/cli/heap.ts changes behind that. */
const flagsOfLoading = isNode20
  ? // The space for new objects begins with 1 MB and grows once while the program loads: to 8 MB, and not to 4. Half as many
    // collections for 3 MB.
    ['--semi-space-growth-factor=4', '--heap-growing-percent=0']
  : [];
for (const flag of flagsOfLoading) setFlagsFromString(flag);
// The parser of HTTP is WebAssembly. To optimise its one large function takes 0.1 s and 30 MB, which no run gives back.
setFlagsFromString('--liftoff-only');
const tag = cachedDataVersionTag();
/** What compiled the code: the tag alone is one for all versions of Node 20, which crash on the code of each other. */
const compiler = crc32([process.version, process.arch, statSync(process.execPath).size, tag].join(' '));

const packageFolder = path.join(__dirname, '..');
const folder = path.join(packageFolder, 'dist/cli');

/** The bundles of the command line, in ASCII: the program, and the connections to a platform, which it loads when it needs them. */
const fileOf = (bundle) => path.join(folder, `${bundle}.cjs`);

/** Commands with code of their own: all that such a run compiled, and nothing else. The others take that of `plan`. */
const commands = ['validate', 'plan', 'apply', 'drift', 'status', 'destroy'];

/** A run that works or lasts longer gains little, and V8 has dropped functions that it used while it started. */
const longest = { cpuMs: 5_000, ms: 60_000 };

function wasLong() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 > longest.cpuMs || performance.now() > longest.ms;
}

/** The bundles that ran, as `require` keeps them. */
const loaded = new Map();

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
  return { filename, source: wrapped.latin1Slice(), checksum: crc32(text) };
}

/** Runs the program for a command line, with what V8 compiled for such a command before. */
function runProgram(words) {
  const caches = cacheFolderOf(packageFolder, process.env);
  const named = words.find((word) => commands.includes(word));
  const isHelp = words.some((word) => ['--help', '-h', 'help'].includes(word)); // compiles too little to be kept
  const pathOf = (name) => caches && path.join(caches, `${name}-${compiler.toString(16)}.cache`);
  return runBundle('main', {
    file: pathOf(named ?? 'plan'),
    isKept: named !== undefined && !isHelp,
    agent: pathOf('agent'),
  });
}

/** Runs a bundle, the first time. When the process ends well, what was compiled is kept where that was missing. */
function runBundle(bundle, { file, isKept, agent }) {
  if (loaded.has(bundle)) return loaded.get(bundle);
  const { filename, source, checksum } = readBundle(bundle);
  const { cached, depth = 0 } = file === undefined ? {} : readCode(file, checksum);
  const script = new Script(source, { filename, cachedData: cached });
  const isTaken = cached !== undefined && !script.cachedDataRejected;
  const module = { exports: {} };
  const require = createRequire(filename);
  const load = (id) => (id === './agent.cjs' ? runBundle('agent', { file: agent, isKept: true }) : require(id));
  script.runInThisContext()(module.exports, load, module, filename, folder);
  loaded.set(bundle, module.exports);
  if (file !== undefined && isKept)
    process.once('exit', (code) => {
      // The first run that connects compiles more of the program than those before it.
      const isDeeper = depth < loaded.size;
      if (code !== 0 || (isTaken && !isDeeper) || wasLong()) return;
      for (const flag of flagsOfLoading) setFlagsFromString(flag);
      if (cachedDataVersionTag() === tag)
        keepCode(file, checksum, { cached: script.createCachedData(), depth: loaded.size });
    });
  return module.exports;
}

module.exports = { fileOf, runProgram };
