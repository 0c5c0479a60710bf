import { attempts } from '../api/attempts.ts';
import { groupBy } from '../kind/group.ts';

/** One piece of work. */
export interface Task {
  readonly name: string;
  /** Tasks of one scope run one at a time. Without a scope a task does no work: it is over when nothing precedes it. */
  readonly scope: string | undefined;
  /** It waits most of its time, and takes no worker. */
  readonly isWaiting?: true;
  /** It runs together with others of its sort, unless another task comes after it. It takes no worker. */
  readonly isGathered?: true;
  /** It runs also when nothing else may begin any more. */
  readonly runsWhenStopped?: true;
}

/** `success`: `from` must succeed before `to` begins; `over`: it must be over, whatever its result. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly is: 'success' | 'over';
}

/** The result of a task; a skipped one names the task that did not succeed, or says why nothing may begin any more. */
export type Fate = 'done' | 'failed' | { readonly skipped: string };

/** The tasks, and how to run them. */
export interface ScheduleInput<T extends Task> {
  /** In the order in which they begin where no edge decides. */
  readonly nodes: readonly T[];
  /** An edge from a task that is not among the nodes counts for nothing. */
  readonly edges: readonly Edge[];
  readonly concurrency: number;
  /**
   * Does the work of a task after the tasks that had to succeed. One that rejects has failed. `next` gives the tasks that
   * begin next, as far as they are ready.
   */
  readonly run: (task: T, after: readonly T[], next: () => readonly T[]) => Promise<'done' | 'failed'>;
  /** Does the work of tasks that were gathered; they are done when it resolves. */
  readonly runTogether: (tasks: readonly T[]) => Promise<void>;
  /** Calls a task every few seconds until the result is called; whatever is gathered runs then. By default it waits. */
  readonly beat?: (task: () => void) => () => void;
  /** `because`: the task that did not succeed, or why nothing may begin any more. */
  readonly skipped: (task: T, because: T | string) => void;
  /** Says why nothing new may begin; undefined while everything is well. */
  readonly stopped: () => string | undefined;
}

/** Most tasks that wait at a time: what they wait for does not go faster when more of them poll. */
const mostWaiting = 16;

/** Most tasks that are gathered before they run: as many as there are reads in one request. */
const mostGathered = attempts.batch.mostItems;

/** A task among the others. */
interface Place<T extends Task> {
  readonly task: T;
  /** Tasks that must succeed before. */
  readonly after: Place<T>[];
  /** Tasks that wait for this one. */
  readonly dependents: Place<T>[];
  /** How many edges still hold it back. */
  waitingFor: number;
  fate: Fate | undefined;
}

/** Tasks that begin by the same rule. */
interface Pool {
  /** The scopes whose next task is ready. */
  readonly ready: string[];
  /** How many more may begin. */
  free: number;
}

/**
 * Runs tasks in the order of their edges, in linear time; a failure skips only what needs its success.
 *
 * @throws whatever the first task that rejected threw, once all tasks are over; an Error when tasks wait for each other, and
 * then none began.
 */
