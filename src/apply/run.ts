import type { Client } from '../api/client.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { outputValue } from '../kind/wire.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Action, Plan } from '../plan/action.ts';
import { debtorsOf, deployedBefore } from '../plan/debts.ts';
import type { Reader } from '../observe/reader.ts';
import { createReader } from '../observe/reader.ts';
import type { Clock } from '../state/clock.ts';
import { systemClock } from '../state/clock.ts';
import type { Deploys } from '../state/pending.ts';
import type { StateRecord } from '../state/record.ts';
import type { StateStore } from '../state/state.ts';
import type { Traffic } from './follow.ts';
import type { LaneRow } from './read-back.ts';
import type { ApplyEvent, Outcome } from './result.ts';
import type { Duplicates } from './twins.ts';
import { duplicatesBefore } from './twins.ts';

/** What applying a plan needs. */
export interface ApplyInput {
  readonly plan: Plan;
  /** All that there are: what is below an object may be of any. */
  readonly kinds: readonly Kind[];
  readonly client: Client;
  readonly store: StateStore;
  readonly digest: (text: string) => string;
  /** Told of every value that must not show in text that comes from elsewhere. */
  readonly addSecret: (value: string) => void;
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

/** How services are deployed. */
export interface Deploying {
  /** false: a deployment that the platform took is not waited for. */
  readonly waits: boolean;
  /** The longest that a deployment of a kind may take. Milliseconds. */
  readonly limitMs: (kind: string) => number;
}

/** How long a request that got no answer may take to land when nobody says another time. Milliseconds. */
export const usualFenceMs = 60_000;

/** The longest that a deployment may take when nobody says another time. Milliseconds. */
const usualLimitMs = 900_000;

/** A lane that was read, or is being read: of which object, and since when by the clock that only grows. */
interface LaneReading {
  readonly id: string | undefined;
  readonly since: number;
  readonly reading: Promise<LaneRow | 'gone'>;
}

/** The changing facts of a run. */
export interface Run {
  readonly input: ApplyInput;
  readonly reader: Reader;
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
  /** When the last request of an address was sent, by the clock that only grows. */
  readonly sentAt: Map<string, number>;
  /** Addresses whose create was sent more than once, and where a duplicate may be. */
  readonly duplicates: Duplicates;
  /** Addresses for which a request was sent that may land later than anybody looked. */
  readonly lost: Set<string>;
  /** Addresses a write for which was executed, or may have been. */
  readonly written: Set<string>;
  readonly clock: Clock;
  readonly fenceMs: number;
  readonly deploying: Deploying;
  /** What is known of the deployments of each service. */
  readonly deployed: Map<string, Deploys>;
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
    reader: createReader(input.client),
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
    duplicates: duplicatesBefore(plan),
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
