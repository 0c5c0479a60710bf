// Runs commands of the command line in this process, one after the other, and keeps what V8 compiled for them.
// Arguments: bin/program.js, and a folder with trueup.yaml, which uses the emulator, and served.yaml, which uses a server.
const { renameSync, writeFileSync } = require('node:fs');
const v8 = require('node:v8');

const [node, , program, folder] = process.argv;
const { commands, cacheFileOf, readBundle, seal, compile, run } = require(program);
// The flags are part of what V8 compares: they have to be those of the moment at which a run takes the cache.
v8.setFlagsFromString = () => undefined;

/** The bundles that were compiled. */
const compiled = new Map();

function start(bundle) {
  const { read, script } = compiled.get(bundle) ?? prepare(bundle);
  return run(read.filename, script, start);
}

function prepare(bundle) {
  const read = readBundle(bundle);
  const made = { read, script: compile(read) };
  compiled.set(bundle, made);
  return made;
}

function keep(bundle, words) {
  const { read, script } = compiled.get(bundle);
  const file = cacheFileOf(bundle, words);
  writeFileSync(`${file}.new`, seal(read, script.createCachedData()));
  renameSync(`${file}.new`, file);
}

const runs = {
  validate: [['validate']],
  plan: [['plan'], ['-f', 'served.yaml', 'plan']],
  apply: [
    ['apply', '--auto-approve'],
    ['plan'],
    ['-f', 'served.yaml', 'apply', '--auto-approve'],
    ['-f', 'served.yaml', 'plan'],
  ],
};
void keepAll();

async function keepAll() {
  for (const command of commands) {
    for (const words of runs[command]) {
      process.argv = [node, 'trueup', '-C', folder, ...words];
      start('main');
      // Node has nothing left to do: the command is over.
      await new Promise((resolve) => void process.once('beforeExit', resolve));
      if (process.exitCode > 0) throw new Error(`${words.join(' ')} ended in ${process.exitCode}`);
    }
    keep('main', [command]);
  }
  keep('agent', []);
}
