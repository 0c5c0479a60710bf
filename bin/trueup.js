#!/usr/bin/env node
const { existsSync } = require('node:fs');

const [first, ...others] = process.argv.slice(2);
if (first === '--version' && others.length === 0) printVersion(require('../package.json'));
else start(require('./program.js'));

/** Prints the version without the program, which takes as long to load as Node takes to start. */
function printVersion({ version }) {
  process.stdout.on('error', ({ code }) => {
    if (code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`error: the output is incomplete: stdout cannot be written (${code})\n`);
  });
  process.stdout.write(`${version}\n`);
}

function start({ fileOf, runWithCache }) {
  const file = fileOf('main');
  if (!existsSync(file)) {
    console.error('trueup is not built: run `npm run build` first');
    process.exitCode = 1;
    return;
  }
  const isDebugging = process.env.TRUEUP_DEBUG === '1';
  if (!isDebugging && runWithCache('main', process.argv.slice(2)) !== undefined) return;
  // Stacks then name the files of the source.
  if (isDebugging) process.setSourceMapsEnabled(true);
  // Node 22 keeps a code cache by itself: here, where only those can write who can write the program.
  require('node:module').enableCompileCache?.(`${file}.cache`);
  require(file);
}
