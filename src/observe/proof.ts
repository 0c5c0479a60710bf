import { asCaller } from './checked-answers.ts';
import { PlatformError } from '../api/platform-error.ts';
import type { ReadClient } from '../api/client.ts';
import { type Diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import { ownName } from '../state/bound.ts';
import type { Capabilities, State } from '../state/state.ts';
import type { Caller, Observed } from './observed.ts';

/**
 * Evidence that a run reads the platform of its manifest. That the key sees what seems to be lacking is proved before: what the
 * platform may hide from a key ends the run.
 */
export interface Proof {
  /** The address of the platform, or `platform: emulator`. */
  readonly endpoint: string;
  readonly caller: Pick<Caller, 'role' | 'organizationId'>;
  /** What of the state the platform shows: `nothing` where there is no object of it; undefined: there is no state. */
  readonly shows: 'the state' | 'nothing' | undefined;
  /** What the platform served when the state was written, and what it serves now. */
  readonly served: { readonly before: Capabilities | undefined; readonly now: Capabilities | undefined };
}

/**
 * Diagnostics as they are printed: each `removal` becomes a remedy, behind what to check first where this run has no proof of
 * address and key.
 *
 * @param proof undefined: the contract of the client is known, and no platform was asked
 */
export function proved(diagnostics: readonly Diagnostic[], proof: Proof | undefined): readonly Diagnostic[] {
  if (diagnostics.every(({ removal }) => removal === undefined)) return diagnostics;
  const checks = proof === undefined ? [] : checksOf(proof);
  return diagnostics.map(({ removal, ...item }) =>
    removal === undefined ? item : { ...item, remedy: [...checks, removal].join(' ') },
  );
}

/** What to check before something is removed because the platform lacks it, one sentence each; none with proof of everything. */
function checksOf(proof: Proof): readonly string[] {
  const { endpoint, shows, served } = proof;
  const why = shows === undefined ? 'there is no state to compare with' : 'the platform shows no object of the state';
  const isLess = served.before?.operations.some((operation) => served.now?.operations.includes(operation) === false);
  const version = served.now?.version ?? 'unknown';
  return [
    ...(shows === 'the state' ? [] : [`First check ${connection(proof)}: ${why}.`]),
    ...(isLess === true
      ? [
          `First check the version of ${endpoint}: it is ${version}, and serves less than ${served.before?.version ?? ''}.`,
        ]
      : []),
  ];
}

/** Address and key, in the values of this run. */
function connection({ endpoint, caller: { role, organizationId } }: Proof): string {
  if (!endpoint.includes('://')) return endpoint;
  return `${endpoint} and TRUEUP_API_KEY (${role} of organization ${organizationId})`;
}

/** How much of a state the platform shows, without what each project has. The organization and the project are those of the state. */
export function shownOf(saved: State | undefined, { objects }: Pick<Observed, 'objects'>): Proof['shows'] {
  if (saved === undefined) return undefined;
  const known = Object.entries(saved.resources).filter(([, { id }]) => typeof id === 'string');
  const isShown = known.some(([address, { id }]) => {
    const object = objects.get(address);
    return object?.id === id && !object?.isProvided;
  });
  return isShown || known.length === 0 ? 'the state' : 'nothing';
}

/** @throws {Stop} `state`, when the key acts in another organization than that of a state, or in another project. */
export function refuseForeign(
  state: State,
  at: { readonly organizationId: string; readonly projectId: string; readonly named: string },
  { location, endpoint }: { readonly location: string; readonly endpoint: string },
): void {
  const { organizationId, projectId, named } = at;
  if (state.organizationId !== organizationId) {
    const what = `organization ${state.organizationId}, and the API key acts in ${organizationId}`;
    const remedy =
      `Check ${endpoint} and TRUEUP_API_KEY: another server answers, or the key is of another organization. ` +
      'For that organization use a folder of its own.';
    throw stop('state', 'state-unusable', `the state ${location} belongs to ${what}`, { remedy });
  }
  if (state.projectId === projectId) return;
  const what = `project ${ownName(state)}, and the manifest names ${named === projectId ? named : `${named} (${projectId})`}`;
  throw stop('state', 'state-unusable', `the state ${location} belongs to ${what}`, {
    remedy: 'Use the project that the state belongs to, or a folder of its own for the other one.',
  });
}

/**
 * Reads what a state is about. A failure says that the key acts in another organization, where it does: that is the reason for
 * all that seems to be lacking.
 */
export async function ofItsOrganization<T>(
  reading: Promise<T>,
  state: State | undefined,
  about: { readonly client: ReadClient; readonly location: string; readonly endpoint: string },
): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (state === undefined || state.organizationId === '' || !seemsToLack(error)) throw error;
    const asked = about.client.invoke('user.get', {}, { isDiagnostic: true });
    const { organizationId } = await asked.then(asCaller).catch(() => state);
    if (typeof organizationId !== 'string') throw error;
    refuseForeign(state, { organizationId, projectId: state.projectId, named: '' }, about);
    throw error;
  }
}

/** Whether an error may come of an address or a key that is that of others. */
function seemsToLack(error: unknown): boolean {
  if (error instanceof Stop) return error.failure === 'platform' || error.failure === 'refused';
  const failures = ['not found', 'unreadable', 'forbidden', 'authentication', 'invalid'];
  return error instanceof PlatformError && !error.isKeyRefused && failures.includes(error.failure);
}
