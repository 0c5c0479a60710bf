import type { ReadClient } from '../api/client.ts';
import type { Contract, Operation, Profile, ReadOperation } from '../api/contract.ts';
import { beyondDocument, contracts, profiles, serving } from '../api/contract.ts';
import { PlatformError } from '../api/errors.ts';
import { profileInDocument, recogniseProfile, renamedOperation } from '../api/profile.ts';
import { documentOperation, operationsIn, readPlatformVersion, versionOperation } from '../api/published.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { rememberedOf, soughtIn } from '../state/capabilities.ts';
import type { Capabilities, State } from '../state/state.ts';
import { asCaller, callerOf } from './answers.ts';
import { lacksRight } from './answers.ts';
import { isUnserved } from './reader.ts';

/** Lets a client use what a state remembers of the platform, and gives that. Sends nothing. Never throws. */
export function serveRemembered(client: ReadClient, state: State | undefined): Capabilities | undefined {
  const remembered = rememberedOf(state, client.contract);
  if (remembered !== undefined) client.serve(serving(client.contract, operationsOf(remembered)));
  return remembered;
}

/** What was found out about a platform. */
interface Found {
  /** undefined: nothing that a later run may rely on. */
  readonly capabilities: Capabilities | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Finds out which operations beyond the API document a platform serves, and lets the client use them: one read for its
 * version, and a second one for its OpenAPI document when nothing is remembered of that version.
 *
 * @throws {PlatformError} when the platform cannot be read at all.
 */
export async function discover(client: ReadClient, remembered: Capabilities | undefined): Promise<Found> {
  const version = await platformVersion(client);
  const sought = soughtIn(client.contract);
  const serve = (operations: readonly Operation[]) => client.serve(serving(client.contract, operations));
  if (version === undefined) {
    serve([]);
    return { capabilities: { version: null, operations: [], sought }, diagnostics: [] };
  }
  if (remembered?.version === version) {
    serve(operationsOf(remembered));
    return { capabilities: remembered, diagnostics: [] };
  }
  const read = await readOnce(client, documentOperation).catch((error: unknown) => {
    if (error instanceof PlatformError) return error;
    throw error;
  });
  const operations = read instanceof PlatformError ? undefined : operationsIn(read, client.contract);
  if (operations !== undefined) {
    serve(operations);
    return { capabilities: { version, operations, sought }, diagnostics: [] };
  }
  const usable = operationsOf(remembered);
  serve(usable);
  const isFinal =
    !(read instanceof PlatformError) || isUnserved(read) || ['unreadable', 'not found'].includes(read.failure);
  return {
    capabilities: isFinal ? { version, operations: usable, sought } : undefined,
    diagnostics: [unreadDocument(version, isFinal, remembered)],
  };
}

/**
 * The version of the platform as it is now; undefined where it does not tell it. With `inBulk` the read may go together
 * with others.
 *
 * @throws {PlatformError} when the platform cannot be read at all.
 */
export async function platformVersion(
  client: ReadClient,
  { inBulk = false }: { readonly inBulk?: boolean } = {},
): Promise<string | undefined> {
  try {
    return versionIn(client, await readOnce(client, versionOperation, inBulk));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    // Without details a 404 may be one of a thing; an operation without an id can only be missing itself.
    if (isUnserved(error) || error.failure === 'unreadable' || error.failure === 'not found') return undefined;
    // A platform that is down, or refuses the key, is reported with the read that every run sends.
    await client.invoke('user.get', {});
    return versionIn(client, await allowing(client, versionOperation, () => client.invoke(versionOperation, {})));
  }
}

/**
 * The profile of a platform by what it serves: by its OpenAPI document, else by an operation whose name each profile has its
 * own word for. Undefined: it does not show. Sends at most three GETs, each once.
 */
export async function profileServed(client: ReadClient): Promise<Profile | undefined> {
  const assumed = profiles.find((profile) => profile === client.contract.profile);
  const document = await readOnce(client, documentOperation).catch(unlessOfThePlatform);
  const found = profileInDocument(document);
  if (found !== undefined || (await serves(client, client.contract))) return found ?? assumed;
  for (const profile of profiles) {
    if (profile !== assumed && (await serves(client, contracts[profile]))) return profile;
  }
  return undefined;
}

/**
 * Proves that the address is that of a platform, that it accepts the key, and that it speaks the profile of the client: before
 * an error advises to remove anything from the manifest. Gives the owner of the key.
 *
 * @throws {PlatformError} when the platform cannot be read. @throws {Stop} `platform`, when something else answers.
 */
export async function provePlatform(client: ReadClient): Promise<ReturnType<typeof callerOf>> {
  const caller = asCaller(await client.invoke('user.get', {}));
  const { profile, names } = client.contract;
  const shown = recogniseProfile(caller, names) ?? (await profileServed(client));
  if (shown === undefined || shown === profile) return callerOf(caller);
  const message = `the platform answers in the words of ${shown}, and this run speaks those of ${profile ?? 'another profile'}`;
  throw new Stop('platform', [
    diagnostic('platform-answer', message, { remedy: `Write profile: ${shown} under platform:.` }),
  ]);
}

/** Whether a platform has the operation that shows a profile, in the words of a contract. */
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

function unlessOfThePlatform(error: unknown): undefined {
  if (!(error instanceof PlatformError)) throw error;
}

/** The version of the platform; undefined where it does not tell it, for whatever reason. Sends one GET. */
export async function versionNow(client: ReadClient): Promise<string | undefined> {
  try {
    return versionIn(client, await readOnce(client, versionOperation));
  } catch (error) {
    if (error instanceof PlatformError || error instanceof Stop) return undefined;
    throw error;
  }
}

/** The version in an answer; undefined for a text with a secret of the run, which no state may keep. */
function versionIn({ redact }: ReadClient, answer: unknown): string | undefined {
  const version = readPlatformVersion(answer);
  return version === undefined || redact(version) === version ? version : undefined;
}

/** Sends a read that the platform may not serve, once whatever happens to it. */
function readOnce(client: ReadClient, operation: ReadOperation, inBulk = false): Promise<unknown> {
  return allowing(client, operation, () => client.invoke(operation, {}, { isDiagnostic: true, inBulk }));
}

/** Calls an operation that the contract of the client need not have. */
async function allowing<T>(client: ReadClient, operation: Operation, call: () => Promise<T>): Promise<T> {
  const { contract } = client;
  client.serve(serving(contract, [operation]));
  const answer = call();
  client.serve(contract);
  return answer;
}

/** The operations that a state remembers, as far as this version of Trueup knows them. */
function operationsOf(remembered: Capabilities | undefined): readonly Operation[] {
  const names = new Set(remembered?.operations);
  return beyondDocument.filter((operation) => names.has(operation));
}

function unreadDocument(version: string, isFinal: boolean, remembered: Capabilities | undefined): Diagnostic {
  const without =
    remembered === undefined || remembered.operations.length === 0
      ? 'Trueup uses no operation beyond the API document'
      : `Trueup uses the operations that version ${remembered.version} served`;
  const message = `the platform (version ${version}) gave no OpenAPI document that can be read: ${without}`;
  const remedy = isFinal
    ? 'trueup doctor reads it again.'
    : 'The next plan reads it again. trueup doctor shows what is missing.';
  return diagnostic('no-capabilities', message, { remedy });
}
