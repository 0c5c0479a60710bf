import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { isRow } from '../formats/json.ts';
import type { Client, ReadClient } from './client.ts';
import {
  type Contract,
  type Operation,
  type Profile,
  contractOf,
  contracts,
  extendedContracts,
  profiles,
} from './contract.ts';
import { lacksRight, PlatformError, unlessOfThePlatform } from './platform-error.ts';
import { fromDocument } from './translate.ts';
import { documentOperation, versionOperation } from './platform-version.ts';

/** Members of the answer of `user.get` that have a word of their own in each profile. */
const marks: readonly (readonly [member: string, profile: Profile])[] = [
  ['canAccessToProxyFiles', 'standard'],
  ['billingCustomerId', 'standard'],
  ['canAccessToTraefikFiles', 'dokploy'],
  ['stripeCustomerId', 'dokploy'],
];

/** The profile whose words an answer of `user.get` shows, as a client of a contract gave it; undefined: none. Never throws. */
export function recogniseProfile(answer: unknown, { names }: Pick<Contract, 'names'>): Profile | undefined {
  const sent = names === undefined ? answer : names.data(answer);
  const user = isRow(sent) ? sent['user'] : undefined;
  const shown = (member: string): boolean => [sent, user].some((row) => isRow(row) && Object.hasOwn(row, member));
  return marks.find(([member]) => shown(member))?.[1];
}

/** An operation without members that each profile has another word for, and that every key may call. */
const renamedOperation = 'github.githubProviders';

/** The profile whose words the OpenAPI document of a platform has; undefined: those of none, or of several. Never throws. */
export function profileInDocument(document: unknown): Profile | undefined {
  const paths = isRow(document) ? document['paths'] : undefined;
  if (!isRow(paths)) return undefined;
  const spoken = profiles.filter((profile) => {
    const path = `/${contracts[profile].names?.operation(renamedOperation) ?? renamedOperation}`;
    return Object.hasOwn(paths, path) && isRow(paths[path]);
  });
  return spoken.length === 1 ? spoken[0] : undefined;
}

/**
 * A platform as a manifest, an option or the environment names it: the emulator in the folder of the manifest, or the one at
 * an address. `profile`: its words; undefined: nothing names them.
 */
export type NamedPlatform = { readonly profile?: Profile | undefined } & (
  | { readonly emulator: true; readonly url?: never }
  | { readonly emulator?: never; readonly url: string }
);

/** The profile of a platform: the one that is named, or that is taken for its own until it shows it. */
export function profileOf({ emulator, profile }: NamedPlatform): Profile {
  return profile ?? (emulator ? 'standard' : 'dokploy');
}

/** The contract of a platform by its words; `takesAll`: with every operation that Trueup knows, also those that it may lack. */
export function contractAt(platform: NamedPlatform, takesAll = false): Contract {
  return (takesAll ? extendedContracts : contracts)[profileOf(platform)];
}

/** A client that speaks the words of the platform of a manifest. `isExamining`: the caller says what is wrong with its words. */
export function clientAt(
  client: Client,
  { emulator, profile }: NamedPlatform,
  { at, isExamining }: { readonly at: string; readonly isExamining: boolean },
): Client {
  if (profile === undefined) return emulator ? client : recognising(client, undefined);
  const named = { profile, by: 'the manifest', at: 'under platform:', url: at };
  return isExamining ? client : recognising(client, named);
}

/** The profile that a manifest or a caller names for a platform. */
interface NamedProfile {
  readonly profile: Profile;
  /** Who names it, and where: `the manifest`, `under platform:`. */
  readonly by: string;
  readonly at: string;
  /** The address of the platform; undefined: a client of the caller leads there. */
  readonly url?: string;
}

/**
 * A client that speaks the words of its platform. They are those of the profile that is named; else the answer to `user.get`,
 * which every run reads, shows them: no request more. A request that each profile has other words for waits for that answer;
 * any other one is sent at once. Where the answer has no word of any profile, the platform is asked what it serves.
 *
 * @param client has the contract of the named profile, or else that of Dokploy
 */
