import type { Ask } from '../api/ask-address.ts';
import { attempts } from '../api/attempts.ts';
import type { Client } from '../api/client.ts';
import { groupBy } from '../kind/group.ts';
import { type Row, defined } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { outputValue } from '../kind/row-values.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { type Reader, createReader } from '../observe/reader.ts';
import {
  type Action,
  type Plan,
  awaitedBy,
  createsObject,
  isBeside,
  isCreation,
  isEffective,
  shownAddress,
  isReplacement,
} from '../plan/action.ts';
import { type SettleInput, type Settled, settle } from '../plan/settle.ts';
import type { Digest, Digests } from '../secrets/digest.ts';
import { pendingCreate } from '../state/pending-operation.ts';
import type { Deploys, DuplicatePlace, StateRecord } from '../state/record.ts';
import type { Clock } from '../state/clock.ts';
import type { StateStore } from '../state/state.ts';
import type { QueueActivity } from './follow.ts';
import { type Journal, openJournal } from './journal.ts';
import {
  type ApplyEvent,
  type Job,
  type JobEvent,
  type Outcome,
  type Scope,
  advance,
  isOver,
  noteObject,
  resultOf,
  withDuplicate,
} from './job.ts';
import { needsRow } from './fill-members.ts';
import { type Rounds, createRounds } from './rounds.ts';
import type { Redactor } from '../secrets/redactor.ts';

/** The input of an apply. */
export interface ApplyInput {
  readonly plan: Plan;
  /** All that there are: what is below an object may be of any. */
  readonly kinds: readonly Kind[];
  readonly client: Client;
  readonly store: StateStore;
  readonly digests: Digests;
  /** Takes every value that must not show in text that comes from elsewhere. */
  readonly addSecret: Redactor['add'];
  /** Asks the addresses of probes, which a plan has only where it is there. */
  readonly ask: Ask | undefined;
  readonly deploying: Deploying;
  /** In-flight timeout: how long a request that got no answer may take to land. Milliseconds. */
  readonly inFlightTimeoutMs: number;
  /** The last moment at which an earlier run can have started a request (monotonic ms); the state location decides it. */
  readonly quietSince: number;
  readonly clock: Clock;
  /** Most requests at a time. */
  readonly connections: number;
  /** Called for every action as it goes. */
  readonly onEvent: (event: ApplyEvent) => void;
  /** Stops new work; what is in flight is finished and saved. */
  readonly signal: AbortSignal | undefined;
}

/** How services are deployed. */
export interface Deploying {
  /** false: Trueup does not wait for a deployment that the platform accepted. */
  readonly waits: boolean;
  /** The longest that a deployment of a kind may take. Milliseconds. */
  readonly limitMs: (kind: string) => number;
}

/** One application of a plan. */
export interface Run {
  readonly input: ApplyInput;
  readonly reader: Reader;
  /** Reads rows that are asked for at the same time together, where the platform takes that. It is used for no list. */
  readonly together: Reader;
  readonly clock: Clock;
  /** Every action of the plan by its address, where it is in its life. */
  readonly jobs: ReadonlyMap<string, Job>;
  readonly scopes: ReadonlyMap<string, Scope>;
  readonly creations: Creations;
  readonly journal: Journal;
  readonly queue: QueueActivity;
  readonly rounds: Rounds;
  readonly health: Health;
  readonly outputs: Outputs;
  readonly ending: Ending;
}

/** The facts that the creates of a run share. */
interface Creations {
  /** The ids of everything that was there before, or that an action of this run has: a new object has none of them. */
  readonly taken: Set<string>;
  /** By list: its rows as a create that found the id of its object there saw it last. */
  readonly listed: Map<string, ReadonlyMap<string, Row>>;
  /** By list: settles when the last of the creates that share it is over. */
  readonly turns: Map<string, Promise<void>>;
}

/** The facts about the services that this run deployed. */
interface Health {
  /** The watches of services that hold already; none rejects. */
  readonly watches: Promise<void>[];
  /** The services whose health is not known, by the reason. */
  readonly unknown: Map<string, Job[]>;
  /** Why a list of containers cannot be read in this run, by its operation. */
  readonly refused: Map<string, string>;
}

/** Why a run starts nothing new. */
interface Ending {
  reason: string | undefined;
  /** The first action that failed by an answer which does not fit the contract of the platform. */
  misfit: Job | undefined;
  /** Whether each failure so far was one of the API key: not accepted, or without the right. */
  isOfKey: boolean | undefined;
  /** An error of Trueup itself, thrown once the state is saved. */
  defect: { readonly error: unknown } | undefined;
}

