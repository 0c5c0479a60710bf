import type { ReadClient } from '../api/client.ts';
import { type Operation, type ReadOperation, beyondDocument, serving } from '../api/contract.ts';
import { PlatformError, unlessItFails } from '../api/platform-error.ts';
import { documentOperation, operationsIn, readPlatformVersion, versionOperation } from '../api/platform-version.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { rememberedOf, sought } from '../state/known-capabilities.ts';
import type { Capabilities, State } from '../state/state.ts';
import { isUnserved } from './reader.ts';

/** Lets a client use what a state remembers of the platform, and gives that. Sends nothing. Never throws. */
export function serveRemembered(client: ReadClient, state: State | undefined): Capabilities | undefined {
  const remembered = rememberedOf(state);
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
  const serve = (operations: readonly Operation[], isAssumed = false) =>
    client.serve(serving(client.contract, operations, isAssumed));
  if (version === undefined) {
    serve([]);
    return { capabilities: { version: null, operations: [], sought: sought() }, diagnostics: [] };
  }
  if (remembered?.version === version) {
    serve(operationsOf(remembered));
    return { capabilities: remembered, diagnostics: [] };
  }
  const read = await readOnce(client, documentOperation).catch(asFailure);
  const operations = read instanceof PlatformError ? undefined : operationsIn(read, client.contract);
  if (operations !== undefined) {
    serve(operations);
    return { capabilities: { version, operations, sought: sought() }, diagnostics: [] };
  }
  // No word of the platform: a page of a proxy may have come instead of it. Nothing is remembered of it.
  serve(operationsOf(remembered), true);
  return { capabilities: undefined, diagnostics: [unreadDocument(version, remembered)] };
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
  const first = await readOnce(client, versionOperation, inBulk).then((answer) => versionIn(client, answer), asFailure);
  if (typeof first === 'string') return first;
  if (first?.code !== undefined && hasNoVersion(first)) return undefined;
  // A page of a proxy may have come instead. A platform that is down, or refuses the key, is reported with the read that
  // every run sends.
  await client.invoke('user.get', {});
  const second = await client.invoke(versionOperation, {}).then((answer) => versionIn(client, answer), asFailure);
  if (second instanceof PlatformError && !hasNoVersion(second)) throw second;
  return second instanceof PlatformError ? undefined : second;
}

/** Without details a 404 may be one of a thing; an operation without an id can only be missing itself. */
function hasNoVersion(error: PlatformError): boolean {
  return isUnserved(error) || error.failure === 'unreadable' || error.failure === 'not found';
}

function asFailure(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  throw error;
}

/** The version of the platform; undefined where it does not tell it, for whatever reason. Sends one GET. */
export function versionNow(client: ReadClient): Promise<string | undefined> {
  return unlessItFails(async () => versionIn(client, await readOnce(client, versionOperation)));
}

/** The version in an answer; undefined for a text with a secret of the run, which no state may keep. */
function versionIn({ redact }: ReadClient, answer: unknown): string | undefined {
  const version = readPlatformVersion(answer);
  return version === undefined || redact(version) === version ? version : undefined;
}

/** Sends a read that the platform may not serve, once whatever happens to it. */
function readOnce(client: ReadClient, operation: ReadOperation, inBulk = false): Promise<unknown> {
  return client.invoke(operation, {}, { isDiagnostic: true, inBulk });
}

/** The operations that a state remembers, as far as this version of Trueup knows them. */
function operationsOf(remembered: Capabilities | undefined): readonly Operation[] {
  const names = new Set(remembered?.operations);
  return beyondDocument.filter((operation) => names.has(operation));
}

function unreadDocument(version: string, remembered: Capabilities | undefined): Diagnostic {
  const without =
    remembered === undefined || remembered.operations.length === 0
      ? 'Trueup uses no operation beyond the API document'
      : `Trueup uses the operations that version ${remembered.version} served`;
  const message = `the platform (version ${version}) gave no OpenAPI document that can be read: ${without}`;
  const remedy = 'The next plan reads it again, and so does trueup doctor.';
  return diagnostic('no-capabilities', message, { remedy });
}
