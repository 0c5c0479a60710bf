import { someOf } from '../diagnostics/some-of.ts';
import type { Unit } from '../observe/containers.ts';

/** One look at a service after its deployment. Times in milliseconds. */
export interface Look {
  /** Its containers or tasks before the deployment; undefined: not known, so those that started after its request count. */
  readonly before: readonly Unit[] | undefined;
  readonly now: readonly Unit[];
  /** `tasks`: of Swarm. `stack`: the same, where a deployment replaces only what changed. */
  readonly of: 'containers' | 'tasks' | 'stack';
  /** Since the request of the deployment. */
  readonly sinceMs: number;
  /** Since the deployment was over. */
  readonly overMs: number;
  /** How long a unit has run at most, by its key: since a look first showed that it had started. */
  readonly startedMs: ReadonlyMap<string, number>;
  /** The time from its start within which a unit has to come up. */
  readonly withinMs: number;
  /** The manifest says `withinMs`: a health check has to succeed within it. Else that decides in its own time. */
  readonly isStrict: boolean;
  /** Swarm puts the former version back when a task fails so soon after it came up; 0: it does not. */
  readonly rollsBackMs: number;
  /** How long ago units came up, at least, by their ids: of those that a look showed as up. */
  readonly upMs: ReadonlyMap<string, number>;
  /** The ids of its units when it held, and how long ago that was; undefined: it did not hold yet. */
  readonly held?: { readonly ids: ReadonlySet<string>; readonly agoMs: number } | undefined;
  /** No time is left for another look. */
  readonly isLast: boolean;
}

/** The judgement of a look. `wait`: at most so long until something can have changed; milliseconds. */
export type Verdict =
  | { readonly is: 'holds' }
  | { readonly is: 'fails'; readonly why: string; readonly unit: Unit }
  | { readonly is: 'not known'; readonly why: string }
  | { readonly is: 'wait'; readonly forMs: number };

/** A unit without a health check holds when it has run for so long. Milliseconds. */
const steadyMs = 10_000;

/** How long a list may lack what a deployment made: Compose answers when its containers are there, Swarm before. Milliseconds. */
const emptyMs = { containers: 2_000, tasks: 10_000, stack: 10_000 } as const;

/** Docker counts in whole seconds, rounded down; and the platform answers a moment later. Milliseconds. */
const secondMs = 1_000;
const slackMs = 2 * secondMs;

/**
 * Judges a service by the units that its deployment made. A deployment that made none is judged by those it left: Compose
 * leaves a container as it is whose configuration did not change. Never throws.
 */
export function judge(look: Look): Verdict {
  if (look.held !== undefined) return afterwards(look, look.held);
  const counted = countedIn(look);
  if (look.now.length === 0 || (counted.length === 0 && look.of === 'tasks')) {
    if (look.overMs < emptyMs[look.of] && !look.isLast) return soon;
    return unknown(look.now.length === 0 ? 'none' : 'none of this deployment');
  }
  const verdicts = slotsOf(counted, look).map((slot) => judgeSlot(slot, look));
  const worst = verdicts.find(({ is }) => is === 'fails') ?? verdicts.find(({ is }) => is === 'not known');
  if (worst !== undefined) return worst;
  const waits = verdicts.flatMap((verdict) => (verdict.is === 'wait' ? verdict.forMs : []));
  return waits.length === 0 ? { is: 'holds' } : { is: 'wait', forMs: Math.min(...waits) };
}

const conditions: Readonly<Record<Unit['is'], string>> = {
  waiting: 'has not started',
  starting: 'starts',
  up: 'runs',
  restarting: 'is started again and again',
  ended: 'ended',
  stopped: 'was stopped',
  unclear: 'is paused',
};

/** What a look showed, as a clause. Never throws. */
export function shownIn(look: Look | undefined): string {
  if (look === undefined) return 'its containers could not be read';
  const units = countedIn(look).map((unit) => `${nameOf(unit, look)} ${conditions[unit.is]}`);
  return units.length === 0 ? 'none of its containers were listed' : someOf(units);
}