/** Begins a run: nothing is sent yet. Never throws. */
export function startRun(input: ApplyInput): Run {
  const { plan, clock } = input;
  const ending: Ending = { reason: undefined, misfit: undefined, isOfKey: undefined, defect: undefined };
  const { jobs, scopes } = jobsOf(plan);
  const known = Object.entries(plan.base.resources).flatMap(([address, { id }]) => {
    // What had the id is gone: where the platform makes ids from the parent, the new object has the same.
    const action = jobs.get(address)?.action;
    return id === null || (action !== undefined && isCreation(action)) ? [] : id;
  });
  return {
    input: {
      ...input,
      // An error of the listener holds nothing up; it is thrown at the end.
      onEvent: (event) => {
        try {
          input.onEvent(event);
        } catch (error) {
          ending.defect ??= { error };
        }
      },
    },
    reader: createReader(input.client),
    together: createReader(input.client, 'in bulk'),
    clock,
    jobs,
    scopes,
    creations: { taken: new Set([...plan.observed.listed, ...known]), listed: new Map(), turns: new Map() },
    journal: openJournal(input.store, plan.base),
    queue: { running: 0, movedAt: clock.monotonic() },
    rounds: createRounds(clock),
    health: { watches: [], unknown: new Map(), refused: new Map() },
    outputs: ({ address, output }) => {
      const job = jobs.get(address);
      if (job?.object?.row === undefined) return undefined;
      return outputValue(job.action.kind, output, job.object.id, job.object.row);
    },
    ending,
  };
}

/** A job of a plan, which finds the jobs beside it when they are asked for: most never are. */
class PlannedJob implements Job {
  readonly action: Action;
  readonly planned: Job['planned'];
  readonly known: Job['known'];
  readonly isNeeded: boolean;
  readonly isAwaited: boolean;
  phase: Job['phase'] = { is: 'planned' };
  object: Job['object'];
  deploys: Job['deploys'];
  duplicates: Job['duplicates'];
  diagnostics: Job['diagnostics'] = noDiagnostics;
  readonly #others: Others;

  constructor(action: Action, { observed, base }: Plan, others: Others) {
    const { address, id } = action;
    this.action = action;
    this.planned = observed.objects.get(address);
    this.known = base.resources[address];
    this.isNeeded = others.needed.has(address);
    this.isAwaited = others.awaited.has(address);
    // The outputs of an object that is about to be replaced are not those of the new one.
    this.object = id === undefined ? undefined : { id, row: isReplacement(action) ? undefined : this.planned?.row };
    this.deploys = deploysBefore(action);
    this.duplicates = duplicatesBefore(action, this.known);
    this.#others = others;
  }

  get parent(): Job | undefined {
    return this.#others.jobs.get(this.action.parent ?? '');
  }

