import type { WireRequest } from '../../../src/api/wire.ts';
import type { LoggedRequest } from '../../../src/emulator/emulator.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { addRow, seedWorld } from '../../../src/emulator/world.ts';
import type { Json, Row } from '../../../src/formats/json.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import type { Manifest } from '../../../src/manifest/manifest.ts';
import type { Plan } from '../../../src/plan/action.ts';
import { kinds } from '../../../src/resources/index.ts';
import type { DeploymentWatch } from '../../support/deployment-watch.ts';
import { watchDeployments } from '../../support/deployment-watch.ts';
import { testBulk } from '../../support/profile.ts';
import type { Bench } from '../../support/world.ts';
import { bench } from '../../support/world.ts';
import type { SelfMovingClock } from '../../support/virtual-clock.ts';
import { selfMovingClock } from '../../support/virtual-clock.ts';
import type { Declared } from './declared.ts';
import type { Snapshot } from './platform.ts';
import type { Prediction } from './prediction.ts';

/** What a field was wanted to be, and what the platform had, when they were settled last. */
export interface Pair {
  readonly wanted: string;
  readonly answered: string;
}

/** What is remembered of an object that is ours. */
export interface Memory {
  readonly kind: Kind;
  /** '' while nobody knows it. */
  readonly id: string;
  readonly protect: boolean;
  readonly pairs: Readonly<Record<string, Pair>>;
  /** Ids of ours in sets that others add to. */
  readonly sets: Readonly<Record<string, readonly string[]>>;
  readonly envKeys: readonly string[];
  /**
   * By the name of the part, what was changed by hand while a run wrote it: that cannot be told from another form that
   * the platform gives it, and is left.
   */
  readonly taken: Readonly<Record<string, Pair>>;
  /** A run ended before it knew what became of its create. */
  readonly intended: Intended | undefined;
}

/** The object that a create was to make. */
export interface Intended {
  readonly parentId: string | undefined;
  readonly key: Readonly<Record<string, Json>>;
  /** The values that the create sent. Empty for an object that nobody can read before it is connected. */
  readonly says: Readonly<Record<string, Json>>;
}

/** By address. */
export type Memories = ReadonlyMap<string, Memory>;

/** What somebody did by hand while a run went on. */
export interface Deed {
  readonly kind: Kind;
  readonly id: string;
  /** undefined: the whole object came or went. */
  readonly column: string | undefined;
  readonly was: unknown;
  readonly value: unknown;
  /** Nothing had been sent yet by the run. */
  readonly isFirst: boolean;
}

/** What happened between the first run for one manifest and the end of that. */
export interface Episode {
  readonly is: 'apply' | 'destroy';
  readonly declared: Declared;
  readonly manifest: Manifest;
  readonly before: Snapshot;
  readonly prediction: Prediction;
  readonly ordersBefore: ReadonlyMap<string, number>;
  /** The first plan. */
  readonly planned: Plan;
  /** How often something went wrong. */
  hits: number;
  /** Why it is not over; undefined: it is. */
  unfinished: string | undefined;
}

/** A plan that was put into a file, and what it was made from. */
interface Filed {
  readonly text: string;
  readonly from: string;
}

/** A history while it happens. */
export interface Run {
  readonly made: Bench;
  /** That of the bench. */
  readonly clock: SelfMovingClock;
  /** What runs, as somebody sees it who looks at the platform only. */
  readonly watch: DeploymentWatch;
  /** Nothing of it comes from the state, unless a run was left half done. */
  memory: Memories;
  episode: Episode | undefined;
  filed: Filed | undefined;
  /** Why the last run was refused. */
  refusal: string | undefined;
  /** What was done by hand during the run that is going on, or was the last one. */
  deeds: Deed[];
  /** The ids that somebody named who did something by hand, at any time. */
  readonly touched: Set<string>;
  /** In words, everything that ever happened. */
  readonly happened: Set<string>;
  /** How much of the log of the platform was looked at. */
  seen: number;
  /** Requests that were carried out later than their runs looked. */
  readonly late: Set<LoggedRequest>;
  /** Those that are still to be carried out, with when they are. */
  readonly underway: Map<WireRequest, Promise<void>>;
  /** A run was left half done, and since then nothing was settled. */
  isHalfDone: boolean;
  /** Services that somebody deployed then: the engine cannot know whether that took everything in. */
  readonly doubtful: Set<string>;
  /** Somebody acts by hand right now. */
  isByHand: boolean;
  /** The manifest that was read last. */
  read: { readonly tree: Declared['tree']; readonly manifest: Manifest } | undefined;
}

/** Begins a history: with a licence, which some rights need, and two members whose rights can be changed. */
export function newRun(folder: string, happened = new Set<string>()): Run {
  const world = { ...seedWorld(), everyServerAnswers: true as const };
  Object.assign(world.tables.user['user_1'] ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  for (const name of ['member', 'other']) {
    addRow(world, 'user', { id: `user_${name}`, email: `${name}@example.test` });
    addRow(world, 'member', { id: name, userId: `user_${name}`, organizationId: 'org_1', role: 'member' });
  }
  const counts = { id: 0, hand: 0 };
  // So that what people make bears the same id whatever the engine does.
  const newId = () => (run.isByHand ? `hand_${++counts.hand}` : `id_${++counts.id}`);
  const clock = selfMovingClock();
  const emulator = createEmulator({ world, newId, batches: testBulk, now: () => new Date(clock.wall()) });
  const watch = watchDeployments(emulator);
  const run: Run = {
    // Histories and predictions have the words of the API document; only the wire has those of the profile.
    made: bench({ emulator, folder, clock, kinds }),
    clock,
    watch,
    memory: new Map(),
    episode: undefined,
    filed: undefined,
    refusal: undefined,
    deeds: [],
    touched: new Set(),
    happened,
    seen: 0,
    late: new Set(),
    underway: new Map(),
    isHalfDone: false,
    doubtful: new Set(),
    isByHand: false,
    read: undefined,
  };
  return run;
}

/** The addresses that the state has. */
export function recorded({ made }: Run): string[] {
  return Object.keys(made.store.state?.resources ?? {});
}

/** The id that the state has for an address. */
export function idAt({ made }: Run, address: string): string | undefined {
  return made.store.state?.resources[address]?.id ?? undefined;
}

/** What is written as `<id of ADDRESS>` is the id that the state has. */
export function withIds(run: Run, input: Readonly<Record<string, Json>>): Row {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const address = typeof value === 'string' ? /^<id of (.*)>$/.exec(value)?.[1] : undefined;
      return [name, address === undefined ? value : (idAt(run, address) ?? value)];
    }),
  );
}

/** Writes ids of the state as `<id of ADDRESS>`. */
export function withoutIds({ made }: Run, input: Row): Readonly<Record<string, Json>> {
  const addresses = new Map(
    Object.entries(made.store.state?.resources ?? {}).map(([address, { id }]) => [id, address]),
  );
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const address = typeof value === 'string' ? addresses.get(value) : undefined;
      return [name, address === undefined ? (value as Json) : `<id of ${address}>`];
    }),
  );
}
