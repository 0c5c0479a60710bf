import { attempts } from '../api/attempts.ts';
import { PlatformError, lacksRight } from '../api/platform-error.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import type { Row } from '../formats/json.ts';
import type { ContainerList } from '../kind/service.ts';
import { withinOf } from '../kind/written-keys.ts';
import type { Unit } from '../observe/containers.ts';
import { lastLines } from '../observe/listed-deployments.ts';
import { isUnserved } from '../observe/reader.ts';
import { createsObject, isDeployment } from '../plan/action.ts';
import type { PendingDeploy } from '../state/record.ts';
import { type Run, timeNow } from './apply-run.ts';
import { type DeployedService, isAwaited, notify } from './deploy-request.ts';
import { type Look, type Verdict, judge, shownIn, startedIn } from './health.ts';
import { report } from './job.ts';
import { readerOfMany } from './rows.ts';

/** The containers of a service right before its deployment, and when they were read (monotonic ms). */
export interface UnitsBefore {
  /** undefined: not known. */
  readonly units: readonly Unit[] | undefined;
  readonly since: number;
}

/**
 * The end of the wait for a service to come up. `units`: its containers then. `rest`: resolves at the end of its watch, or
 * after one look as soon as the signal aborts, with a fault where it has one.
 */
export type Health =
  | {
      readonly is: 'up';
      readonly units?: readonly Unit[];
      readonly rest?: (early: AbortSignal) => Promise<Fault | undefined>;
    }
  /** `known`: what the last look showed, as a clause. */
  | { readonly is: 'interrupted'; readonly known: string }
  | ({ readonly is: 'down' } & Fault);

/** Why a service does not stay up, with the last lines of the log of the container. */
export interface Fault {
  readonly why: string;
  readonly lines: readonly string[];
}

/** The containers of a service before its deployment; none are read of one that was never deployed. */
export async function unitsBefore(service: DeployedService, row: Row): Promise<UnitsBefore> {
  const { run, root, job } = service;
  const list = listOf(service, row);
  const since = run.clock.monotonic();
  const isNew = isDeployment(job.action) && job.action.start === 'first';
  if (isNew || createsObject(root.action)) return { units: [], since };
  const units = list === undefined || list.isEmpty ? undefined : await unitsOf(run, list);
  return { units, since };
}

/** The same of a deployment that an earlier run started: its containers started after its request. */
export function sentBefore(run: Run, { at }: PendingDeploy): UnitsBefore {
  return { units: undefined, since: run.clock.monotonic() - Math.max(0, timeNow(run) - at) };
}

/** Waits until a service that was deployed holds. Its health may stay unknown, which is no fault. Never throws. */
export async function comeUp(service: DeployedService, row: Row, before: UnitsBefore): Promise<Health> {
  const { run } = service;
  const list = listOf(service, row);
  if (list === undefined || list.isEmpty) return { is: 'up' };
  const watch = {
    service,
    list,
    before,
    over: run.clock.monotonic(),
    started: new Map<string, number>(),
    up: new Map<string, number>(),
  };
  const { signal } = run.input;
  for (let pause: number = attempts.health.firstPauseMs; ;) {
    const look = await lookAt(watch);
    const verdict: Verdict = look === undefined ? unread(watch) : judge(look);
    switch (verdict.is) {
      case 'holds':
        return look === undefined ? { is: 'up' } : held(watch, look);
      case 'fails':
        return { is: 'down', ...(await faultOf(service, verdict)) };
      case 'not known':
        return unknown(service, verdict.why);
      case 'wait':
        break;
      default:
        return verdict satisfies never;
    }
    if (signal?.aborted === true) return { is: 'interrupted', known: run.input.client.redact(shownIn(look)) };
    if (pause === attempts.health.firstPauseMs) notify(service, 'health', limitOf(service).withinMs);
    await run.rounds.pause(Math.max(attempts.health.minPauseMs, Math.min(pause, verdict.forMs || pause)), signal);
    pause = Math.min(pause * attempts.health.pauseGrowth, attempts.health.longestPauseMs);
  }
}

/** The judgement where the containers could not be read: an error of the platform may pass. */
function unread({ service: { run, ...service }, list, over }: Watched): Verdict {
  const refused = run.health.refused.get(list.call);
  if (refused !== undefined) return { is: 'not known', why: refused };
  const isOut = run.clock.monotonic() - over >= limitOf(service).withinMs;
  return isOut ? { is: 'not known', why: 'its containers cannot be read' } : { is: 'wait', forMs: 0 };
}

/** Reports which services' health is not known: once in a run, however many there are. */
export function reportUnknown(run: Run): void {
  const { unknown: reasons } = run.health;
  const [first] = [...reasons.values()].flat();
  if (first === undefined) return;
  const clauses = [...reasons].map(([why, jobs]) => `${someOf(jobs.map(({ action }) => action.block))}: ${why}`);
  const about = { address: first.action.address, details: clauses.length === 1 ? [] : clauses };
  const what = clauses.length === 1 ? clauses[0] : 'the reasons are below';
  report(first, unknownHealth(`whether containers stay up after the deployment is not known: ${what}`, about));
}

function unknownHealth(message: string, about: Pick<Diagnostic, 'address' | 'details'>): Diagnostic {
  return diagnostic('unverified', message, {
    ...about,
    remedy: 'Nothing, if trueup status shows the services as running.',
  });
}

interface Watched {
  readonly service: DeployedService;
  readonly list: ContainerList;
  readonly before: UnitsBefore;
  /** When the deployment was over (monotonic ms). */
  readonly over: number;
  /** When each unit started, at the latest, by its key (monotonic ms). */
  readonly started: Map<string, number>;
  /** When each unit came up, at the latest, by its id (monotonic ms). */
  readonly up: Map<string, number>;
}

