import { attempts } from '../api/attempts.ts';
import { groupBy } from '../kind/group.ts';
import { topological } from './order.ts';

/** One piece of work. */
export interface Task {
  readonly name: string;
  /** Tasks of one scope run one at a time. Without a scope a task does no work: it is over when nothing precedes it. */
  readonly scope: string | undefined;
  /** It waits most of its time, and takes no worker. */
  readonly isWaiting?: true;
  /**
   * The read that shows its result, and those of all tasks with the same one. It runs together with other such tasks, unless
   * another task comes after it. It takes no worker.
   */
  readonly shownBy?: string;
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
export type TaskResult = 'done' | 'failed' | { readonly skipped: string };

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
const maxWaiting = 16;

/** So many reads are gathered before their tasks run: as many as there are in one request. */
const maxGathered = attempts.batch.maxItems;

/** So many tasks are gathered at most, however few reads show them: their work would be left for the end of the run. */
const maxTogether = 4 * maxGathered;

/** A task among the others. */
interface Place<T extends Task> {
  readonly task: T;
  /** Tasks that must succeed before. */
  readonly after: Place<T>[];
  /** Tasks that wait for this one. */
  readonly dependents: Place<T>[];
  /** How many edges still hold it back. */
  waitingFor: number;
  result: TaskResult | undefined;
}

/** Tasks that begin by the same rule. */
interface Pool {
  /** The scopes whose next task is ready. */
  readonly ready: string[];
  /** How many more may begin. */
  free: number;
}

/** The tasks of one scope that nothing precedes any more. */
interface Scope<T extends Task> {
  readonly queue: Place<T>[];
  isBusy: boolean;
}

/** A schedule while it runs. */
interface Schedule<T extends Task> {
  readonly input: ScheduleInput<T>;
  readonly byName: ReadonlyMap<string, Place<T>>;
  readonly scopes: Map<string, Scope<T>>;
  /** Tasks that work, that wait, and that are gathered: none take the places of the others. */
  readonly pools: Readonly<Record<'working' | 'waiting' | 'gathered', Pool>>;
  /** The reads of the tasks that are gathered. */
  readonly reads: Set<string>;
  readonly finish: () => void;
  running: number;
  /** Whatever is gathered runs now. */
  isOverdue: boolean;
  broken: { readonly error: unknown } | undefined;
}

/**
 * Runs tasks in the order of their edges, in linear time; a failure skips only what needs its success.
 *
 * @throws whatever the first task that rejected threw, once all tasks are over; an Error when tasks wait for each other, and
 * then none began.
 */
export async function runSchedule<T extends Task>(input: ScheduleInput<T>): Promise<Map<string, TaskResult>> {
  const places = placesOf(input);
  refuseCircles(input);
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const schedule: Schedule<T> = {
    input,
    byName: new Map(places.map((place) => [place.task.name, place])),
    scopes: new Map(),
    pools: {
      working: { ready: [], free: input.concurrency },
      waiting: { ready: [], free: maxWaiting },
      gathered: { ready: [], free: Infinity },
    },
    reads: new Set(),
    finish: () => finish(),
    running: 0,
    isOverdue: false,
    broken: undefined,
  };
  const first = places.filter(({ waitingFor }) => waitingFor === 0);
  settle(
    schedule,
    first.map((place) => [place, begin(schedule, place)]),
  );
  schedule.pools.working.ready.reverse(); // taken from the end
  pump(schedule);
  const endBeat = input.beat?.(() => {
    schedule.isOverdue = true;
    pump(schedule);
    schedule.isOverdue = false;
  });
  await finished;
  endBeat?.();
  if (schedule.broken !== undefined) throw schedule.broken.error;
  return new Map(places.flatMap(({ task, result }) => (result === undefined ? [] : [[task.name, result] as const])));
}

/** Makes the next task of a scope ready to begin. */
function makeReady<T extends Task>({ pools, reads }: Schedule<T>, name: string, { task, dependents }: Place<T>): void {
  const { isWaiting, shownBy } = task;
  if (isWaiting === true) pools.waiting.ready.push(name);
  else if (shownBy === undefined || dependents.length > 0) pools.working.ready.push(name);
  else {
    reads.add(shownBy);
    pools.gathered.ready.push(name);
  }
}

/** Begins a task that nothing precedes any more; returns its result when it is over without having run. */
function begin<T extends Task>(schedule: Schedule<T>, place: Place<T>): TaskResult | undefined {
  const culprit = place.after.find(({ result }) => result !== 'done');
  if (culprit !== undefined) return { skipped: culpritOf(culprit) };
  const name = place.task.scope;
  if (name === undefined) return 'done';
  const scope = schedule.scopes.get(name) ?? { queue: [], isBusy: false };
  schedule.scopes.set(name, scope);
  scope.queue.push(place);
  if (!scope.isBusy && scope.queue.length === 1) makeReady(schedule, name, place);
  return undefined;
}

/** Ends tasks and begins what waited for them. */
function settle<T extends Task>(schedule: Schedule<T>, over: (readonly [Place<T>, TaskResult | undefined])[]): void {
  const { input, byName } = schedule;
  for (let item = over.pop(); item !== undefined; item = over.pop()) {
    const [place, result] = item;
    if (result === undefined) continue;
    place.result = result;
    if (typeof result === 'object' && place.task.scope !== undefined) {
      input.skipped(place.task, byName.get(result.skipped)?.task ?? result.skipped);
    }
    for (const dependent of place.dependents) {
      dependent.waitingFor--;
      if (dependent.waitingFor === 0) over.push([dependent, begin(schedule, dependent)]);
    }
  }
}

/** The next task of a scope; none when it was skipped. */
function take<T extends Task>(schedule: Schedule<T>, name: string): readonly Place<T>[] {
  const scope = schedule.scopes.get(name);
  const place = scope?.queue.shift();
  if (scope === undefined || place === undefined) return [];
  scope.isBusy = true;
  const because = place.task.runsWhenStopped === true ? undefined : schedule.input.stopped();
  if (because === undefined) return [place];
  leave(schedule, place, { skipped: because });
  return [];
}

/** Ends a task that was taken from its scope, and makes the next one of that ready. */
function leave<T extends Task>(schedule: Schedule<T>, place: Place<T>, result: TaskResult): void {
  settle(schedule, [[place, result]]);
  const { scope: name = '' } = place.task;
  const scope = schedule.scopes.get(name);
  if (scope === undefined) return;
  scope.isBusy = false;
  const [next] = scope.queue;
  if (next !== undefined) makeReady(schedule, name, next);
}

/** The tasks that begin next, as far as they are ready. */
function nextIn<T extends Task>({ pools, scopes }: Schedule<T>): readonly T[] {
  const names = pools.working.ready.slice(1 - maxGathered).toReversed();
  return names.flatMap((name) => scopes.get(name)?.queue[0]?.task ?? []);
}

/** The scopes that begin now, of those that are ready in a pool. */
function choose({ pools, reads }: Pick<Schedule<Task>, 'pools' | 'reads'>, pool: Pool): readonly string[] {
  if (pool === pools.gathered) {
    reads.clear();
    return pool.ready.splice(0);
  }
  // The scope that became ready last goes on first, so that scopes end early; who waits does so in turn.
  return [(pool === pools.waiting ? pool.ready.shift() : pool.ready.pop()) ?? ''];
}

function isDue<T extends Task>({ pools, reads, input, isOverdue }: Schedule<T>, pool: Pool): boolean {
  if (pool !== pools.gathered) return pool.free > 0 && pool.ready.length > 0;
  const isNothingWorking = pools.working.free === input.concurrency && pools.working.ready.length === 0;
  const isFull = reads.size >= maxGathered || pool.ready.length >= maxTogether;
  return isFull || (pool.ready.length > 0 && (isNothingWorking || isOverdue));
}

/** Begins whatever may begin. */
function pump<T extends Task>(schedule: Schedule<T>): void {
  const { input, pools } = schedule;
  const due = () => Object.values(pools).find((pool) => isDue(schedule, pool));
  for (let pool = due(); pool !== undefined; pool = due()) {
    const begun = choose(schedule, pool).flatMap((name) => take(schedule, name));
    const [first] = begun;
    if (first === undefined) continue;
    pool.free--;
    schedule.running++;
    const work =
      pool === pools.gathered
        ? input.runTogether(begun.map(({ task }) => task)).then((): TaskResult => 'done')
        : input.run(
            first.task,
            first.after.map(({ task }) => task),
            () => nextIn(schedule),
          );
    void finishWork(schedule, { pool, begun, work });
  }
  if (schedule.running === 0) schedule.finish();
}

/** Ends tasks whose work is over, and begins whatever may begin then. */
async function finishWork<T extends Task>(
  schedule: Schedule<T>,
  {
    pool,
    begun,
    work,
  }: { readonly pool: Pool; readonly begun: readonly Place<T>[]; readonly work: Promise<TaskResult> },
): Promise<void> {
  const result = await work.catch((error: unknown): TaskResult => {
    schedule.broken ??= { error };
    return 'failed';
  });
  for (const place of begun) leave(schedule, place, result);
  pool.free++;
  schedule.running--;
  pump(schedule);
}

/** @throws {Error} when tasks wait for each other in a circle: a defect of the order, found before any task begins. */
function refuseCircles({ nodes, edges }: Pick<ScheduleInput<Task>, 'nodes' | 'edges'>): void {
  const before = groupBy(edges.map(({ from, to }) => [to, from]));
  const names = nodes.map(({ name }) => name);
  const { circle } = topological(names, (name) => before.get(name) ?? []);
  if (circle !== undefined) throw new Error('the tasks wait for each other in a circle');
}

function placesOf<T extends Task>({ nodes, edges }: ScheduleInput<T>): Place<T>[] {
  const places = nodes.map((task): Place<T> => ({ task, after: [], dependents: [], waitingFor: 0, result: undefined }));
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
function culpritOf<T extends Task>({ task, result }: Place<T>): string {
  return task.scope === undefined && typeof result === 'object' ? result.skipped : task.name;
}
