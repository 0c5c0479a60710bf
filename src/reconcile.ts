import type { Client, ReadClient } from './api/client.ts';
import { interruptible, interruptibleReads } from './api/client.ts';
import { apply } from './apply/apply.ts';
import type { Clock } from './state/clock.ts';
import { isoTime, systemClock } from './state/clock.ts';
import type { ApplyResult } from './apply/job.ts';
import type { ApplyInput } from './apply/run.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import { diagnostic, hasErrors, Stop } from './diagnostics/diagnostic.ts';
import { inOrder } from './graph/order.ts';
import { blockAddress } from './kind/address.ts';
import type { Kind } from './kind/kind.ts';
import { root } from './kind/kind.ts';
import { kindsThere } from './kind/kinds-on.ts';
import { withTop } from './kind/top.ts';
import type { AcceptedDrift } from './manifest/accepted.ts';
import type { Manifest, ManifestInput } from './manifest/manifest.ts';
import { readManifest } from './manifest/manifest.ts';
import { withQuotes } from './manifest/quote.ts';
import type { Resource } from './manifest/resource.ts';
import { resourcesOn } from './manifest/resources-on.ts';
import { position } from './manifest/tree.ts';
import type { ReadAhead } from './observe/ahead.ts';
import { readAhead } from './observe/ahead.ts';
import { discover, platformVersion, provePlatform, serveRemembered } from './observe/capabilities.ts';
import { observe } from './observe/observe.ts';
import { idOfProject } from './observe/project-id.ts';
import type { Proof } from './observe/proof.ts';
import { ofItsOrganization, proved, refuseForeign, shownOf } from './observe/proof.ts';
import { otherName } from './observe/project-id.ts';
import { createReader } from './observe/reader.ts';
import type { Observed } from './observe/observed.ts';
import type { LeftOut, Narrowed, Narrowing, Plan } from './plan/action.ts';
import { inFileOrder } from './plan/file-order.ts';
import { applyMoves } from './plan/moved.ts';
import { everything, isNarrow, narrowingMeant, unknownIn } from './plan/narrow.ts';
import { acceptancesOn } from './plan/accepted.ts';
import { buildPlan } from './plan/plan.ts';
import type { Touched } from './plan/reads.ts';
import { readsOf } from './plan/reads.ts';
import { redactPlan } from './plan/redacted.ts';
import type { Values } from './plan/shown.ts';
import type { Permissions } from './plan/safeguard.ts';
import { requirePermissions } from './plan/safeguard.ts';
import type { Redactor } from './secrets/redactor.ts';
import { boundTo, isBoundTo } from './state/bound.ts';
import { hasTop, pinnedToState, placed } from './plan/top.ts';
import { digestsAt, digestsOf } from './state/digests.ts';
import { newState } from './state/new-state.ts';
import type { Capabilities, State, StateStore } from './state/state.ts';
import { inSpan } from './trace/span.ts';
import { secretTexts } from './secrets/looks-secret.ts';

/** A manifest that may be planned, and what is to be said about it. */
export interface Validated {
  readonly manifest: Manifest;
  readonly warnings: readonly Diagnostic[];
}

/** files -> manifest: reads and checks everything that can be checked without a request. */
export async function validate(input: ManifestInput): Promise<Validated> {
  const { manifest, diagnostics } = await inSpan('manifest', () => readManifest(input));
  const circles = manifest === undefined ? [] : inOrder(manifest.resources).diagnostics;
  const all = [...diagnostics, ...withQuotes(circles, manifest?.texts ?? new Map(), input.kinds)];
  if (manifest === undefined || hasErrors(all)) throw new Stop('manifest', all);
  return { manifest, warnings: all };
}

/** Where a run reads and writes. */
export interface World {
  readonly client: Client;
  readonly store: StateStore;
  readonly kinds: readonly Kind[];
  /** The address of the platform as messages name it, or `platform: emulator`; `the platform` by default. */
  readonly endpoint?: string | undefined;
  /** Told of every value that must not show in text that comes from elsewhere. */
  readonly addSecret: Redactor['add'];
  /** The clock of this machine, unless another one is given. */
  readonly clock?: Clock;
  /** The values that a plan shows; `usual` by default. */
  readonly values?: Values | undefined;
  /**
   * Whether a plan finds out what the platform serves: where the state remembers nothing of that, or `again`. By default it
   * is what the contract of the client says.
   */
  readonly discovers?: boolean | 'again';
  /** Ends the pauses of a plan, which then throws a Stop. */
  readonly signal?: AbortSignal | undefined;
  /** What is read of the state and the platform while the manifest is checked. */
  readonly ahead?: ReadAhead | undefined;
}

/** Where a plan reads. */
export type ReadWorld = Omit<World, 'client'> & { readonly client: ReadClient };

