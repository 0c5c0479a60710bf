const fs = require('node:fs');
const { homedir } = require('node:os');
const path = require('node:path');
const { crc32 } = require('node:zlib');

/**
 * Where what V8 compiled is kept from one run to the next. It is code that the next run takes, with the API key and the secrets
 * of that: it lies where only the user can write, and in no repository. undefined: nowhere.
 */

const bytesOfNumber = 4;

const isWindows = process.platform === 'win32';

/** Whether the user owns a file or a folder, and others can do nothing that `mode` forbids them. Links are open to all. */
function isOwn(about, forbidden) {
  return isWindows || (about.uid === process.getuid() && (about.mode & forbidden) === 0);
}

/** Makes a folder in one that is there: with `recursive`, Node tries for ever below /proc. */
function makeFolder(place) {
  try {
    if (!fs.existsSync(place)) fs.mkdirSync(place, { mode: 0o700 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error; // another run was faster
  }
}

/** A folder of the user alone, made where there is none; undefined where it cannot be one. Folders above it are made by name. */
function ownFolder(place, above = []) {
  try {
    for (const folder of [...above, place]) makeFolder(folder);
    return isOwn(fs.lstatSync(place), 0o77) ? place : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a folder is in a repository: what is there may come from somebody else, by a commit or a restored copy. */
function isInRepository(place) {
  const above = path.dirname(place);
  return fs.existsSync(path.join(place, '.git')) || (above !== place && isInRepository(above));
}

/** The folder of a user for what can be made again; empty where none is named. @throws {Error} where the user has no home */
function cachesOf({ LOCALAPPDATA = '', XDG_CACHE_HOME = '' }) {
  if (isWindows) return LOCALAPPDATA;
  if (process.platform === 'darwin') return path.join(homedir(), 'Library/Caches');
  return path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(homedir(), '.cache');
}

/**
 * The folder for the code of a package: its own where the package is the user's, as who can write there can change the program too.
 * What root leaves in the package of another user, that user could not remove. On Windows that does not follow. Elsewhere that of the user, but not in a job of CI: what a job finds there may have been
 * restored for it.
 */
function cacheFolderOf(packageFolder, env) {
  if (env.NODE_DISABLE_COMPILE_CACHE === '1') return undefined;
  try {
    const isOwner = !isWindows && isOwn(fs.statSync(packageFolder), 0);
    const own = isOwner ? ownFolder(path.join(packageFolder, '.code-cache')) : undefined;
    if (own !== undefined || (env.CI ?? '') !== '') return own;
    const caches = cachesOf(env);
    if (!path.isAbsolute(caches) || isInRepository(caches)) return undefined;
    const ofAll = path.join(caches, 'trueup');
    return ownFolder(path.join(ofAll, crc32(packageFolder).toString(16)), [caches, ofAll]);
  } catch {
    return undefined;
  }
}

/** Reads a file of the user that nobody else can write. @throws {Error} where it is none */
function readOwn(file) {
  const opened = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
  try {
    const about = fs.fstatSync(opened);
    if (!about.isFile() || !isOwn(about, 0o22)) throw new Error(`${file} is not a file of the user`);
    return fs.readFileSync(opened);
  } finally {
    fs.closeSync(opened);
  }
}

/**
 * Reads what V8 compiled of a text with a checksum. Nothing where there is none, or none that is whole and of this text: V8 itself
 * compares the length of the text alone. `depth` is what `keepCode` was given.
 */
function readCode(file, checksum) {
  try {
    const sealed = readOwn(file);
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
    fs.writeFileSync(draft, Buffer.concat([before, cached]), { mode: 0o600, flag: 'wx' });
    fs.renameSync(draft, file);
  } catch {
    try {
      fs.rmSync(draft, { force: true });
    } catch {
      // the run was good all the same
    }
  }
}

module.exports = { cacheFolderOf, readCode, keepCode };
