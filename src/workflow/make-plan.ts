import { interruptibleReads } from '../api/client.ts';
import { turn } from '../api/sleep.ts';
import { type Diagnostic, diagnostic, hasErrors, Stop } from '../diagnostics/diagnostic.ts';
import { inOrder } from '../graph/order.ts';
import { childAddress } from '../kind/address.ts';
import { withTop } from '../kind/top.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { withQuotes } from '../manifest/quote.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Settings } from '../manifest/settings.ts';
import { position } from '../manifest/tree.ts';
import { type Seen, observe } from '../observe/observe.ts';
import { otherName, projectToRead } from '../observe/project-id.ts';
import { type Proof, ofItsOrganization, proved, refuseForeign, shownOf } from '../observe/proof.ts';
import { createReader } from '../observe/reader.ts';
import { acceptancesOn } from '../plan/find-acceptance.ts';
import type { Narrowing, Plan } from '../plan/action.ts';
import { refuseAdoption } from '../plan/adopted.ts';
import { deploymentFindings } from '../plan/deployment-findings.ts';
import { inFileOrder } from '../plan/file-order.ts';
import { applyMoves } from '../plan/moved-addresses.ts';
import { concerning, everything, inOrderOf, isNarrow, unknownIn } from '../plan/narrow.ts';
import { buildPlan } from '../plan/build-plan.ts';
import { type Touched, readsOf } from '../plan/reviewed-reads.ts';
import { isTopOwned, pinnedToState, placed } from '../plan/project-block.ts';
import { secretsOfRows } from '../secrets/call-secrets.ts';
import { howToGive } from '../secrets/sources/env.ts';
import { boundTo } from '../state/bound.ts';
import { isoTime, systemClock } from '../state/clock.ts';
import { digestsAt, digestsOf } from '../state/digests.ts';
import { newState } from '../state/new-state.ts';
import type { State } from '../state/state.ts';
import { inSpan } from '../trace/span.ts';
import { platformOf } from './learn-platform.ts';
import type { ReadConnection } from './connection.ts';

/** What a plan is asked for. */
export interface PlanOptions {
  /** false: deployments are left to others. */
  readonly deploys?: boolean | undefined;
  /** true: deletes everything that the state holds, whatever the manifest declares. */
  readonly destroys?: boolean | undefined;
  /** What the plan is narrowed to, and what it replaces on purpose; nothing by default. */
  readonly narrowing?: Narrowing | undefined;
  /** What the state begins with when there is none yet: as it was for a plan that was reviewed. */
  readonly begins?: Pick<State, 'lineage'> | undefined;
  /** What a reviewed plan touches: only that is read, and what it depends on. Everything by default. */
  readonly touched?: Touched | undefined;
  /** true: reads each list of the project, also where nothing in it is declared: for drift, which finds what others made. */
  readonly readsEveryList?: boolean | undefined;
}

/** What is declared, and the plan to make of it. */
type Request = PlanOptions &
  Pick<Manifest, 'settings' | 'resources' | 'accepted' | 'howToGive' | 'deployments'> & {
    /** What the manifest declares, also where everything is deleted. */
    readonly written: Pick<Manifest, 'settings' | 'resources' | 'texts'>;
  };

/**
 * manifest + state + platform -> plan: reads with GETs and writes nothing.
 *
 * @throws {Stop} when no plan can be made. @throws {PlatformError} when a read fails.
 */
export async function plan(manifest: Manifest, connection: ReadConnection, options: PlanOptions = {}): Promise<Plan> {
  const { settings, resources, accepted, texts, howToGive, deployments } =
    options.destroys === true ? withNothingIn(manifest) : manifest;
  try {
    const made = await inSpan('plan', () =>
      planFor({ ...options, settings, resources, accepted, howToGive, deployments, written: manifest }, connection),
    );
    const named = (await connection.namedElsewhere?.(made)) ?? [];
    return named.length === 0 ? made : { ...made, diagnostics: [...made.diagnostics, ...named] };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const { failure, diagnostics, cause } = error;
    throw new Stop(failure, withQuotes(diagnostics, texts, connection.kinds), { cause });
  }
}

/** A manifest that declares nothing: everything that is ours goes, and no line is quoted. */
function withNothingIn(manifest: Manifest): Manifest {
  const settings = { ...manifest.settings, moved: [] };
  return { ...manifest, settings, resources: [], accepted: [], deployments: [], texts: new Map() };
}

/** The plan of a manifest whose blocks at some addresses mean the objects with these ids, as `id:` would say. */
export function planWithIds(
  manifest: Manifest,
  connection: ReadConnection,
  ids: ReadonlyMap<string, string>,
): Promise<Plan> {
  const { settings } = manifest;
  const resources = manifest.resources.map((resource) => {
    const id = ids.get(resource.address);
    return id === undefined ? resource : { ...resource, pinned: id };
  });
  return planFor({ settings, resources, accepted: [], deployments: [], written: manifest }, connection);
}

