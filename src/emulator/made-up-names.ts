import { createHash, randomBytes } from 'node:crypto';

/**
 * Names, passwords and tokens that the platform makes up. They are derived from the id of what they belong to, so
 * that an emulator with its own `newId` gives the same world at every run.
 */

const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const nameAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A new id: 21 characters; the first may be a hyphen. */
export function randomId(): string {
  return Array.from(randomBytes(21), (byte) => idAlphabet[byte % 64]).join('');
}

/** An appName as the platform makes it for a row of a table: what was asked for in its spelling, and a random suffix. */
export function suffixedAppName(table: string, id: string, wanted?: string): string {
  const kind = table === 'application' ? 'app' : table;
  const base = wanted === undefined ? `${kind}-${threeWords(id)}` : wanted.toLowerCase().replaceAll(' ', '-');
  return `${base}-${derive(id, 'suffix', 6)}`;
}

/** A few characters that depend on an id and a purpose only. */
export function derive(id: string, purpose: string, length: number): string {
  const bytes = createHash('sha256').update(`${purpose} ${id}`).digest();
  return Array.from(bytes.subarray(0, length), (byte) => nameAlphabet[byte % nameAlphabet.length]).join('');
}

/** Where the log of a run would be. */
export function logPath(appName: string, now: string): string {
  return `/etc/dokploy/logs/${appName}/${appName}-${now.slice(0, 19).replace('T', ':')}.log`;
}

function threeWords(id: string): string {
  const [first = 0, second = 0, third = 0] = createHash('sha256').update(`words ${id}`).digest();
  return [verbs[first % verbs.length], adjectives[second % adjectives.length], nouns[third % nouns.length]].join('-');
}

const verbs = ['copy', 'connect', 'bypass', 'generate', 'parse', 'index', 'transmit', 'compress', 'back-up', 'program'];
const adjectives = [
  'online',
  'virtual',
  'neural',
  'wireless',
  'optical',
  'digital',
  'auxiliary',
  '1080p',
  'open-source',
];
const nouns = ['bus', 'circuit', 'sensor', 'matrix', 'panel', 'array', 'monitor', 'driver', 'hard-drive', 'bandwidth'];
