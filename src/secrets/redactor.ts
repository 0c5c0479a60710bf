import { append } from '../kind/group.ts';
import { passwordsIn } from './passwords-in-addresses.ts';
import { type Part, addPart, replaceParts } from './text-parts.ts';
import { redacted } from './secret.ts';
import { type Beside, encodings } from './encodings.ts';

/** Replaces the secrets of one run in texts from elsewhere. It holds them until it is dropped with its run. */
export interface Redactor {
  /** Adds a secret, or what finds some once a text is to be redacted. Those of fewer than 8 characters are too common. */
  readonly add: (secret: string | (() => readonly string[])) => void;
  /** The places of the secrets in a text. */
  readonly find: (text: string) => readonly Part[];
  /** Replaces the secrets in a text from elsewhere, before it becomes part of a sentence. */
  readonly redact: (text: string) => string;
}

/**
 * Makes a redactor without secrets. It replaces a secret in each of its `encodings`, and by itself each line of several and
 * the password of an address. Its time is linear in the text, whatever the number of secrets. Never throws.
 */
export function createRedactor(): Redactor {
  /** Most runs redact little, and late. */
  const waiting: Parameters<Redactor['add']>[0][] = [];
  const added = new Set<string>();
  /** The parts of secrets whose encodings are not known yet, by their lengths: no shorter text has one of them. */
  const unlearnt = new Map<number, string[]>();
  const known = new Map<string, Beside>();
  /** The lengths of known texts by their first 8, 16, 32 … characters, as many as they have. */
  const starts = new Map<string, number[]>();
  const mayStart = new Uint8Array(1 << 16);
  const learn = (text: string, beside: Beside): void => {
    if (text.length < minLength || known.has(text)) return;
    known.set(text, beside);
    mayStart[hintOf(text, 0)] = 1;
    for (let size = minLength; size <= text.length; size *= 2) {
      const lengths = starts.get(text.slice(0, size)) ?? [];
      starts.set(text.slice(0, size), lengths);
      if (2 * size > text.length && !lengths.includes(text.length)) lengths.push(text.length);
    }
  };
  /** The length of the longest known text at a place. */
  const lengthAt = (text: string, at: number): number => {
    let longest = 0;
    for (let size = minLength; at + size <= text.length; size *= 2) {
      const lengths = starts.get(text.slice(at, at + size));
      if (lengths === undefined) break;
      for (const length of lengths) if (length > longest && known.has(text.slice(at, at + length))) longest = length;
    }
    return longest;
  };
  const find = (text: string): readonly Part[] => {
    for (const secret of waiting.splice(0).flatMap((one) => (typeof one === 'string' ? one : one()))) {
      if (secret.length < minLength || added.has(secret)) continue;
      added.add(secret);
      for (const part of partsOf(secret)) append(unlearnt, part.length, part);
    }
    for (const [length, parts] of unlearnt) {
      if (length > text.length) continue;
      unlearnt.delete(length);
      for (const part of parts) for (const encoding of encodings(part)) learn(...encoding);
    }
    const found: Part[] = [];
    for (let at = 0; at + minLength <= text.length; at++) {
      const length = mayStart[hintOf(text, at)] === 0 ? 0 : lengthAt(text, at);
      if (length === 0) continue;
      const [before, behind] = known.get(text.slice(at, at + length)) ?? [0, 0];
      addPart(found, [Math.max(0, at - before), Math.min(text.length, at + length + behind)]);
    }
    return found;
  };
  return {
    add: (secret) => void waiting.push(secret),
    find,
    redact: (text) => replaceParts(text, find(text), () => redacted),
  };
}

/** A number that tells most places of a text from those where a secret begins. */
function hintOf(text: string, at: number): number {
  return (text.charCodeAt(at) * 16_411 + text.charCodeAt(at + 3) * 131 + text.charCodeAt(at + 7)) & 0xff_ff;
}

const minLength = 8;

/** A secret, without the blanks around it, its lines, and the passwords of its addresses; no line with which every PEM begins or ends. */
function partsOf(secret: string): Iterable<string> {
  const whole = secret.replaceAll(/\r\n?/g, '\n');
  const lines = whole.split('\n').map((line) => line.trim());
  const parts = [secret, whole, whole.trim(), ...lines, ...passwordsIn(secret)];
  return new Set(
    parts.filter((part) => part.length >= minLength && !/^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(part)),
  );
}