/** The units that have started, each with the least time since then. Never throws. */
export function startedIn(look: Seen): readonly { readonly key: string; readonly agoMs: number }[] {
  return countedIn(look).flatMap((unit) =>
    unit.is === 'waiting' ? [] : { key: keyOf(unit, look), agoMs: unit.ageMs ?? 0 },
  );
}

type Seen = Pick<Look, 'before' | 'now' | 'sinceMs' | 'of'>;

/** The units that count: those that the deployment made; where it made none, those that it left. A service of Swarm gets new ones always. */
function countedIn(look: Seen): readonly Unit[] {
  const made = look.now.filter((unit) => isMade(unit, look));
  if (made.length > 0 || look.of === 'tasks') return made;
  return look.now.filter(({ is }) => is !== 'ended' && is !== 'stopped');
}

const soon: Verdict = { is: 'wait', forMs: 0 };

function unknown(what: 'none' | 'none of this deployment'): Verdict {
  const why =
    what === 'none' ? 'the platform lists no containers of it' : 'the platform lists no task of this deployment';
  return { is: 'not known', why };
}

/** What follows one another in a place: a container for itself, the tasks of a slot of Swarm. */
function keyOf(unit: Unit, { of }: Pick<Look, 'of'>): string {
  return of === 'containers' ? unit.id : unit.name;
}

/** Whether the deployment made or started a unit. */
function isMade(unit: Unit, { before, sinceMs, of }: Seen): boolean {
  const known = before?.find(({ id }) => id === unit.id);
  // A later run finds what runs since, and what ended since.
  const isOver = unit.is === 'ended' || unit.is === 'stopped';
  if (before === undefined) return !isOver || (unit.is === 'ended' && (unit.ageMs ?? Infinity) <= sinceMs);
  if (known === undefined) return true;
  // Compose starts a container again that had ended; Swarm makes another task.
  const isStarted = unit.is !== known.is || (unit.is === 'ended' && (unit.ageMs ?? Infinity) <= sinceMs);
  return (known.is === 'waiting' || (known.is === 'ended' && of === 'containers')) && isStarted;
}

/** The units of one place, the newest first, and those of the same place that were there before. */
interface Slot {
  readonly key: string;
  readonly units: readonly [Unit, ...Unit[]];
  readonly earlier: readonly Unit[];
}

function slotsOf(made: readonly Unit[], look: Look): Slot[] {
  const keys = [...new Set(made.map((unit) => keyOf(unit, look)))];
  const services = new Set(made.map((unit) => serviceOf(unit)));
  // The slots of a service are replaced one after another.
  const others = look.now.filter(
    (unit) =>
      look.of !== 'containers' && unit.is === 'up' && !keys.includes(unit.name) && services.has(serviceOf(unit)),
  );
  const slots = keys.flatMap((key): Slot[] => {
    const [first, ...rest] = made.filter((unit) => keyOf(unit, look) === key);
    const earlier = look.now.filter((unit) => keyOf(unit, look) === key && !made.includes(unit));
    return first === undefined ? [] : [{ key, units: [first, ...rest], earlier }];
  });
  return [
    ...slots,
    ...others.map((unit): Slot => ({ key: unit.name, units: [{ ...unit, is: 'waiting' }], earlier: [] })),
  ];
}

/** The service of a task: its name without its number, or the node. */
function serviceOf({ name }: Unit): string {
  return name.slice(0, name.lastIndexOf('.'));
}