async function planFor(request: Request, connection: ReadConnection): Promise<Plan> {
  const start = await prepare(request, connection);
  const seen = await readObjects(start, request, connection);
  // It was upgraded since: what it serves now is discovered, and everything is read again.
  if (seen === 'upgraded') return planFor(request, { ...connection, discovers: 'again' });
  const rows = [...seen.observed.objects.values()].map(({ row }) => row);
  for (const text of secretsOfRows(rows, start.kinds)) connection.addSecret(text);
  const state = stateFor(start, seen, request, connection);
  const { found, proof } = provedFindings(start, seen, request, connection);
  const today = isoTime((connection.clock ?? systemClock).wall()).slice(0, 10);
  const acceptances = acceptancesOn(today, request.accepted, digestsAt(start.key, state));
  const {
    deploys = true,
    destroys = false,
    settings: { environment, preview, platform },
  } = request;
  const { order, diagnostics: circles } = inOrder(seen.resources);
  if (hasErrors(circles)) throw new Stop('refused', circles);
  await turn(); // the lock is renewed meanwhile, and an interruption heard: each of these may take seconds
  const made = buildPlan({
    kinds: start.kinds,
    unserved: start.unserved,
    isServedKnown: connection.client.contract.isAssumed !== true,
    resources: order,
    observed: seen.observed,
    state,
    saved: start.saved,
    ownEnvironment: environment && childAddress(undefined, undefined, environment.name),
    seeds: preview?.seed?.map(({ address }) => address) ?? [],
    deploys: deploys || destroys,
    asks: connection.ask !== undefined,
    destroys,
    narrowing: start.narrowing,
    digests: digestsOf(start.key, state),
    platformUrl: platform.emulator ? undefined : platform.url,
    accepting: acceptances,
    origins: start.moved.origins,
    redact: connection.client.redact,
    howToGive: (names) => request.howToGive?.(names) ?? howToGive(names),
    values: connection.values ?? 'usual',
  });
  await turn();
  const concerned = concerning([...found, ...acceptances.diagnostics], made);
  if (hasErrors(concerned)) throw new Stop('refused', concerned);
  const foreign = preview === undefined ? [] : refuseAdoption(made.actions);
  const version = start.platform.capabilities?.version ?? undefined;
  const expected = deploymentFindings(request.deployments, made.actions, version);
  const quoted = withQuotes(expected, request.written.texts, connection.kinds);
  return finished(made, { start, concerned: [...concerned, ...foreign, ...quoted], proof });
}

/** What a plan has before it reads the objects of the platform. */
interface Start {
  /** The state as it is stored, and what has been read ahead with it. */
  readonly saved: State | undefined;
  readonly ahead: ReturnType<NonNullable<ReadConnection['ahead']>['take']>;
  readonly moved: ReturnType<typeof applyMoves<State | undefined>>;
  readonly key: Awaited<ReturnType<ReadConnection['store']['key']>>;
  readonly platform: Awaited<ReturnType<typeof platformOf>>;
  /** The kinds that the platform serves, and those that it does not. */
  readonly kinds: ReadConnection['kinds'];
  readonly unserved: ReadConnection['kinds'];
  readonly resources: readonly Resource[];
  readonly narrowing: Narrowing;
  /** The project is one of the objects of the plan. */
  readonly ownsProject: boolean;
  /** The client of all reads; the signal of the run ends their pauses. */
  readonly client: ReadConnection['client'];
}

/** Reads the state, and finds out what the platform serves of what the manifest has. */
async function prepare(
  { settings, resources: declares, destroys = false, narrowing = everything, written }: Request,
  connection: ReadConnection,
): Promise<Start> {
  const { store, signal, endpoint } = connection;
  const ahead = connection.ahead?.take();
  const saved = ahead?.state ?? (await inSpan('state', () => store.read()));
  if (saved === undefined) connection.mayBegin?.(written);
  const ownsProject = isTopOwned(settings, saved, connection.kinds, destroys);
  const every = ownsProject ? withTop(connection.kinds) : connection.kinds;
  const client = signal === undefined ? connection.client : interruptibleReads(connection.client, signal);
  const reading = platformOf(saved, declares, { ...connection, kinds: every, client }, ahead?.version);
  const platform = await ofItsOrganization(reading, saved, { client, location: store.location, endpoint });
  const { kinds } = platform;
  const resources = ownsProject ? pinnedToState(platform.resources, saved, kinds) : platform.resources;
  const key = await store.key();
  const moved = applyMoves(placed(saved, withTop(connection.kinds), ownsProject), settings.moved, resources);
  const declared = resources.map(({ address }) => address);
  const known = [...new Set([...declared, ...Object.keys(moved.state?.resources ?? {})])];
  const unknown = unknownIn(narrowing, known, declared);
  if (unknown.length > 0) throw new Stop('refused', unknown);
  const unserved = every.filter(({ kind }) => !kinds.some((there) => there.kind === kind));
  return { saved, ahead, moved, key, platform, kinds, unserved, resources, narrowing, ownsProject, client };
}