/** What a plan is asked for. */
export interface PlanOptions {
  /** false: deployments are left to others. */
  readonly deploys?: boolean;
  /** What the plan is narrowed to, and what it replaces on purpose; nothing by default. */
  readonly narrowing?: Narrowing;
  /** What the state begins with when there is none yet: as it was for a plan that was reviewed. */
  readonly begins?: Pick<State, 'lineage'>;
  /** What a reviewed plan touches: only that is read, and what it depends on. Everything by default. */
  readonly touched?: Touched | undefined;
  /** The drift that a person accepted. */
  readonly accepted?: readonly AcceptedDrift[];
}

/** manifest + state + platform -> plan: reads with GETs and writes nothing. */
export async function plan(manifest: Manifest, world: ReadWorld, options: PlanOptions = {}): Promise<Plan> {
  const made = inSpan('plan', () =>
    planFor(manifest.settings, manifest.resources, world, { ...options, accepted: manifest.accepted }),
  );
  return quoting(manifest, world, made);
}

/** A plan; an error that refuses it quotes the lines of the manifest that it is about. */
async function quoting({ texts }: Manifest, { kinds }: ReadWorld, made: Promise<Plan>): Promise<Plan> {
  try {
    return await made;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const { failure, diagnostics, cause } = error;
    throw new Stop(failure, withQuotes(diagnostics, texts, kinds), { cause });
  }
}

/** The plan of a manifest that declares nothing: everything that is ours goes. */
export async function planDestruction(
  manifest: Manifest,
  world: ReadWorld,
  options: Pick<PlanOptions, 'begins' | 'narrowing' | 'touched'> = {},
): Promise<Plan> {
  const settings = { ...manifest.settings, moved: [] };
  return inSpan('plan', () => planFor(settings, [], world, { ...options, destroys: true }));
}

async function planFor(
  settings: Manifest['settings'],
  written: readonly Resource[],
  world: ReadWorld,
  about: PlanOptions & { readonly destroys?: boolean } = {},
): Promise<Plan> {
  const { deploys = true, destroys = false, begins, touched, accepted = [] } = about;
  const { client, store, signal, endpoint } = world;
  const ahead = world.ahead?.take();
  const saved = ahead?.state ?? (await inSpan('state', () => store.read()));
  const ownsProject = isTopOwned(settings, saved, world.kinds, destroys);
  const full = ownsProject ? withTop(world.kinds) : world.kinds;
  const reading = signal === undefined ? client : interruptibleReads(client, signal);
  const itsOwn = <T>(answer: Promise<T>): Promise<T> =>
    ofItsOrganization(answer, saved, { client: reading, location: store.location, endpoint });
  const platform = await itsOwn(platformOf(saved, written, { ...world, kinds: full, client: reading }, ahead?.version));
  const { kinds } = platform;
  const resources = ownsProject ? pinnedToState(platform.resources, saved, kinds) : platform.resources;
  const narrowing = narrowingMeant(about.narrowing ?? everything, kinds);
  const key = await store.key();
  const moved = applyMoves(placed(saved, withTop(world.kinds), ownsProject), settings.moved, resources);
  const records = moved.state?.resources ?? {};
  const declared = resources.map(({ address }) => address);
  const unknown = unknownIn(narrowing, [...new Set([...declared, ...Object.keys(records)])], declared);
  if (unknown.length > 0) throw new Stop('refused', unknown);
  const reader = createReader(reading, 'in bulk');
  const digests = digestsOf(key, moved.state ?? { keyNumber: 1, resources: {} });
  const observing = {
    reader: ahead?.over(reader) ?? reader,
    kinds,
    resources,
    records,
    projectId: ownsProject ? '' : await projectToRead(saved, settings, { client, kinds }),
    projectAt: settings.projectAt === undefined ? undefined : position(settings.projectAt),
    clock: world.clock ?? systemClock,
    since: ahead?.since,
    signal,
    digests,
    only: touched === undefined ? undefined : readsOf(touched, { kinds, resources, records, digests }),
  };
  const observation = inSpan('observe', () => observe(observing));
  const [seen, version] = await itsOwn(Promise.all([observation, platform.version()]));
  // It was upgraded since: what it serves now is found out, and everything read again.
  if (version !== platform.assumed) return planFor(settings, written, { ...world, discovers: 'again' }, about);
  addSecrets(seen.observed, { kinds, addSecret: world.addSecret });
  const { organizationId, projectId, projectName } = seen.observed;
  const nameOfProject = projectName === undefined ? undefined : client.redact(projectName);
  const { capabilities } = platform;
  const begun = moved.state ?? { ...newState(organizationId, projectId), ...begins };
  const before =
    capabilities === undefined || capabilities === begun.platform ? begun : { ...begun, platform: capabilities };
  // With the state of another project, every object is in another project.
  const own = ownsProject ? before.projectId : projectId;
  const { location } = store;
  refuseForeign(before, { organizationId, projectId: own, named: settings.project }, { location, endpoint });
  const state = boundTo(before, settings);
  const migrates = store.isUnsealed() ? [migration(store)] : [];
  const { profile } = client.contract;
  const served = { before: saved?.platform, now: capabilities };
  const proof: Proof = { endpoint, profile, caller: seen.observed, shows: shownOf(saved, seen.observed), served };
  const renamed = ownsProject
    ? []
    : otherName({ named: settings.project, at: observing.projectAt }, { projectId, projectName: nameOfProject });
  const observed = [...renamed, ...seen.diagnostics];
  const found = proved([...migrates, ...moved.diagnostics, ...platform.diagnostics, ...observed], proof);
  // Errors of what a narrowed plan leaves out do not concern it, which is known only once it is made.
  const ofAll = isNarrow(narrowing) ? found.filter(({ address }) => address === undefined) : found;
  if (hasErrors(ofAll)) throw new Stop('refused', found);
  const today = isoTime((world.clock ?? systemClock).wall()).slice(0, 10);
  const digestsOfObjects = digestsAt(key, state);
  const acceptances = acceptancesOn(today, accepted, digestsOfObjects);
  const { order, diagnostics: circles } = inOrder(seen.resources);
  if (hasErrors(circles)) throw new Stop('refused', circles);
  const made = buildPlan({
    kinds,
    unserved: full.filter(({ kind }) => !kinds.some((there) => there.kind === kind)),
    resources: order,
    observed: seen.observed,
    state,
    saved,
    deploys,
    destroys,
    narrowing,
    digests: digestsOf(key, state),
    accepting: { ...acceptances, digestsOfObjects },
    origins: moved.origins,
    redact: client.redact,
    values: world.values,
  });
  const told = concerning([...found, ...acceptances.diagnostics], made);
  if (hasErrors(told)) throw new Stop('refused', told);
  const whole = {
    ...made,
    ...(made.narrowed === undefined ? {} : { narrowed: inOrderOf(declared, made.narrowed) }),
    actions: inFileOrder(made.actions, resources).map((action) => {
      const notes = proved(action.notes, proof);
      return notes === action.notes ? action : { ...action, notes };
    }),
    diagnostics: [...told, ...proved(made.diagnostics, proof)],
  };
  return redactPlan(whole, client.redact);
}

