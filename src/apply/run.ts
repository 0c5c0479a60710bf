import type { Client } from '../api/client.ts';
import { PlatformError } from '../api/errors.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { same } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { outputValue } from '../kind/wire.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Action, Plan } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { debtorsOf, deployedBefore } from '../plan/debts.ts';
import type { Deployed, Intent, State, StateRecord, StateStore } from '../state/state.ts';
import type { Clock } from '../state/clock.ts';
import { systemClock } from '../state/clock.ts';
import type { Traffic } from './follow.ts';
import { lookUntil } from './look.ts';
import type { LaneRow } from './read-back.ts';
import { readLane } from './read-back.ts';

/** What applying a plan needs. */
export interface ApplyInput {
  readonly plan: Plan;
  /** All that there are: what is below an object may be of any. */
  readonly kinds: readonly Kind[];
  readonly client: Client;
  readonly store: StateStore;
  readonly digest: (text: string) => string;
  /** Told of every value that must not show in text that comes from elsewhere. */
  readonly conceal: (value: string) => void;
  /** Replaces all of those in a text. */
  readonly redact: (text: string) => string;
  readonly deploying?: Deploying;
  /** How long a request that got no answer may take to land. Milliseconds. */
  readonly fenceMs?: number;
  readonly clock?: Clock;
  /** Most requests at a time. */
  readonly connections: number;
  /** Told of every action as it goes. */
  readonly onEvent?: (event: ApplyEvent) => void;
  /** Stops new work; what is in flight is finished and saved. */
  readonly signal?: AbortSignal;
}

/** Something that happened while applying; a deployment bears the address of its service. */
export type ApplyEvent = {
  readonly address: string;
  readonly action: Action['action'];
} & (
  | { readonly event: 'started' | 'done' | 'failed' | 'skipped' }
  /** A deployment was sent, and this is what is waited for now; told again only when it is something else. */
  | {
      readonly event: 'waiting';
      /** Its turn in the queue of the platform; the end of what runs; the answer to a request that lasts as long. */
      readonly for: 'queue' | 'deployment' | 'answer';
    }
);

/** How services are deployed. */
export interface Deploying {
  /** false: a deployment that the platform took is not waited for. */
  readonly waits: boolean;
  /** The longest that a deployment of a kind may take. Milliseconds. */
  readonly limitMs: (kind: string) => number;
}

