// Runs commands of the command line in this process, one after the other, and keeps what V8 compiled for them.
// Arguments: bin/program.js, and a folder with trueup.yaml, which uses the emulator, and served.yaml, which uses a server.
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const v8 = require('node:v8');

const [node, , program, folder] = process.argv;
const { file, cacheFile, seal, compile, run } = require(program);
// The flags are part of what V8 compares: they have to be those of the moment at which a run takes the cache.
v8.setFlagsFromString = () => undefined;

const text = readFileSync(file);
const script = compile({ text });
const commands = [
  ['validate'],
  ['apply', '--auto-approve'],
  ['plan'],
  ['-f', 'served.yaml', 'apply', '--auto-approve'],
  ['-f', 'served.yaml', 'plan'],
];
process.on('beforeExit', next);
next();

function next() {
  if (process.exitCode > 0) throw new Error(`a command ended in ${process.exitCode}`);
  const words = commands.shift();
  if (words !== undefined) {
    process.argv = [node, 'trueup', '-C', folder, ...words];
    run(script);
    return;
  }
  process.off('beforeExit', next);
  writeFileSync(`${cacheFile}.new`, seal(text, script.createCachedData()));
  renameSync(`${cacheFile}.new`, cacheFile);
}