/**
 * Whether a plan has the project as one of its objects. What was never taken over is not destroyed; where the state holds
 * nothing, or is that of no project, there may be no project to read.
 */
function isTopOwned(
  { ownsProject }: Manifest['settings'],
  saved: State | undefined,
  kinds: readonly Kind[],
  destroys: boolean,
): boolean {
  const isEmpty = saved === undefined || saved.projectId === '' || Object.keys(saved.resources).length === 0;
  return ownsProject === true && (!destroys || isEmpty || hasTop(saved, withTop(kinds)));
}

/**
 * Reads the state, and begins the reads that every plan with this state sends. Undefined where they are not known before the
 * resources of the manifest are: without a state, with that of another project, and with one that does not remember what the
 * platform serves.
 *
 * @throws {Stop} when the state cannot be used.
 */
export async function planAhead(
  settings: Manifest['settings'],
  { client, store, kinds: all, discovers = false, clock = systemClock }: ReadWorld,
  { destroys = false }: { readonly destroys?: boolean } = {},
): Promise<ReadAhead | undefined> {
  const state = await inSpan('state', () => store.read());
  if (state === undefined || !isBoundTo(state, settings.project) || discovers === 'again') return undefined;
  const remembered = discovers ? serveRemembered(client, state) : undefined;
  if (discovers && remembered === undefined) return undefined;
  const ownsProject = isTopOwned(settings, state, all, destroys);
  const kinds = kindsThere(ownsProject ? withTop(all) : all, client.contract);
  const projectId = ownsProject ? '' : state.projectId;
  return readAhead(client, { kinds, state, projectId, readsVersion: (remembered?.version ?? null) !== null, clock });
}