  get scope(): Scope {
    return scopeOf(this.#others, this.action);
  }

  get makesStale(): readonly Job[] {
    return jobsAt(this.#others, this.#others.stale.get(this.action.address));
  }

  get staleThrough(): readonly Job[] {
    return jobsAt(this.#others, this.action.service?.staleness?.through);
  }
}

const noDiagnostics: Job['diagnostics'] = [];

/** The jobs of a plan, and how they relate. */
interface Others extends Pick<Run, 'jobs' | 'scopes'> {
  /** The addresses that actions refer to, and those whose deployments others wait for. */
  readonly needed: ReadonlySet<string>;
  readonly awaited: ReadonlySet<string>;
  /** The services that each action makes stale. */
  readonly stale: ReadonlyMap<string, readonly string[]>;
}

function jobsAt({ jobs }: Others, addresses: readonly string[] = []): readonly Job[] {
  return addresses.flatMap((address) => jobs.get(address) ?? []);
}

/** The jobs of a plan and their scopes, by address; nothing is sent yet. */
function jobsOf(plan: Plan): Pick<Run, 'jobs' | 'scopes'> {
  const { actions } = plan;
  const jobs = new Map<string, Job>();
  const scopes = new Map<string, Scope>();
  const stale = groupBy(
    actions.flatMap(({ address, service }) =>
      (service?.staleness?.through ?? []).map((through) => [through, address] as const),
    ),
  );
  const needed = new Set(actions.flatMap(({ dependsOn }) => dependsOn));
  const others = { jobs, scopes, needed, awaited: new Set(actions.flatMap(awaitedBy)), stale };
  for (const action of actions) jobs.set(action.address, new PlannedJob(action, plan, others));
  for (const [address, members] of groupBy([...jobs.values()].map((job) => [job.action.scope, job] as const))) {
    const root = jobs.get(address);
    if (root !== undefined) scopes.set(address, newScope(plan, root, members));
  }
  return { jobs, scopes };
}

/**
 * A scope before its first request. Its deletion by a destroy within seconds takes the row of the plan for the look at it:
 * everything is meant to go, and only what others put things into is read again. Any other run looks at what it is about to
 * take away.
 */
function newScope({ observed, destroys }: Plan, root: Job, jobs: readonly Job[]): Scope {
  const { action, planned } = root;
  const writing = jobs.map((job) => job.action).filter((one) => isEffective(one) && !isBeside(one));
  const isExact = writing.length > 0 && !writing.some(({ steps }) => steps.some(needsRow));
  const scope = { root, jobs, mayReadAhead: isExact && !createsObject(action) };
  const isOfPlan = scope.mayReadAhead && destroys && action.kind.service !== undefined;
  if (!isOfPlan || planned === undefined) return scope;
  return { ...scope, reading: { id: planned.id, since: observed.since, row: Promise.resolve(planned.row) } };
}

/** Where duplicates may be before anything is sent. */
function duplicatesBefore(action: Action, known: StateRecord | undefined): readonly DuplicatePlace[] {
  const { duplicates = [] } = known ?? {};
  const pending = pendingCreate(known);
  // This run is about to send it again.
  const isAgain = createsObject(action) && known?.id === null && pending !== undefined;
  return isAgain ? withDuplicate(duplicates, pending) : duplicates;
}

/** The deployments of a service, stale by the changes of the plan. */
function deploysBefore({ service }: Action): Deploys | undefined {
  const { known, staleness } = service ?? {};
  if (staleness === undefined) return known;
  const code = known?.stale?.code ?? staleness.code;
  // An earlier save or deployment does not contain what is written now.
  return { ...defined({ inputs: known?.inputs, failed: known?.failed }), stale: defined({ code }) };
}

/** The job of an address. Throws when the plan has none: a mistake of Trueup itself. */
export function jobOf(run: Run, address: string): Job {
  const job = run.jobs.get(address);
  if (job === undefined) throw new Error(`the plan has no action at ${address}`);
  return job;
}

/** The scope that a node or an action writes in. Throws when the plan has none: a mistake of Trueup itself. */
export function scopeOf(run: Pick<Run, 'scopes'>, { scope }: { readonly scope: string }): Scope {
  const found = run.scopes.get(scope);
  if (found === undefined) throw new Error(`the plan has no scope at ${scope}`);
  return found;
}

/** Moves a job on; notifies the listener when it is over. */
export function dispatch(run: Run, job: Job, event: JobEvent): void {
  const wasOver = isOver(job);
  Object.assign(job, advance(job, event));
  const result = wasOver ? undefined : resultOf(job);
  if (result === undefined || (result !== 'skipped' && !isEffective(job.action))) return;
  run.input.onEvent({ ...endOf(job, result), address: shownAddress(job.action), action: job.action.action });
}

function endOf({ stopped, diagnostics }: Job, result: Outcome['result']) {
  if (result === 'done') return { event: result };
  if (result === 'skipped') return { event: result, stopped };
  const reason = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics.at(-1);
  return { event: result === 'unverified' ? result : ('failed' as const), reason: reason?.message };
}

/** Gives an action the object with an id; no other can have it then. */
export function claim(run: Run, job: Job, object: { readonly id: string; readonly row?: Row }): void {
  noteObject(job, object);
  run.creations.taken.add(object.id);
}

/** The record of a job; also what it was before this run removed it. */
export function recordNow({ journal }: Run, { action, known }: Job): StateRecord | undefined {
  return journal.now(action.address) ?? known;
}

/** The record of a job's object. */
export function recordOf(
  { action, known, duplicates }: Job,
  id: string | null,
  pairs: StateRecord['pairs'],
): StateRecord {
  const { kind, parent = null, dependsOn, options } = action;
  // A new object has not run.
  const ran = known?.id === id ? known?.ran : undefined;
  const more = defined({ duplicates: duplicates.length === 0 ? undefined : duplicates, bornAt: known?.bornAt, ran });
  const facts = { kind: kind.kind, parent, dependsOn, pairs, options, ...more };
  return id === null ? { id, ...facts } : { id, ...facts };
}

/** Saves a record; that of a service with its deployments, as the run knows them now. */
export async function saveRecord(run: Run, job: Job, record: StateRecord, how?: 'with the rest'): Promise<void> {
  await run.journal.save(job.action.address, { record, deploys: job.deploys }, how);
}

/** Compares what an action wanted with a row of its object. */
export function settleRow(
  { outputs, input: { digests, client } }: Run,
  { action, isDoubted }: Job,
  seen: Pick<SettleInput, 'after' | 'made' | 'wasSent'>,
): Settled {
  return settle({ ...seen, action, isDoubted: isDoubted === true, outputs, digests, redact: client.redact });
}

/** The digests of the fields of an action's object. */
export function digestsAt({ input }: Run, { address }: Action): (field: string) => Digest {
  return (field) => input.digests(address, field);
}

/** The time and the in-flight timeout of a request that is sent now. */
export function sentNow(run: Run): { readonly at: number; readonly timeoutMs: number } {
  return { at: timeNow(run), timeoutMs: run.input.inFlightTimeoutMs };
}

/**
 * The time now (wall ms): that of the platform if the two clocks differ by more than an answer takes, else that of this machine.
 * A later run on another machine compares it with its own time and with times of the platform.
 */
export function timeNow({ clock, input }: Run): number {
  const here = clock.wall();
  const there = input.client.platformTime();
  return there !== undefined && Math.abs(there - here) > attempts.reading.clockOffMs ? there : here;
}
