// The main script of the single file: runs the bundles of scripts/single-file.mjs, each when another one loads it.
const path = require('node:path');
const { getAsset } = require('node:sea');
const { setFlagsFromString } = require('node:v8');
const { compileFunction } = require('node:vm');

// As in bin/program.js: to optimise the one large function of the parser of HTTP takes more than any run gives back.
setFlagsFromString('--liftoff-only');

/** The exports of the bundles that ran. */
const loaded = new Map();

/** Loads a bundle as `./NAME.cjs`, or a module of Node. */
function load(id) {
  if (!id.startsWith('./')) return require(id);
  if (loaded.has(id)) return loaded.get(id).exports;
  const module = { exports: {} };
  loaded.set(id, module);
  const name = id.slice(2);
  const names = ['exports', 'require', 'module', '__filename', '__dirname'];
  const run = compileFunction(getAsset(name, 'utf8'), names, { filename: name });
  run(module.exports, load, module, process.execPath, path.dirname(process.execPath));
  return module.exports;
}

// The program starts itself as it does with Node, by Node and its file: here both are this file.
const { execPath, argv, argv0 } = process;
const isByItself = argv[2] === execPath;
process.argv = [execPath, execPath, ...argv.slice(isByItself ? 3 : 2)];

// Its name is the one by which it was started, such as that of a link.
if (!isByItself && path.basename(argv0) === 'trueup-ci') {
  load('./streams.cjs').watchStreams();
  process.exitCode = 1; // Node ends when nothing is left to wait for, also where a command still waits
  void load('./ci.cjs')
    .runCi(process, execPath)
    .then((code) => {
      process.exitCode = code;
    });
} else load('./main.cjs');
