import { type Digests, digest } from '../secrets/digest.ts';
import type { StateKey } from '../secrets/state-key.ts';
import type { State } from './state.ts';
import { birthplaceOf } from './readdress.ts';
import { keyProblem } from './unusable.ts';
import { digested } from './former-words.ts';

/**
 * Makes the digests of a state. A digest begins with the number of its key: 0 and none for those of formats 1 and 2, whose
 * key stood in the state.
 */
export function digestsOf(key: StateKey, state: Pick<State, 'keyNumber' | 'earlierKeys' | 'resources'>): Digests {
  const at = digestsAt(key, state);
  // Most attributes have no digest: the place of one is found when it is made.
  return (address, attribute) => (text, like) =>
    at(birthplaceOf(address, state.resources[address]), attribute)(text, like);
}

/** Makes digests of texts at a place that is no address, such as the id of an object. */
export function digestsAt(key: StateKey, state: Pick<State, 'keyNumber' | 'earlierKeys'>): Digests {
  const keys = new Map([[state.keyNumber, key.digestKey]]);
  const keyNumbered = (number: number): string | undefined => {
    const encrypted = state.earlierKeys?.[number];
    if (!keys.has(number) && encrypted !== undefined) keys.set(number, decrypted(key, encrypted));
    return keys.get(number);
  };
  return (place, attribute) => (given, like) => {
    const [name, text] = digested(attribute, given);
    const asked = like === undefined ? state.keyNumber : keyNumberOf(like);
    const number = keyNumbered(asked) === undefined ? state.keyNumber : asked;
    const used = keyNumbered(number) ?? key.digestKey;
    return number === 0 ? digest(used, text) : `${number}.${digest(used, JSON.stringify([place, name, text]))}`;
  };
}

/** @throws {Stop} `state` */
function decrypted(key: StateKey, encrypted: string): string {
  try {
    return key.decrypt(encrypted);
  } catch (error) {
    const message =
      'the state holds a key of earlier digests that is encrypted with another key than that of the state';
    throw keyProblem(
      message,
      'Nothing was sent. Restore copies of the state and of its key that belong together.',
      error,
    );
  }
}

/** The number of the key that a digest was made with. */
function keyNumberOf(made: string): number {
  return Number(/^(\d{1,9})\./.exec(made)?.[1] ?? 0);
}

/**
 * Numbers the next key of a state. The digests stay as they are, and the key of them is kept, encrypted with `key`: each
 * is made again when its value is settled next.
 */
export function withNextKey(state: State, key: StateKey, digestKey: string): State {
  const { keyNumber, earlierKeys } = state;
  return { ...state, keyNumber: keyNumber + 1, earlierKeys: { ...earlierKeys, [keyNumber]: key.encrypt(digestKey) } };
}

/** Gives a state the digests of another key; the earlier ones are encrypted with that. */
export function withRotatedKey(state: State, from: StateKey, to: StateKey): State {
  const earlier = Object.entries(state.earlierKeys ?? {}).map(([number, encrypted]) => [
    number,
    to.encrypt(decrypted(from, encrypted)),
  ]);
  return withNextKey(
    { ...state, earlierKeys: Object.fromEntries(earlier) as Record<string, string> },
    to,
    from.digestKey,
  );
}

/** Drops the earlier keys that no digest needs any more. */
export function withoutUnusedKeys(state: State): State {
  const { earlierKeys, ...rest } = state;
  if (earlierKeys === undefined) return state;
  const used = new Set<number>();
  addKeyNumbers(used, [state.resources, state.deployments]);
  const needed = Object.entries(earlierKeys).filter(([number]) => used.has(Number(number)));
  return needed.length === 0 ? rest : { ...rest, earlierKeys: Object.fromEntries(needed) };
}

/** The form of all digests but those of key 0. */
const digestForm = /^\d{1,9}\.[\w-]{43}$/;

/** The members that held digests in formats 1 and 2. */
const firstNames: readonly string[] = ['digest', 'inputs'];

/** Adds the number of the key of each digest in a part of a state, wherever it stands. */
function addKeyNumbers(used: Set<number>, part: unknown, name = ''): void {
  if (typeof part === 'string') {
    if (digestForm.test(part) || firstNames.includes(name)) used.add(keyNumberOf(part));
  } else if (typeof part === 'object' && part !== null) {
    for (const [key, value] of Object.entries(part)) addKeyNumbers(used, value, key);
  }
}
