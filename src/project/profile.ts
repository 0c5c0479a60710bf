import type { Client } from '../api/client.ts';
import { dokploy } from '../api/vocabulary.ts';
import type { Profile } from '../api/contract.ts';
import { PlatformError } from '../api/errors.ts';
import { recogniseProfile } from '../api/profile.ts';
import { versionOperation } from '../api/published.ts';
import { profileServed } from '../observe/capabilities.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { inProfile, profileOf } from '../kind/profile.ts';
import type { Kind } from '../kind/kind.ts';
import type { StateStore } from '../state/state.ts';
import { storeInWords } from '../state/words.ts';
import type { ProjectFolder } from './folder.ts';

/** Ends work that was done in the words of a wrong profile: it begins again in this one. */
export class OtherProfile extends Error {
  readonly profile: Profile;

  constructor(profile: Profile) {
    super(`the profile is ${profile}`);
    this.profile = profile;
  }
}

/**
 * Does some work in the profile of its manifest; once more, from the beginning, when the manifest, the state or the platform
 * turns out to be of another profile. Until then it sent GETs only, and showed no plan.
 *
 * @throws whatever the work throws.
 */
export async function inItsProfile<Options extends ProjectFolder, T>(
  options: Options,
  work: (options: Options) => Promise<T>,
): Promise<T> {
  // The manifest, the state and the platform may each name another one, and each comes after the other.
  return attempt(options, 3);

  async function attempt(now: Options, left: number): Promise<T> {
    try {
      return await work(now);
    } catch (error) {
      if (!(error instanceof OtherProfile) || left === 0) throw error;
      const { profile } = error;
      return attempt({ ...now, profile, kinds: inProfile(now.kinds, profile) }, left - 1);
    }
  }
}

/** Makes work go on only in a profile. @throws {OtherProfile} */
export function requireProfile({ kinds }: Pick<ProjectFolder, 'kinds'>, profile: Profile): void {
  if (profileOf(kinds) !== profile) throw new OtherProfile(profile);
}

/**
 * A store whose states have the words of the kinds. Unless the profile was found out already, the one that a state remembers
 * counts: then the work begins again.
 */
export function storeOfProfile(
  store: StateStore,
  { kinds, isFound }: { readonly kinds: readonly Kind[]; readonly isFound: boolean },
): StateStore {
  return storeInWords(store, kinds, {
    isFound,
    check: (remembered) => {
      if (!isFound) requireProfile({ kinds }, remembered);
    },
  });
}

/**
 * The profile that a manifest is read in: the one that it names, the one that was found out, the one that its state seems to
 * remember, the one whose words it has.
 */
export function profileFor(
  { profile }: Pick<ProjectFolder, 'profile'>,
  { named, texts }: { readonly named: Profile | undefined; readonly texts: Iterable<string> },
  remembered: () => Profile | undefined,
): Profile {
  return named ?? profile ?? remembered() ?? profileSpoken(texts);
}

