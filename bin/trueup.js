#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { isServedNode } = require('./served-node.js');

const [first, ...others] = process.argv.slice(2);
if (isServedNode()) {
  if (first === '--version' && others.length === 0) printVersion(require('../package.json'));
  else start(require('./program.js'));
}

/** Prints the version without the program, which takes as long to load as Node takes to start. */
function printVersion({ version }) {
  process.stdout.on('error', ({ code }) => {
    if (code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`error: the output is incomplete: stdout cannot be written (${code})\n`);
  });
  process.stdout.write(`${version}\n`);
}

function start({ fileOf, runProgram }) {
  const file = fileOf('main');
  if (!existsSync(file)) {
    console.error('trueup is not built: run `npm run build` first');
    process.exitCode = 1;
    return;
  }
  if (process.env.TRUEUP_DEBUG === '1') {
    // Stacks then name the files of the source.
    process.setSourceMapsEnabled(true);
    require(file);
  } else {
    runProgram(process.argv.slice(2));
  }
}
