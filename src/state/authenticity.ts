import type { Stop } from '../diagnostics/diagnostic.ts';
import { type StateKey, isSameMac } from '../secrets/state-key.ts';
import { type Layout, jsonParts } from './json-parts.ts';
import { forged } from './unusable.ts';

/** A text that proves that it was written with the key of a state. */
interface Sealed {
  /** The text, in parts. */
  readonly parts: readonly string[];
  /** The records of a journal go on from it. */
  readonly mac: string;
}

/** Seals the texts of a state, and checks them when they are read. */
export interface Authenticity {
  /** The key of the state: the next one as soon as a text fits that. */
  readonly key: StateKey;
  /** Writes a value as JSON, with a MAC of the whole text as the last member. */
  readonly seal: (content: object, layout?: Layout) => Sealed;
  /** Checks a text that was sealed; gives its MAC. @throws {Stop} `state`, when it was changed. */
  readonly check: (location: string, text: string) => string;
  /** The MAC of a record of the journal after that of the one before: no record can be left out, moved or repeated. */
  readonly next: (previous: string, text: string) => string;
  /** Refuses a state of a format without a MAC, unless it may be migrated. @throws {Stop} `state` */
  readonly acceptUnsealed: (location: string) => void;
  /** Refuses what was not written with the key. */
  readonly forged: (location: string, what: string) => Stop;
}

/** A sealed text ends with its MAC; nothing but white space follows. */
const ending = /"mac":( ?)"([A-Za-z0-9_-]{43})"(\s*\}\s*)$/;

/** Seals with a key; `keyName` says where the key is from, for messages. */
export function authenticityOf(
  first: StateKey,
  about: {
    /** The key that a rotation was about to give the state. */
    readonly next?: StateKey | undefined;
    /** The key before a rotation that was killed: a journal from before it may be left. */
    readonly previous?: StateKey | undefined;
    readonly keyName: string;
    readonly acceptUnsealed: (location: string) => void;
  },
): Authenticity {
  const { next, keyName, acceptUnsealed } = about;
  let { previous } = about;
  let key = first;
  return {
    get key() {
      return key;
    },
    seal: (content, layout) => {
      const unsealed = jsonParts({ ...content, mac: '' }, layout);
      const mac = key.stateMac(unsealed);
      const last = unsealed.at(-1) ?? '';
      const at = last.lastIndexOf('""');
      return { parts: [...unsealed.slice(0, -1), `${last.slice(0, at)}"${mac}"${last.slice(at + 2)}`], mac };
    },
    check: (location, text) => {
      // Git may have changed the line ends of a state that is kept in it.
      const read = text.replaceAll('\r\n', '\n').trimEnd();
      const [whole, space = '', mac = '', end = ''] = ending.exec(read.slice(-200)) ?? [];
      if (whole === undefined) throw forged(location, 'has no MAC', keyName);
      // In parts: a text of some megabytes is not copied to put them together.
      const unsealed = [read.slice(0, read.length - whole.length), `"mac":${space}""${end}`];
      const fits = (one: StateKey | undefined): one is StateKey =>
        one !== undefined && isSameMac(mac, one.stateMac(unsealed));
      if (fits(key)) return mac;
      if (fits(next)) [previous, key] = [key, next];
      else if (!fits(previous)) throw forged(location, 'does not fit its MAC', keyName);
      return mac;
    },
    next: (previous, text) => key.stateMac(text, previous),
    acceptUnsealed,
    forged: (location, what) => forged(location, what, keyName),
  };
}