export async function runSchedule<T extends Task>(input: ScheduleInput<T>): Promise<Map<string, Fate>> {
  const places = placesOf(input);
  refuseCircles(places);
  const byName = new Map(places.map((place) => [place.task.name, place]));
  const scopes = new Map<string, { readonly queue: Place<T>[]; isBusy: boolean }>();
  /** Tasks that work, that wait, and that are gathered: none take the places of the others. */
  const pools: Record<'working' | 'waiting' | 'gathered', Pool> = {
    working: { ready: [], free: input.concurrency },
    waiting: { ready: [], free: mostWaiting },
    gathered: { ready: [], free: Infinity },
  };
  let running = 0;
  let isOverdue = false;
  let broken: { readonly error: unknown } | undefined;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const poolOf = ({ task, dependents }: Place<T>) => {
    if (task.isWaiting === true) return pools.waiting;
    return task.isGathered === true && dependents.length === 0 ? pools.gathered : pools.working;
  };

  const enqueue = (place: Place<T>, name: string): void => {
    const scope = scopes.get(name) ?? { queue: [], isBusy: false };
    scopes.set(name, scope);
    scope.queue.push(place);
    if (!scope.isBusy && scope.queue.length === 1) poolOf(place).ready.push(name);
  };

  /** Begins a task that nothing precedes any more; returns its fate when it is over without having run. */
  const begin = (place: Place<T>): Fate | undefined => {
    const culprit = place.after.find(({ fate }) => fate !== 'done');
    if (culprit !== undefined) return { skipped: culpritOf(culprit) };
    if (place.task.scope === undefined) return 'done';
    enqueue(place, place.task.scope);
    return undefined;
  };

  /** Ends tasks and begins what waited for them. */
  const settle = (over: (readonly [Place<T>, Fate | undefined])[]): void => {
    for (let item = over.pop(); item !== undefined; item = over.pop()) {
      const [place, fate] = item;
      if (fate === undefined) continue;
      place.fate = fate;
      if (typeof fate === 'object' && place.task.scope !== undefined) {
        input.skipped(place.task, byName.get(fate.skipped)?.task ?? fate.skipped);
      }
      for (const dependent of place.dependents) {
        dependent.waitingFor--;
        if (dependent.waitingFor === 0) over.push([dependent, begin(dependent)]);
      }
    }
  };

  /** The next task of a scope, and what ends it; undefined when it was skipped. */
  const take = (name: string) => {
    const scope = scopes.get(name);
    const place = scope?.queue.shift();
    if (scope === undefined || place === undefined) return [];
    scope.isBusy = true;
    const leave = (fate: Fate): void => {
      settle([[place, fate]]);
      scope.isBusy = false;
      const [next] = scope.queue;
      if (next !== undefined) poolOf(next).ready.push(name);
    };
    const because = place.task.runsWhenStopped === true ? undefined : input.stopped();
    if (because === undefined) return [{ place, leave }];
    leave({ skipped: because });
    return [];
  };

  /** The tasks that begin next, as far as they are ready. */
  const next = (): readonly T[] => {
    const names = pools.working.ready.slice(1 - mostGathered).toReversed();
    return names.flatMap((name) => scopes.get(name)?.queue[0]?.task ?? []);
  };

  /** The scopes that begin now, of those that are ready in a pool. */
  const choose = (pool: Pool): readonly string[] => {
    if (pool === pools.gathered) return pool.ready.splice(0, mostGathered);
    // The scope that became ready last goes on first, so that scopes end early; who waits does so in turn.
    return [(pool === pools.waiting ? pool.ready.shift() : pool.ready.pop()) ?? ''];
  };

  const isDue = (pool: Pool): boolean => {
    if (pool !== pools.gathered) return pool.free > 0 && pool.ready.length > 0;
    const isNothingWorking = pools.working.free === input.concurrency && pools.working.ready.length === 0;
    return pool.ready.length >= mostGathered || (pool.ready.length > 0 && (isNothingWorking || isOverdue));
  };

  const pump = (): void => {
    const due = () => Object.values(pools).find(isDue);
    for (let pool = due(); pool !== undefined; pool = due()) {
      const begun = choose(pool).flatMap(take);
      const [first] = begun;
      if (first === undefined) continue;
      pool.free--;
      running++;
      const tasks = begun.map(({ place }) => place.task);
      const work =
        pool === pools.gathered
          ? input.runTogether(tasks).then((): Fate => 'done')
          : input.run(
              first.place.task,
              first.place.after.map(({ task }) => task),
              next,
            );
      const rejected = (error: unknown): Fate => {
        broken ??= { error };
        return 'failed';
      };
      void work.catch(rejected).then((fate) => {
        for (const { leave } of begun) leave(fate);
        pool.free++;
        running--;
        pump();
      });
    }
    if (running === 0) finish();
  };

  settle(places.filter(({ waitingFor }) => waitingFor === 0).map((place) => [place, begin(place)]));
  pools.working.ready.reverse(); // taken from the end
  pump();
  const endBeat = input.beat?.(() => {
    isOverdue = true;
    pump();
    isOverdue = false;
  });
  await finished;
  endBeat?.();
  if (broken !== undefined) throw broken.error;
  return new Map(places.flatMap(({ task, fate }) => (fate === undefined ? [] : [[task.name, fate] as const])));
}

/** @throws {Error} when tasks wait for each other in a circle: a defect of the order, found before any task begins. */
function refuseCircles<T extends Task>(places: readonly Place<T>[]): void {
  const waitingFor = new Map(places.map((place) => [place, place.waitingFor]));
  const free = places.filter((place) => place.waitingFor === 0);
  for (const { dependents } of free) {
    for (const dependent of dependents) {
      const left = (waitingFor.get(dependent) ?? 0) - 1;
      waitingFor.set(dependent, left);
      if (left === 0) free.push(dependent);
    }
  }
  if (free.length < places.length) throw new Error('the tasks wait for each other in a circle');
}

function placesOf<T extends Task>({ nodes, edges }: ScheduleInput<T>): Place<T>[] {
  const places = nodes.map((task): Place<T> => ({ task, after: [], dependents: [], waitingFor: 0, fate: undefined }));
  const byName = new Map(places.map((place) => [place.task.name, place]));
  const entering = groupBy(edges.map((edge) => [edge.to, edge]));
  // Dependents in the order of the nodes: it decides what begins first.
  for (const place of places) {
    for (const { from, is } of entering.get(place.task.name) ?? []) {
      const before = byName.get(from);
      if (before === undefined) continue;
      before.dependents.push(place);
      place.waitingFor++;
      if (is === 'success') place.after.push(before);
    }
  }
  return places;
}

/** The task to blame; one without work passes on what held it back. */
function culpritOf<T extends Task>({ task, fate }: Place<T>): string {
  return task.scope === undefined && typeof fate === 'object' ? fate.skipped : task.name;
}