/** Reads the objects, and the version of the platform beside them; `upgraded` where that is not the one of the state. */
async function readObjects(
  { saved, ahead, moved, key, platform, kinds, resources, ownsProject, client }: Start,
  { settings, touched, readsEveryList = false }: Request,
  connection: ReadConnection,
): Promise<Seen | 'upgraded'> {
  const records = moved.state?.resources ?? {};
  const reader = createReader(client, 'in bulk');
  const digests = digestsOf(key, moved.state ?? { keyNumber: 1, resources: {} });
  const project = projectIn(settings);
  const { clock = systemClock } = connection;
  const observing = {
    reader: ahead?.over(reader) ?? reader,
    kinds,
    resources,
    records,
    projectId: ownsProject
      ? ''
      : await projectToRead(saved, project, { reader: createReader(connection.client), kinds }),
    projectAt: project.at,
    clock,
    since: ahead?.since ?? clock.monotonic(),
    signal: connection.signal,
    digests,
    ownsOneEnvironment: settings.environment !== undefined,
    only: touched === undefined ? undefined : readsOf(touched, { kinds, resources, records, digests }),
    readsEveryList,
  };
  const observation = inSpan('observe', () => observe(observing));
  const reads = Promise.all([observation, platform.version()]);
  const { store, endpoint } = connection;
  const [seen, version] = await ofItsOrganization(reads, saved, { client, location: store.location, endpoint });
  return version === platform.assumed ? seen : 'upgraded';
}

/** The state that the plan begins with. @throws {Stop} `state`, when it is of another organization or project. */
function stateFor(
  { moved, platform: { capabilities }, ownsProject }: Start,
  { observed: { organizationId, projectId } }: Seen,
  { settings, begins }: Request,
  { store: { location }, endpoint }: ReadConnection,
): State {
  const begun = moved.state ?? { ...newState(organizationId, projectId), ...begins };
  const isKnown = capabilities === undefined || capabilities === begun.platform;
  const state = isKnown ? begun : { ...begun, platform: capabilities };
  // With the state of another project, every object is in another project.
  const own = ownsProject ? state.projectId : projectId;
  refuseForeign(state, { organizationId, projectId: own, named: settings.project }, { location, endpoint });
  return boundTo(state, settings);
}

/** What was found so far, proved. @throws {Stop} `refused`, when an error is about the whole plan. */
function provedFindings(
  { saved, moved, platform, narrowing, ownsProject }: Start,
  seen: Seen,
  { settings }: Request,
  { client, store, endpoint }: ReadConnection,
): { readonly found: readonly Diagnostic[]; readonly proof: Proof } {
  const { observed } = seen;
  const proof: Proof = {
    endpoint,
    caller: observed,
    shows: shownOf(saved, observed),
    served: { before: saved?.platform, now: platform.capabilities },
  };
  const { projectId, projectName } = observed;
  const named = { projectId, projectName: projectName === undefined ? undefined : client.redact(projectName) };
  const renamed = ownsProject ? [] : otherName(projectIn(settings), named);
  const migrates = store.isUnsealed() ? [migration(store)] : [];
  const all = [...migrates, ...moved.diagnostics, ...platform.diagnostics, ...renamed, ...seen.diagnostics];
  const found = proved(all, proof);
  // Errors of what a narrowed plan leaves out do not concern it, which is known only once it is made.
  const ofAll = isNarrow(narrowing) ? found.filter(({ address }) => address === undefined) : found;
  if (hasErrors(ofAll)) throw new Stop('refused', found);
  return { found, proof };
}

/** A plan as it is shown: in the order of the manifest, and with remedies that are proved. */
function finished(
  made: Plan,
  {
    start,
    concerned,
    proof,
  }: { readonly start: Start; readonly concerned: readonly Diagnostic[]; readonly proof: Proof },
): Plan {
  const actions = inFileOrder(made.actions, start.resources).map((action) => {
    const notes = proved(action.notes, proof);
    return notes === action.notes ? action : { ...action, notes };
  });
  const diagnostics = [...concerned, ...proved(made.diagnostics, proof)];
  return { ...inOrderOf(start.resources, made), actions, diagnostics };
}

/** The project as the manifest names it, and where. */
function projectIn({ project, projectAt }: Settings) {
  return { named: project, at: projectAt === undefined ? undefined : position(projectAt) };
}

/** What an apply is about to do to the state of an earlier version. */
function migration({ location, keyName }: ReadConnection['store']): Diagnostic {
  const message = `an earlier version wrote the state ${location}, without a MAC: the next apply gives it one, made with ${keyName}`;
  return diagnostic('state-migrates', message);
}