/** The profile that a manifest names, its state seems to remember, or its words are of, as far as a quick look shows it. */
export function profileAtAGlance(text: string, remembered: () => Profile | undefined): Profile {
  const from = text.slice(Math.max(0, text.search(/^platform:/m)));
  const end = from.search(/\n[^\s#]/); // where the next key begins
  const block = from.startsWith('platform:') ? from.slice(0, end === -1 ? undefined : end) : '';
  const named = /\bprofile:[ \t]*["']?([a-z]+)/.exec(block)?.[1];
  if (named === 'standard' || named === 'dokploy') return named;
  return remembered() ?? profileSpoken([text]);
}

/** The profile whose words texts of YAML have as keys and as values of choices; of both alike, the standard one. */
function profileSpoken(texts: Iterable<string>): Profile {
  let balance = 0;
  for (const text of texts) {
    for (const [, indent = '', key = '', value = ''] of text.matchAll(pairs)) {
      const isSection = indent === '' && (hosts.has(key) || hostsThere.has(key));
      const isTheirs = isSection ? hostsThere.has(key) : membersThere.has(key) || valueOf(key, 'there').includes(value);
      const isOurs = isSection ? hosts.has(key) : members.has(key) || valueOf(key, 'here').includes(value);
      balance += Number(isTheirs) - Number(isOurs);
    }
  }
  return balance > 0 ? 'dokploy' : 'standard';
}

/** Keys with the word behind them, and what stands before them in the line. */
const pairs = /(^|^[ \t-]+|[{,][ \t]*)["']?([A-Za-z]\w*)["']?:[ \t]*["']?(\w+)?/gm;

const hosts: ReadonlySet<string> = new Set(Object.keys(dokploy.groups));
const hostsThere: ReadonlySet<string> = new Set(Object.values(dokploy.groups));
const own = Object.entries(dokploy.members).filter(([name]) => !hosts.has(name));
const members: ReadonlySet<string> = new Set(own.map(([name]) => name));
const membersThere: ReadonlySet<string> = new Set(own.map(([, name]) => name));

/** The words of choices by the key that holds them: those of the document, and those of Dokploy. */
const { sourceType = {}, buildType = {}, certificateType = {} } = dokploy.values;
const choices: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['type', { ...sourceType, ...buildType }],
  ['certificateType', certificateType],
]);

function valueOf(key: string, side: 'here' | 'there'): readonly string[] {
  const words = choices.get(key) ?? {};
  return side === 'here' ? Object.keys(words) : Object.values(words);
}

/** The profile of a platform: the one that the run assumes. */
interface Assumed {
  readonly profile: Profile;
  /** Who names it, and where: `the manifest`, `under platform:`. */
  readonly named?: { readonly by: string; readonly at: string } | undefined;
  /** Its address; undefined: a client of the caller leads there. */
  readonly url?: string;
  /** The state remembers it, or the platform showed it. */
  readonly isFound?: boolean;
}

/**
 * A client that checks the profile of its platform by the answer to `user.get`, which every run reads: no request more. Where
 * that has no word of any profile, the platform is asked what it serves; of a profile that is named or was found, only when
 * it does not know a request. A request that the platform does not know waits for all of that.
 */
export function recognising(client: Client, assumed: Assumed): Client {
  const isSettled = assumed.named !== undefined || assumed.isFound === true;
  let known: Promise<void> | undefined;
  let served: Promise<void> | undefined;
  let isMute = false;
  const ask = (): Promise<void> => {
    served ??= profileServed(client).then((found) => refuseOther(found, assumed));
    return served;
  };
  const check = async (answer: unknown): Promise<void> => {
    const found = recogniseProfile(answer, client.contract.names);
    isMute = found === undefined;
    if (!isMute) refuseOther(found, assumed);
    else if (!isSettled) await ask();
  };
  const invoke: Client['invoke'] = async (operation, input, options) => {
    const answer = client.invoke(operation, input, options);
    if (operation === 'user.get') {
      const checked = answer.then(check);
      known ??= checked;
      checked.catch(() => undefined); // whoever waits for it learns of it
      await checked;
      return answer;
    }
    try {
      return await answer;
    } catch (error) {
      // It has one name in every profile: a platform without it tells nothing by that.
      if (!isUnknownThere(error) || operation === versionOperation) throw error;
      await (known ?? invoke('user.get', {}).catch(unlessOther));
      if (isMute) await ask();
      throw error;
    }
  };
  return {
    ...client,
    call: (operation, input) => invoke(operation, input),
    invoke,
    get contract() {
      return client.contract;
    },
  };
}

/** Whether the platform has no such operation, or the input does not fit it there. */
function isUnknownThere(error: unknown): boolean {
  return error instanceof PlatformError && (error.status === 404 || error.status === 400);
}

function unlessOther(error: unknown): void {
  if (error instanceof OtherProfile || error instanceof Stop) throw error;
}

/** @throws {OtherProfile}; {Stop} `refused`, where the manifest names a profile and the platform has another one. */
function refuseOther(found: Profile | undefined, { profile, named, url }: Assumed): void {
  if (found === undefined || found === profile) return;
  if (named === undefined) throw new OtherProfile(found);
  const message = `${named.by} says profile: ${profile}, and the platform answers in the words of ${found}`;
  const given = url === undefined ? '' : ` If ${url} is not the platform that you mean, correct that instead.`;
  const remedy = `Write profile: ${found} ${named.at}, or leave the line out.${given} Nothing was changed.`;
  throw new Stop('refused', [diagnostic('platform-answer', message, { remedy })]);
}