/** A platform as a plan takes it. */
interface PlatformThere extends ReturnType<typeof resourcesOn> {
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
async function platformOf(
  saved: State | undefined,
  written: readonly Resource[],
  { client, discovers = false, kinds: full, endpoint }: ReadWorld,
  versionAhead: Promise<string | undefined> | undefined,
): Promise<PlatformThere> {
  const remembered = discovers === false ? undefined : serveRemembered(client, saved);
  const there = (capabilities: Capabilities | undefined, isKnown = true) => {
    const kinds = kindsThere(full, client.contract);
    return {
      kinds,
      capabilities,
      assumed: undefined,
      version: () => Promise.resolve(undefined),
      ...resourcesOn(written, kinds, isKnown),
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
  const found = there(capabilities, diagnostics.length === 0);
  if (hasErrors(found.diagnostics)) {
    const caller = await provePlatform(client);
    const { profile } = client.contract;
    const shows = saved === undefined ? undefined : 'the state'; // the state of another organization is refused
    const proof: Proof = { endpoint, profile, caller, shows, served: { before: saved?.platform, now: capabilities } };
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
  { client, discovers = false }: Pick<ReadWorld, 'client' | 'discovers'>,
): Promise<Capabilities | undefined> {
  if (discovers === false) return undefined;
  return serveRemembered(client, saved) ?? (await discover(client, undefined)).capabilities;
}

/** What a plan leaves out, as the manifest declares it; last what it does not declare any more. */
function inOrderOf(declared: readonly string[], narrowed: Narrowed): Narrowed {
  const places = new Map(declared.map((address, place) => [address, place]));
  const placeOf = ({ address }: LeftOut) => places.get(blockAddress(address)) ?? declared.length;
  return { ...narrowed, leftOut: narrowed.leftOut.toSorted((a, b) => placeOf(a) - placeOf(b)) };
}

/** What was found of all that a plan has, and of what that depends on. */
function concerning(found: readonly Diagnostic[], { narrowed, actions }: Plan): readonly Diagnostic[] {
  if (narrowed === undefined) return found;
  const within = actions.filter(({ isLeftOut }) => isLeftOut !== true);
  const concerned = new Set(within.flatMap(({ address, dependsOn }) => [address, ...dependsOn]));
  return found.filter(({ address }) => address === undefined || concerned.has(address));
}

/** What an apply is about to do to the state of an earlier version. */
function migration({ location, keyName }: World['store']): Diagnostic {
  const message = `an earlier version wrote the state ${location}, without a MAC: the next apply gives it one, made with ${keyName}`;
  return diagnostic('state-migrates', message);
}

/** The passwords and keys that the platform has: an error of a database may quote the row that it refuses. */
function addSecrets({ objects }: Observed, { kinds, addSecret }: Pick<World, 'kinds' | 'addSecret'>): void {
  const every = kinds.map((kind) => ({
    id: kind.identity.id,
    names: Object.keys(kind.fields).filter((name) => kind.fields[name]?.secrecy === 'secret'),
  }));
  const secrets = every.filter(({ names }) => names.length > 0);
  for (const { row } of objects.values()) {
    for (const { id, names } of secrets) {
      if (row[id] === undefined) continue;
      for (const name of names) for (const text of secretTexts(row[name])) addSecret(text);
    }
  }
}

/** plan -> platform: sends what the plan says and nothing else. What was not permitted stops it before the first request. */
export async function applyPlan(
  made: Plan,
  world: World,
  options: { readonly permissions: Permissions } & Pick<
    ApplyInput,
    'connections' | 'deploying' | 'inFlightTimeoutMs' | 'clock' | 'onEvent' | 'signal'
  >,
): Promise<ApplyResult> {
  const { permissions, ...how } = options;
  const { client, store, addSecret } = world;
  requirePermissions(made, permissions);
  const ownsProject = made.actions.some(({ kind }) => kind.isTop === true);
  const input = {
    ...how,
    plan: made,
    kinds: kindsThere(ownsProject ? withTop(world.kinds) : world.kinds, client.contract),
    client: how.signal === undefined ? client : interruptible(client, how.signal),
    store,
    digests: digestsOf(await store.key(), made.base),
    addSecret,
  };
  return inSpan('apply', () => apply(input));
}

/** The plan of a manifest whose blocks at some addresses mean the objects with these ids, as `id:` would say. */
export function planWithIds(manifest: Manifest, world: World, ids: ReadonlyMap<string, string>): Promise<Plan> {
  const resources = manifest.resources.map((resource) => {
    const id = ids.get(resource.address);
    return id === undefined ? resource : { ...resource, pinned: id };
  });
  return planFor(manifest.settings, resources, world);
}

/**
 * The project that a run reads: the one of its state, where the manifest means that; else what the manifest says, which is
 * looked for in the list of projects when a state belongs to another one.
 *
 * @throws {Stop} `refused`, when several projects have the name.
 */
async function projectToRead(
  saved: State | undefined,
  { project, projectAt }: Manifest['settings'],
  { client, kinds }: Pick<ReadWorld, 'client' | 'kinds'>,
): Promise<string> {
  if (saved === undefined) return project;
  if (isBoundTo(saved, project)) return saved.projectId;
  const kind = kinds.find(({ parents: { [root]: link } }) => link?.projects !== undefined);
  const projects = kind === undefined ? undefined : await createReader(client).projects(kind);
  const at = projectAt === undefined ? undefined : position(projectAt);
  return (projects === undefined ? undefined : idOfProject(projects, project, at)) ?? project;
}