/** What became of one action. */
export interface Outcome {
  readonly action: Action;
  /** `unverified`: everything was sent, and what the platform has could not be read back, or not be written down. */
  readonly result: 'done' | 'failed' | 'skipped' | 'not kept' | 'unverified';
  /** A write of it was executed, or may have been. */
  readonly mayHaveWritten: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** What became of a plan. */
export interface ApplyResult {
  readonly outcomes: readonly Outcome[];
  readonly state: State;
  /** Why the state could not be written at the end; what it lacks is found by the next run. */
  readonly unsaved?: Stop | undefined;
}

/** How long a request that got no answer may take to land when nobody says another time. Milliseconds. */
export const usualFenceMs = 60_000;

/** The longest that a deployment may take when nobody says another time. Milliseconds. */
const usualLimitMs = 900_000;

/** How old what was read of a lane may be when something of it is overwritten or deleted. Milliseconds. */
const freshMs = 5_000;

/** A lane that was read, or is being read: of which object, and since when by the clock that only grows. */
interface LaneReading {
  readonly id: string | undefined;
  readonly since: number;
  readonly reading: Promise<LaneRow | 'gone'>;
}

/** The changing facts of a run. */
export interface Run {
  readonly input: ApplyInput;
  readonly ids: Map<string, string>;
  /** The ids of everything that was there before, or that somebody of this run has. */
  readonly claimed: Set<string>;
  readonly rows: Map<string, Row>;
  readonly records: Map<string, StateRecord | null>;
  /** Those of them that are on the disk, or that nothing was sent for. */
  readonly kept: Map<string, StateRecord | null>;
  readonly actions: ReadonlyMap<string, Action>;
  readonly lanes: ReadonlyMap<string, readonly Action[]>;
  /** Addresses that others need. */
  readonly needed: ReadonlySet<string>;
  /** Lanes as they were read last before something was sent in them. */
  readonly before: Map<string, LaneReading>;
  /** Creates that wait for one another, by the list they show up in. */
  readonly turns: Map<string, Promise<void>>;
  /** The lists at the top as they were after the last create that shows in them. */
  readonly listed: Map<string, ReadonlyMap<string, Row>>;
  readonly problems: Map<string, Diagnostic[]>;
  readonly results: Map<string, Outcome['result']>;
  /** Addresses for which a request was sent. */
  readonly sent: Set<string>;
  /** When requests were sent that had to wait, by the clock that only grows. */
  readonly sentAt: Map<string, number>;
  /** Addresses whose create was sent twice, and where a twin may be. */
  readonly repeated: Map<string, NonNullable<StateRecord['repeated']>>;
  /** Addresses for which a request was sent that may land later than anybody looked. */
  readonly lost: Set<string>;
  /** Addresses a write for which was executed, or may have been. */
  readonly written: Set<string>;
  readonly clock: Clock;
  readonly fenceMs: number;
  readonly deploying: Deploying;
  /** What is known of the deployments of each service. */
  readonly deployed: Map<string, Deployed>;
  /** The services that owe a deployment as soon as something is sent for an address. */
  readonly debtors: ReadonlyMap<string, readonly string[]>;
  /** What was written down of debts, by the service. */
  readonly debts: Map<string, Promise<void>>;
  /** Services as they were when everything below them was read back. */
  readonly readBack: Map<string, Row>;
  readonly traffic: Traffic;
  readonly outputs: Outputs;
  /** Why nothing new is started. */
  stopped: string | undefined;
  /** An error of Trueup itself. */
  defect: { readonly error: unknown } | undefined;
}

/** Begins a run: nothing is sent yet. */
export function startRun(input: ApplyInput): Run {
  const { plan } = input;
  const ids = new Map<string, string>();
  const rows = new Map<string, Row>();
  const lanes = new Map<string, Action[]>();
  const needed = new Set<string>();
  const actions = new Map(plan.actions.map((action) => [action.address, action]));
  const clock = input.clock ?? systemClock;
  for (const action of plan.actions) {
    const lane = lanes.get(action.lane);
    if (lane === undefined) lanes.set(action.lane, [action]);
    else lane.push(action);
    for (const address of action.dependsOn) needed.add(address);
    if (action.id !== undefined) ids.set(action.address, action.id);
    const row = plan.observed.objects.get(action.address)?.row;
    // The outputs of an object that is about to be replaced are not those of the new one.
    if (row !== undefined && action.action !== 'replace') rows.set(action.address, row);
  }
  return {
    input,
    ids,
    claimed: claimedBefore(plan),
    rows,
    actions,
    lanes,
    needed,
    before: new Map(),
    records: new Map(),
    kept: new Map(),
    turns: new Map(),
    listed: new Map(),
    problems: new Map(),
    results: new Map(),
    sent: new Set(),
    repeated: repeatedBefore(plan),
    sentAt: new Map(),
    lost: new Set(),
    written: new Set(),
    clock,
    fenceMs: input.fenceMs ?? usualFenceMs,
    deploying: input.deploying ?? { waits: true, limitMs: () => usualLimitMs },
    deployed: deployedBefore(plan),
    debtors: debtorsOf(plan),
    debts: new Map(),
    readBack: new Map(),
    traffic: { running: 0, movedAt: clock.monotonic() },
    stopped: undefined,
    defect: undefined,
    outputs: ({ address, output }) => {
      const row = rows.get(address);
      const kind = actions.get(address)?.kind;
      return row === undefined || kind === undefined ? undefined : outputValue(kind, output, ids.get(address), row);
    },
  };
}

/** What a new object cannot be. */
function claimedBefore({ observed, base }: Plan): Set<string> {
  const known = Object.values(base.resources).flatMap(({ id }) => id ?? []);
  return new Set([...observed.listed, ...known]);
}

/** The creates that were sent twice, or are about to be: an earlier run sent them, and nothing of them shows. */
function repeatedBefore({ actions, base }: Plan): Run['repeated'] {
  const found: Run['repeated'] = new Map();
  for (const action of actions) {
    const known = base.resources[action.address];
    if (known?.repeated !== undefined) found.set(action.address, known.repeated);
    if (isMade(action) && known?.id === null && known.intent !== undefined) noteRepeated(found, action, known.intent);
  }
  return found;
}

/** Remembers of a create that is sent once more where the twin may be that the one before it may make. */
export function noteRepeated(repeated: Run['repeated'], { address }: Action, { key, below }: Partial<Intent>): void {
  const known = repeated.get(address);
  const places = known === undefined || known === true ? [] : known;
  const place = key === undefined ? [] : [{ key, ...(below === undefined ? {} : { below }) }];
  const fresh = place.filter((one) => !places.some((other) => same(one, other)));
  repeated.set(address, places.length + fresh.length === 0 ? true : [...places, ...fresh]);
}

/** Gives an action the object with an id; no other can have it then. */
export function claim(run: Run, address: string, id: string): void {
  run.ids.set(address, id);
  run.claimed.add(id);
}

/** The action whose object holds everything in a lane. */
export function laneRoot(run: Run, lane: string): Action {
  const root = run.actions.get(lane);
  if (root === undefined) throw new Error(`no action at ${lane}`);
  return root;
}

/** The lane as it was a few seconds ago at most: read once for all requests that follow one another quickly. */
export function laneBefore(
  run: Run,
  lane: string,
  { isAnew = false, client }: { readonly isAnew?: boolean; readonly client?: Client } = {},
): Promise<LaneRow | 'gone'> {
  const now = run.clock.monotonic();
  const known = run.before.get(lane);
  const id = run.ids.get(lane);
  if (known?.id === id && known !== undefined && !isAnew && now - known.since <= freshMs) return known.reading;
  const reading = id === undefined ? Promise.resolve('gone' as const) : readOwn(run, laneRoot(run, lane), id, client);
  run.before.set(lane, { id, since: now, reading });
  reading.catch(() => run.before.delete(lane)); // it may be read the next time
  return reading;
}

/** Reads the object of a lane. What this run made may show a little later than it was made. */
export function readOwn(run: Run, root: Action, id: string, client = run.input.client): Promise<LaneRow | 'gone'> {
  const look = () => readLane(client, root, id);
  return lookUntil(run, look, { isSeen: (seen) => seen !== 'gone' || !isMade(root) });
}

/** What the state is to hold of an action's object. */
export function recordOf(run: Run, action: Action, id: string | null, pairs: StateRecord['pairs']): StateRecord {
  const deployed = run.deployed.get(action.address);
  const repeated = run.repeated.get(action.address);
  return {
    kind: action.kind.kind,
    id,
    parent: action.parent ?? null,
    dependsOn: action.dependsOn,
    pairs,
    options: action.options,
    ...(repeated === undefined ? {} : { repeated }),
    ...(deployed === undefined ? {} : { deployed }),
  };
}

/** The record of an address as this run wrote it last, else as it was before. */
export function recordNow(run: Run, address: string): StateRecord | undefined {
  return run.records.get(address) ?? run.input.plan.base.resources[address];
}

/**
 * Keeps a record for the state; it is on the disk when this resolves, unless nothing was sent for it. One that cannot be
 * written down is as if it never was: what it announces is not sent, and what it tells of is found by the next run.
 */
export async function save(
  run: Run,
  address: string,
  content: StateRecord | null,
  how?: 'with the rest',
): Promise<void> {
  const { records, kept, input } = run;
  records.set(address, content); // at once: what is saved next goes on from it
  try {
    if (how === undefined) await input.store.append(input.plan.base, address, content);
    kept.set(address, content);
  } catch (error) {
    const last = kept.get(address);
    if (last === undefined) records.delete(address);
    else records.set(address, last);
    throw error;
  }
}

/**
 * Tells of a failure, after some of which nothing new is started. What is no failure of the platform or the disk is ours,
 * and is thrown once the state is saved.
 */
export function complain(run: Run, action: Action, error: unknown): void {
  const about = { address: action.address, position: action.position };
  if (error instanceof Stop) {
    for (const item of error.diagnostics) report(run, action, item);
    if (error.failure === 'state') run.stopped = 'the state cannot be saved';
    if (error.failure === 'locked') run.stopped = 'the lock of the state is lost';
  } else if (error instanceof PlatformError) {
    report(run, action, diagnostic('platform-answer', error.message, about));
    if (isShutOut(error)) run.stopped = 'the platform takes no more requests';
  } else {
    run.defect ??= { error };
    run.stopped = 'of an internal error';
  }
}

/** Whether the platform accepts the key no more, or has taken no requests for longer than anybody waits. */
function isShutOut({ failure, code }: PlatformError): boolean {
  return failure === 'throttled' || (failure === 'authentication' && code === undefined);
}

/** Adds something to what is said of an action. */
export function report(run: Run, action: Action, item: Diagnostic): void {
  const list = run.problems.get(action.address);
  if (list === undefined) run.problems.set(action.address, [item]);
  else list.push(item);
}