export function recognising(client: Client, named: NamedProfile | undefined): Client {
  let isKnown = named !== undefined;
  let isMute = false;
  /** `user.get`, which this client sent by itself and nothing asked for yet. */
  let spare: Promise<unknown> | undefined;
  let recognised: Promise<unknown> | undefined;
  let served: Promise<void> | undefined;

  // It reads in bulk once it is known to be Dokploy.
  const { hasBatches = false } = client.contract;
  if (!isKnown) client.serve({ ...client.contract, hasBatches: false });

  const speak = (found: Profile | undefined): void => {
    if (found === undefined) return;
    if (named !== undefined) return refuseOther(found, named);
    if (isKnown) return undefined;
    isKnown = true;
    const { contract } = client;
    const operations = [...contract.operations.keys()] as Operation[]; // its keys are operations
    client.serve(found === contract.profile ? { ...contract, hasBatches } : contractOf(found, operations));
  };
  const ask = (): Promise<void> => {
    served ??= profileServed(client).then(speak);
    return served;
  };
  async function readCaller(options?: Parameters<Client['invoke']>[2]): Promise<unknown> {
    const answer = await client.invoke('user.get', {}, options);
    const found = recogniseProfile(answer, client.contract);
    isMute = found === undefined;
    if (isMute && !isKnown) await ask();
    speak(found);
    return fromDocument(answer);
  }
  /** Resolves when the words of the platform are known, or cannot be found out. */
  const known = async (): Promise<void> => {
    spare ??= recognised === undefined ? readCaller() : undefined;
    recognised ??= spare;
    await recognised?.catch(unlessStopped);
  };
  const invoke: Client['invoke'] = async (operation, input, options) => {
    if (operation === 'user.get') {
      const answer = spare ?? readCaller(options);
      spare = undefined;
      recognised ??= answer;
      answer.catch(() => undefined); // whoever waits for it gets the failure
      return answer;
    }
    if (!isKnown && (recognised !== undefined || isRenamed(operation, input))) await known();
    try {
      const answer = await client.invoke(operation, input, options);
      const ours = isKnown ? answer : fromDocument(answer);
      if (ours !== answer) speak('standard');
      return ours;
    } catch (error) {
      // It has one name in every profile: a platform without it shows nothing by that.
      if (named === undefined || !isUnknownThere(error) || operation === versionOperation) throw error;
      await known();
      if (isMute) await ask();
      throw error;
    }
  };
  return {
    ...client,
    call: (operation, input) => invoke(operation, input),
    invoke,
    withConnection: async (...given) => {
      if (!isKnown) await known();
      return client.withConnection(...given);
    },
    get contract() {
      return client.contract;
    },
  };
}

/** Returns true for a request that is not the same in each profile. */
function isRenamed(operation: Operation, input: Readonly<Record<string, unknown>>): boolean {
  const { names } = contracts.standard;
  return names !== undefined && (names.operation(operation) !== operation || names.data(input) !== input);
}

/**
 * The profile of a platform by what it serves: by its OpenAPI document, else by an operation whose name each profile has its
 * own word for. Undefined: it does not show. Sends at most three GETs, each once.
 */
async function profileServed(client: ReadClient): Promise<Profile | undefined> {
  const { contract } = client;
  const read = client.invoke(documentOperation, {}, { isDiagnostic: true });
  const found = profileInDocument(await read.catch(unlessOfThePlatform));
  const assumed = profiles.find((profile) => profile === contract.profile);
  if (found !== undefined || (await serves(client, contract))) return found ?? assumed;
  for (const profile of profiles) {
    if (profile !== assumed && (await serves(client, contracts[profile]))) return profile;
  }
  return undefined;
}

/** Returns true for a platform that has the operation that shows a profile, in the words of a contract. */
async function serves(client: ReadClient, words: Contract): Promise<boolean> {
  const { contract } = client;
  client.serve(words);
  const answer = client.invoke(renamedOperation, {}, { isDiagnostic: true });
  client.serve(contract);
  try {
    await answer;
    return true;
  } catch (error) {
    if (error instanceof PlatformError) return lacksRight(error);
    throw error;
  }
}

function unlessStopped(error: unknown): void {
  if (error instanceof Stop) throw error;
}

/** Returns true where the platform has no such operation, or the input does not fit it there. */
function isUnknownThere(error: unknown): boolean {
  return error instanceof PlatformError && (error.status === 404 || error.status === 400);
}

/** @throws {Stop} `refused`, where the platform has another profile than the one that is named. */
function refuseOther(found: Profile, { profile, by, at, url }: NamedProfile): void {
  if (found === profile) return;
  const message = `${by} says profile: ${profile}, and the platform answers in the words of ${found}`;
  const given = url === undefined ? '' : ` If ${url} is not the platform that you mean, correct that instead.`;
  const remedy = `Write profile: ${found} ${at}, or leave the line out.${given} Nothing was changed.`;
  throw new Stop('refused', [diagnostic('platform-answer', message, { remedy })]);
}

/** How the words that an answer of `user.get` shows go with those of a contract; `remedy`: where they are others. */
export function compareWords(
  answer: unknown,
  contract: Pick<Contract, 'names' | 'profile'>,
): { readonly message: string; readonly remedy?: string } {
  const shown = recogniseProfile(answer, contract);
  const { profile } = contract;
  if (shown === undefined || shown === profile)
    return { message: `${profile}${shown === undefined ? ', as assumed' : ''}` };
  const message = `the platform speaks the words of ${shown}, and this run those of ${profile}`;
  return { message, remedy: `Write platform: { url: …, profile: ${shown} }.` };
}
