/** One piece of work with what it waits for. */
export interface Task {
  readonly name: string;
  /** Tasks of one lane run one at a time. */
  readonly lane: string;
  /** Has to succeed before. */
  readonly after: readonly string[];
  /** Has to be over before. */
  readonly behind: readonly string[];
  /** Lanes that have to be dealt with before. */
  readonly settled?: readonly string[];
  /** It waits most of its time, and takes the place of no other. */
  readonly isWaiting?: true;
}

/** What became of a task. */
export type Fate = 'done' | 'failed' | { readonly skipped: string };

/** How a schedule is run. */
export interface ScheduleInput<T extends Task> {
  readonly tasks: readonly T[];
  readonly concurrency: number;
  /** Does the work; it never rejects. */
  readonly run: (task: T) => Promise<'done' | 'failed'>;
  /** Called when the last task of a lane is over. */
  readonly laneDone: (lane: string) => Promise<void>;
  /** `because`: the task that did not succeed, or why nothing is started any more. */
  readonly skipped: (task: T, because: T | string) => void;
  /** Says why nothing new may be started; undefined while everything is well. */
  readonly stopped: () => string | undefined;
}

/** How many tasks wait at a time: what they wait for does not go faster when more of them look. */
const most = 16;

/** Runs tasks in the order of their dependencies, in linear time; a failure skips only what depends on it. */
export async function runSchedule<T extends Task>(input: ScheduleInput<T>): Promise<Map<string, Fate>> {
  const { tasks, concurrency } = input;
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const fates = new Map<string, Fate>();
  const waiting = new Map<string, number>();
  const dependents = new Map<string, string[]>();
  const laneDependents = new Map<string, string[]>();
  const left = new Map<string, number>();
  const lanes = new Map<string, { queue: T[]; busy: boolean }>();
  /** Those that work, and those that wait most of their time: neither takes the places of the other. */
  const crews = {
    working: { ready: [] as string[], free: concurrency },
    waiting: { ready: [] as string[], free: most },
  };
  let running = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  for (const task of tasks) {
    left.set(task.lane, (left.get(task.lane) ?? 0) + 1);
    lanes.set(task.lane, { queue: [], busy: false });
  }
  for (const task of tasks) {
    const needs = [...new Set([...task.after, ...task.behind])].filter((name) => byName.has(name));
    const settled = [...new Set(task.settled)].filter((lane) => lanes.has(lane));
    waiting.set(task.name, needs.length + settled.length);
    for (const need of needs) append(dependents, need, task.name);
    for (const lane of settled) append(laneDependents, lane, task.name);
  }

  const crewOf = (task: T | undefined) => (task?.isWaiting === true ? crews.waiting : crews.working);

  const enqueue = (task: T) => {
    const lane = lanes.get(task.lane);
    if (lane === undefined) return;
    lane.queue.push(task);
    if (!lane.busy && lane.queue.length === 1) crewOf(task).ready.push(task.lane);
  };

  /** Lets go of what has nothing more to wait for; gives what has to be skipped. */
  const letGo = (names: readonly string[]): { task: T; fate: Fate }[] =>
    names.flatMap((name) => {
      const count = (waiting.get(name) ?? 0) - 1;
      waiting.set(name, count);
      const dependent = byName.get(name);
      if (count > 0 || dependent === undefined) return [];
      const culprit = dependent.after.find((need) => byName.has(need) && fates.get(need) !== 'done');
      if (culprit !== undefined) return [{ task: dependent, fate: { skipped: culprit } }];
      enqueue(dependent);
      return [];
    });

  /** Marks tasks as over and lets go of what waited for them; what has to be skipped is over at once. */
  const settle = (over: { task: T; fate: Fate }[]): string[] => {
    const lanesOver: string[] = [];
    for (let item = over.pop(); item !== undefined; item = over.pop()) {
      const { task } = item;
      fates.set(task.name, item.fate);
      if (typeof item.fate === 'object') input.skipped(task, byName.get(item.fate.skipped) ?? item.fate.skipped);
      const rest = (left.get(task.lane) ?? 0) - 1;
      left.set(task.lane, rest);
      if (rest === 0) lanesOver.push(task.lane);
      over.push(...letGo(dependents.get(task.name) ?? []));
    }
    return lanesOver;
  };

  const pump = () => {
    for (const crew of Object.values(crews)) {
      while (crew.free > 0 && crew.ready.length > 0) {
        // The lane that became ready last goes on first, so that lanes end early; who waits does so in turn.
        const name = (crew === crews.waiting ? crew.ready.shift() : crew.ready.pop()) ?? '';
        const lane = lanes.get(name);
        const task = lane?.queue.shift();
        if (lane === undefined || task === undefined) continue;
        lane.busy = true;
        crew.free--;
        running++;
        void work(name, lane, task);
      }
    }
    if (running === 0 && Object.values(crews).every(({ ready }) => ready.length === 0)) finish();
  };

  const work = async (name: string, lane: { queue: T[]; busy: boolean }, task: T) => {
    const because = input.stopped();
    const fate: Fate = because === undefined ? await input.run(task) : { skipped: because };
    const lanesOver = settle([{ task, fate }]);
    pump(); // what was let go of need not wait until the lanes are read back
    for (let over = lanesOver.shift(); over !== undefined; over = lanesOver.shift()) {
      await input.laneDone(over);
      lanesOver.push(...settle(letGo(laneDependents.get(over) ?? [])));
      pump();
    }
    lane.busy = false;
    running--;
    crewOf(task).free++;
    if (lane.queue.length > 0) crewOf(lane.queue[0]).ready.push(name);
    pump();
  };

  for (const task of tasks) if (waiting.get(task.name) === 0) enqueue(task);
  crews.working.ready.reverse(); // taken from the end
  pump();
  await finished;
  if (fates.size < tasks.length) throw new Error('the tasks wait for each other in a circle');
  return fates;
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
