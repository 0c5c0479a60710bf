import { hasErrors, Stop } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { kindsThere } from '../kind/kinds-on.ts';
import type { Resource } from '../manifest/resource.ts';
import { resourcesOn } from '../manifest/resources-on.ts';
import { asCaller, callerOf } from '../observe/checked-answers.ts';
import { discover, platformVersion, serveRemembered } from '../observe/discover.ts';
import { type Proof, proved } from '../observe/proof.ts';
import type { Capabilities, State } from '../state/state.ts';
import type { ReadConnection } from './connection.ts';

/** A platform as a plan takes it. */
export interface PlatformThere extends ReturnType<typeof resourcesOn> {
  readonly kinds: readonly Kind[];
  /** What the state is to remember of it; undefined: as before. */
  readonly capabilities: Capabilities | undefined;
  /** The version that all of this is of, where the state remembers it: the plan reads it meanwhile. */
  readonly assumed: string | undefined;
  readonly version: () => Promise<string | undefined>;
}

/**
 * What the platform serves, by the state where that remembers it: it is only read where nothing is remembered, or where the
 * manifest has what is lacking there.
 *
 * @throws {Stop} `refused`, when the manifest has what the platform lacks.
 */
export async function platformOf(
  saved: State | undefined,
  written: readonly Resource[],
  { client, discovers = false, kinds: full, endpoint }: ReadConnection,
  versionAhead: Promise<string | undefined> | undefined,
): Promise<PlatformThere> {
  const remembered = discovers === false ? undefined : serveRemembered(client, saved);
  const there = (capabilities: Capabilities | undefined) => {
    const kinds = kindsThere(full, client.contract);
    return {
      kinds,
      capabilities,
      assumed: undefined,
      version: () => Promise.resolve(undefined),
      ...resourcesOn(written, kinds, client.contract.isAssumed !== true),
    };
  };
  if (discovers === false || (discovers === true && remembered !== undefined)) {
    const found = there(remembered);
    if (!hasErrors(found.diagnostics)) {
      if (remembered === undefined || remembered.version === null) return found;
      const version = () => versionAhead ?? platformVersion(client, { inBulk: true });
      return { ...found, assumed: remembered.version, version };
    }
    if (!discovers) throw new Stop('refused', proved(found.diagnostics, undefined));
  }
  const { capabilities, diagnostics } = await discover(client, remembered);
  const found = there(capabilities);
  if (hasErrors(found.diagnostics)) {
    // An error must not advise to remove anything from the manifest before the platform has answered to its key.
    const caller = callerOf(asCaller(await client.invoke('user.get', {})));
    const shows = saved === undefined ? undefined : 'the state'; // the state of another organization is refused
    const proof: Proof = { endpoint, caller, shows, served: { before: saved?.platform, now: capabilities } };
    throw new Stop('refused', [...diagnostics, ...proved(found.diagnostics, proof)]);
  }
  return { ...found, diagnostics };
}

/**
 * Finds out what the platform of a run without a plan serves, by the state where that remembers it.
 *
 * @throws {PlatformError} when the platform cannot be read at all.
 */
export async function learnPlatform(
  saved: State | undefined,
  { client, discovers = false }: Pick<ReadConnection, 'client' | 'discovers'>,
): ReturnType<typeof discover> {
  if (discovers === false) return { capabilities: undefined, diagnostics: [] };
  const capabilities = serveRemembered(client, saved);
  return capabilities === undefined ? discover(client, undefined) : { capabilities, diagnostics: [] };
}