function judgeSlot({ key, units, earlier }: Slot, look: Look): Verdict {
  const [unit] = units;
  const failed = units.find(({ is, fault }) => is === 'ended' && fault !== undefined);
  const isUpdate = look.before === undefined ? earlier.some(({ is }) => is === 'stopped') : look.before.length > 0;
  const isBack = unit.is === 'stopped' && earlier.some(({ is }) => is === 'up');
  if (look.of !== 'containers' && isUpdate && (isBack || (failed !== undefined && mayRollBack(failed, look)))) {
    const reason = failed === undefined ? '' : `: ${nameOf(failed, look)}: ${failed.fault}`;
    return { is: 'fails', why: `Swarm put the former version back${reason}`, unit: failed ?? unit };
  }
  const leftMs = look.isLast ? 0 : look.withinMs - (look.startedMs.get(key) ?? 0);
  const within = `within ${look.withinMs / 1_000} s`;
  const fails = (why: string): Verdict => ({ is: 'fails', why: `${nameOf(unit, look)}: ${why}`, unit });
  const untilEnd = (why: string): Verdict => (leftMs <= 0 ? fails(why) : { is: 'wait', forMs: leftMs });
  switch (unit.is) {
    case 'up':
      if (unit.health === 'unhealthy') return untilEnd('its health check fails');
      if (unit.health === 'healthy') return { is: 'holds' };
      // One that restarts again and again may run for a while each time.
      return isSteady(unit) ? { is: 'holds' } : { is: 'wait', forMs: steadyMs - (unit.ageMs ?? 0) };
    case 'starting': {
      const why = `its health check did not succeed ${look.isStrict ? within : 'in time'}`;
      return look.isStrict || look.isLast ? untilEnd(why) : { is: 'wait', forMs: steadyMs };
    }
    case 'restarting':
      return untilEnd(`it is started again and again: ${unit.fault}`);
    case 'ended':
      if (unit.fault === undefined) return { is: 'holds' };
      // Swarm starts another task in its place.
      return look.of === 'containers' ? fails(unit.fault) : untilEnd(unit.fault);
    case 'waiting':
      return judgeWaiting(unit, units, look);
    case 'stopped':
    case 'unclear':
      return leftMs > 0
        ? { is: 'wait', forMs: leftMs }
        : { is: 'not known', why: `${nameOf(unit, look)} is paused or was ended by somebody else` };
    default:
      return unit.is satisfies never;
  }
}

/** Whether Swarm may take a version back for a task that failed: of one that had come up long before, it starts another one. */
function mayRollBack({ id, ageMs = 0 }: Unit, { rollsBackMs, upMs }: Look): boolean {
  const ranMs = (upMs.get(id) ?? 0) - ageMs - secondMs;
  return rollsBackMs > 0 && ranMs <= rollsBackMs;
}

/** One that does not run yet may pull its image until the deployment is out of time; after a fault it comes once more. */
function judgeWaiting(unit: Unit, [, ...former]: readonly Unit[], look: Look): Verdict {
  const fault = former.find((one) => one.fault !== undefined)?.fault ?? unit.error;
  const started = look.startedMs.get(keyOf(unit, look)) ?? (unit.error === undefined ? undefined : look.overMs);
  const isOut = look.isLast || (fault !== undefined && started !== undefined && started >= look.withinMs);
  if (!isOut) return { is: 'wait', forMs: steadyMs };
  return { is: 'fails', why: `${nameOf(unit, look)}: ${fault ?? 'it did not start in time'}`, unit };
}

function isSteady({ ageMs = 0 }: Unit): boolean {
  return ageMs >= steadyMs;
}

/** Judges a service that held: a unit that ends or starts again within the watch does not. */
function afterwards(look: Look, { ids, agoMs }: NonNullable<Look['held']>): Verdict {
  const fallen = look.now.find((unit) => {
    if (!ids.has(unit.id)) return false;
    const isAgain = unit.is === 'up' && (unit.ageMs ?? Infinity) + slackMs < agoMs;
    return isAgain || unit.health === 'unhealthy' || unit.is === 'restarting' || unit.fault !== undefined;
  });
  if (fallen === undefined) return { is: 'holds' };
  const why =
    fallen.fault ?? (fallen.health === 'unhealthy' ? 'its health check fails' : 'it ended and was started again');
  return { is: 'fails', why: `${nameOf(fallen, look)}: ${why}, after it had come up`, unit: fallen };
}

function nameOf({ name }: Unit, { of }: Pick<Look, 'of'>): string {
  return `${of === 'containers' ? 'container' : 'task'} ${name}`;
}