/** A look at the containers; undefined where they cannot be read. */
async function lookAt(
  watch: Watched,
  held?: { readonly ids: ReadonlySet<string>; readonly at: number },
): Promise<Look | undefined> {
  const { service, list, before, over, started, up } = watch;
  const { run, kind } = service;
  // The answer shows a moment between these two; in doubt, the one that fails nothing counts.
  const asked = run.clock.monotonic();
  const units = await unitsOf(run, list);
  if (units === undefined) return undefined;
  const at = run.clock.monotonic();
  const { withinMs, isStrict } = limitOf(service);
  const until = Math.max(before.since + run.input.deploying.limitMs(kind.kind), over + withinMs);
  const now = list.isChecked
    ? units.map((unit) => (unit.is === 'up' ? { ...unit, health: 'healthy' as const } : unit))
    : units;
  const { of, rollsBackMs } = list;
  for (const { id, is, ageMs = 0 } of now) if (is === 'up') up.set(id, Math.min(up.get(id) ?? Infinity, asked - ageMs));
  const seen = { before: before.units, now, of, sinceMs: at - before.since };
  for (const { key, agoMs } of startedIn(seen))
    if (!started.has(key)) started.set(key, Math.max(before.since, at - agoMs));
  return {
    ...seen,
    overMs: asked - over,
    startedMs: agesAt(asked, started),
    withinMs,
    isStrict,
    rollsBackMs,
    upMs: agesAt(at, up),
    held: held && { ids: held.ids, agoMs: asked - held.at },
    isLast: asked >= until,
  };
}

function agesAt(at: number, times: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...times].map(([key, from]) => [key, at - from]));
}

/** The service holds; the rest of its watch is one more look at its end. */
function held(watch: Watched, look: Look): Health {
  const { service } = watch;
  const { run } = service;
  const ages = look.now.flatMap(({ is, ageMs }) => (is === 'up' && ageMs !== undefined ? [ageMs] : []));
  const leftMs = look.withinMs - Math.min(look.withinMs, ...ages);
  const up = { is: 'up', units: look.now } as const;
  if (leftMs <= 0 || look.isLast) return up;
  const { signal } = run.input;
  const at = run.clock.monotonic();
  const ids = new Set(look.now.flatMap(({ id, is }) => (is === 'up' ? id : [])));
  const rest = async (early: AbortSignal): Promise<Fault | undefined> => {
    const ends = signal === undefined ? early : AbortSignal.any([early, signal]);
    // A round of others ends a pause sooner.
    for (
      let left = leftMs;
      left > attempts.health.minPauseMs && !ends.aborted;
      left = at + leftMs - run.clock.monotonic()
    )
      await run.rounds.pause(left, ends);
    const after = signal?.aborted === true ? undefined : await lookAt(watch, { ids, at });
    const verdict = after && judge(after);
    return verdict?.is === 'fails' ? faultOf(service, verdict) : undefined;
  };
  return { ...up, rest };
}

/** How long a service is watched, as its block says. */
function limitOf({ root }: Pick<DeployedService, 'root'>): { readonly withinMs: number; readonly isStrict: boolean } {
  const given = withinOf(root.action.options['health']);
  return { withinMs: given ?? attempts.health.withinMs, isStrict: given !== undefined };
}

/** The list of the containers of a service; undefined where nothing is to be known of them. */
function listOf(service: DeployedService, row: Row): ContainerList | undefined {
  return isAwaited(service) ? service.kind.service?.containers?.(row) : undefined;
}

/** The containers in a list; undefined where they cannot be read. A refusal is not asked for again in this run. */
async function unitsOf(run: Run, list: ContainerList): Promise<readonly Unit[] | undefined> {
  const { client } = run.input;
  const { refused } = run.health;
  const missing = `the platform has no operation ${list.call}`;
  if (!client.contract.operations.has(list.call)) refused.set(list.call, missing);
  if (refused.has(list.call)) return undefined;
  try {
    return (await readerOfMany(run).units(list)).filter((unit) => isOwn(unit, list));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (isUnserved(error))
      refused.set(list.call, lacksRight(error) ? `the API key lacks the right to ${list.call}` : missing);
    return undefined;
  }
}

/** Whether a unit is of the service, and not of a neighbour whose name begins in the same way. */
function isOwn({ name }: Unit, { of, members }: ContainerList): boolean {
  return of !== 'tasks' || name.slice(0, name.lastIndexOf('.')) === members['appName'];
}

function unknown({ run, job }: DeployedService, why: string): Health {
  const jobs = run.health.unknown.get(why) ?? [];
  run.health.unknown.set(why, [...jobs, job]);
  return { is: 'up' };
}

async function faultOf(service: DeployedService, { why, unit }: Extract<Verdict, { is: 'fails' }>): Promise<Fault> {
  return { why: service.run.input.client.redact(why), lines: await logOf(service, unit) };
}

/** The end of the log of a service; of one with several containers, that of one of them. */
export async function logOf({ run, kind, id }: DeployedService, unit: Unit | undefined): Promise<readonly string[]> {
  const { ownLogLines: tail } = attempts.deployment;
  const { reader } = run;
  if (kind.service?.containerLog === undefined) return lastLines(await reader.log(kind, id, { tail }, 'once'), tail);
  return unit === undefined ? [] : lastLines(await reader.containerLog(kind, id, { containerId: unit.id, tail }), tail);
}
