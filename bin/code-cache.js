const { lstatSync, mkdirSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { homedir } = require('node:os');
const path = require('node:path');
const { crc32 } = require('node:zlib');

/**
 * Where what V8 compiled is kept from one run to the next. It is code that the next run takes, with the API key and the secrets
 * of that: it lies where only the user can write, and in no repository. undefined: nowhere.
 */

const bytesOfNumber = 4;

/** A folder of the user alone, made where there is none; undefined where it cannot be one. */
function ownFolder(place) {
  try {
    mkdirSync(place, { recursive: true, mode: 0o700 });
    if (process.platform === 'win32') return place; // the folder of the user has rights of its own there
    const { uid, mode } = lstatSync(place);
    // A link is open to all by its mode.
    return uid === process.getuid() && (mode & 0o77) === 0 ? place : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a folder is in a repository: what is there may come from somebody else, by a commit or a restored copy. */
function isInRepository(place) {
  const above = path.dirname(place);
  return existsSync(path.join(place, '.git')) || (above !== place && isInRepository(above));
}

/** The folder of a user for what can be made again; undefined where none is named. */
function cachesOf({ LOCALAPPDATA = '', XDG_CACHE_HOME = '' }) {
  const home = homedir();
  const usual = { win32: LOCALAPPDATA, darwin: path.join(home, 'Library/Caches') }[process.platform];
  const named = usual ?? (path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(home, '.cache'));
  return path.isAbsolute(named) ? named : undefined;
}

/**
 * The folder for the code of a package: its own where the user can write there, as who can do that can change the program too.
 * Elsewhere that of the user, but not in a job of CI: what a job finds there may have been restored for it.
 */
function cacheFolderOf(packageFolder, env) {
  if (env.NODE_DISABLE_COMPILE_CACHE === '1') return undefined;
  const own = ownFolder(path.join(packageFolder, '.code-cache'));
  const caches = own === undefined && (env.CI ?? '') === '' ? cachesOf(env) : undefined;
  if (caches === undefined || isInRepository(caches)) return own;
  return ownFolder(path.join(caches, 'trueup', crc32(packageFolder).toString(16)));
}

/**
 * Reads what V8 compiled of a text with a checksum. Nothing where there is none, or none that is whole and of this text: V8 itself
 * compares the length of the text alone. `depth` is what `keepCode` was given.
 */
function readCode(file, checksum) {
  try {
    const sealed = readFileSync(file);
    const cached = sealed.subarray(3 * bytesOfNumber);
    const [ofText, ofCode, depth] = [0, 1, 2].map((at) => sealed.readUInt32LE(at * bytesOfNumber));
    return cached.length > 0 && ofText === checksum && ofCode === crc32(cached) ? { cached, depth } : {};
  } catch {
    return {}; // without it the program works as well
  }
}

/** Keeps what V8 compiled of a text, whole or not at all. */
function keepCode(file, checksum, { cached, depth }) {
  const before = Buffer.alloc(3 * bytesOfNumber);
  for (const [at, number] of [checksum, crc32(cached), depth].entries())
    before.writeUInt32LE(number, at * bytesOfNumber);
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, Buffer.concat([before, cached]), { mode: 0o600 });
    renameSync(draft, file);
  } catch {
    rmSync(draft, { force: true });
  }
}

module.exports = { cacheFolderOf, readCode, keepCode };
