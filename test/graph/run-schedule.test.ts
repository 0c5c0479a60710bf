import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Edge, TaskResult, Task } from '../../src/graph/run-schedule.ts';
import { runSchedule } from '../../src/graph/run-schedule.ts';
import { effort } from '../support/whole.ts';

/** The order of tasks: what waits for what, what runs beside what, and what a failure takes along. */

/** A task with the names of those that must succeed, or be over, before. */
interface Given extends Task {
  readonly success: readonly string[];
  readonly over: readonly string[];
}

interface Ran {
  readonly results: Map<string, TaskResult>;
  /** What happened, in order: `+a` began, `-a` ended, `~a` was skipped. */
  readonly events: readonly string[];
  /** The names of the tasks that were gathered, as they ran together. */
  readonly together: readonly (readonly string[])[];
  readonly most: number;
}

const task = (name: string, more: Partial<Given> = {}): Given => ({
  name,
  scope: name,
  success: [],
  over: [],
  ...more,
});

/** A task without work. */
const hub = (name: string, more: Partial<Given> = {}) => task(name, { scope: undefined, ...more });

/** The last task of a scope, after all others in it. */
const readBack = (scope: string, among: readonly Given[]) =>
  task(`read ${scope}`, {
    scope,
    over: among.filter((item) => item.scope === scope).map(({ name }) => name),
    runsWhenStopped: true,
  });

const edgesOf = (tasks: readonly Given[]): Edge[] =>
  tasks.flatMap(({ name, success, over }) => [
    ...success.map((from) => ({ from, to: name, is: 'success' }) as const),
    ...over.map((from) => ({ from, to: name, is: 'over' }) as const),
  ]);

async function run(
  tasks: readonly Given[],
  options: {
    concurrency?: number;
    fails?: (name: string) => boolean;
    pause?: (name: string) => number;
    stopped?: (events: readonly string[]) => string | undefined;
  } = {},
): Promise<Ran> {
  const events: string[] = [];
  const together: string[][] = [];
  let running = 0;
  let most = 0;
  const wait = async (name: string) => {
    for (let turns = options.pause?.(name) ?? 1; turns > 0; turns--) await Promise.resolve();
  };
  const results = await runSchedule({
    nodes: tasks,
    edges: edgesOf(tasks),
    concurrency: options.concurrency ?? 4,
    run: async ({ name }) => {
      events.push(`+${name}`);
      most = Math.max(most, ++running);
      await wait(name);
      running--;
      events.push(`-${name}`);
      return options.fails?.(name) === true ? 'failed' : 'done';
    },
    skipped: ({ name }, because) => events.push(`~${name} ${typeof because === 'string' ? because : because.name}`),
    runTogether: async (gathered) => {
      const names = gathered.map(({ name }) => name);
      together.push(names);
      for (const name of names) events.push(`+${name}`);
      await Promise.all(names.map(wait));
      for (const name of names) events.push(`-${name}`);
    },
    stopped: () => options.stopped?.(events),
  });
  return { results, events, together, most };
}

describe('tasks that wait most of their time', () => {
  const waiting = (count: number) => Array.from({ length: count }, (_, n) => task(`w${n}`, { isWaiting: true }));

  test('take the slot of no other', async () => {
    const { events } = await run([...waiting(8), task('a'), task('b')], {
      concurrency: 1,
      pause: (name) => (name.startsWith('w') ? 50 : 1),
    });
    expect(events.indexOf('-b')).toBeLessThan(events.findIndex((event) => event.startsWith('-w')));
    expect(events.filter((event) => event.startsWith('-'))).toHaveLength(10);
  });

  test('are sixteen at a time, in their turn', async () => {
    const { events, most } = await run(waiting(40), { concurrency: 1, pause: () => 10 });
    expect(most).toBe(16);
    expect(events.filter((event) => event.startsWith('+'))).toEqual(waiting(40).map(({ name }) => `+${name}`));
  });
});

describe('tasks that are gathered', () => {
  const gathered = (count: number, shownBy = (n: number) => `row ${n}`) =>
    Array.from({ length: count }, (_, n) => task(`g${n}`, { shownBy: shownBy(n) }));
  /** Each comes after a task of its own. */
  const oneByOne = (tasks: readonly Given[]) => tasks.flatMap((one, n) => [task(`a${n}`), { ...one, over: [`a${n}`] }]);

  test('run together once nothing else works', async () => {
    const slow = (name: string) => (name === 'slow' ? 50 : 1);
    const { events, together } = await run([...gathered(3), task('slow'), task('a')], { concurrency: 1, pause: slow });
    expect(together).toEqual([['g0', 'g1', 'g2']]);
    expect(events.slice(0, 5)).toEqual(['+slow', '-slow', '+a', '-a', '+g0']);
  });

  test('are those of forty reads at a time, while others work and wait', async () => {
    const slow = task('slow');
    const { events, together } = await run([...oneByOne(gathered(90)), slow, task('w', { isWaiting: true })], {
      pause: (name) => (name === 'slow' ? 500 : name === 'w' ? 1_000 : 1),
    });
    expect(together.map(({ length }) => length)).toEqual([40, 40, 10]);
    const at = (event: string) => events.indexOf(event);
    expect(at('-g79')).toBeLessThan(at('-slow'));
    expect(at('+g80')).toBeGreaterThan(at('-slow'));
    expect(at('-g89')).toBeLessThan(at('-w'));
  });

  test('count once where one read shows them', async () => {
    const listed = gathered(200, (n) => `list ${Math.floor(n / 4)}`);
    const { together } = await run(oneByOne(listed), { concurrency: 1 });
    expect(together.map(({ length }) => length)).toEqual([157, 43]);
    const ofOne = await run(oneByOne(gathered(400, () => 'list')), { concurrency: 1 });
    expect(ofOne.together.map(({ length }) => length)).toEqual([160, 160, 80]);
  });

  test('run at a beat, however few they are; those that come after it wait; and no beat comes after the end', async () => {
    const nodes = [task('first'), ...gathered(3), task('second'), task('late', { shownBy: 'late' })];
    const together: string[][] = [];
    const ends: (() => void)[] = [];
    let beat: (() => void) | undefined;
    const running = runSchedule({
      nodes,
      edges: [{ from: 'first', to: 'late', is: 'over' }],
      concurrency: 1,
      run: () => new Promise((resolve) => ends.push(() => resolve('done'))),
      runTogether: (tasks) => Promise.resolve(void together.push(tasks.map(({ name }) => name))),
      beat: (task) => {
        beat = task;
        return () => (beat = undefined);
      },
      skipped: () => undefined,
      stopped: () => undefined,
    });
    expect(together).toEqual([]);
    beat?.();
    expect(together).toEqual([['g0', 'g1', 'g2']]);
    ends.shift()?.();
    await new Promise((resolve) => void setImmediate(resolve));
    expect([ends.length, together.length]).toEqual([1, 1]); // `second` works
    ends.shift()?.();
    await running;
    expect(beat).toBeUndefined();
    expect(together).toEqual([['g0', 'g1', 'g2'], ['late']]);
  });

  test('run alone and at once where another task comes after them', async () => {
    const tasks = [task('g', { shownBy: 'g' }), task('a', { over: ['g'] }), task('slow')];
    const { events, together } = await run(tasks, { pause: (name) => (name === 'slow' ? 50 : 1) });
    expect(together).toEqual([]);
    expect(events.indexOf('-a')).toBeLessThan(events.indexOf('-slow'));
  });

  test('run when nothing else may begin, if they may', async () => {
    const tasks = [task('a'), task('g', { shownBy: 'g' }), task('r', { shownBy: 'r', runsWhenStopped: true })];
    const ran = await run(tasks, { stopped: () => 'enough' });
    expect(ran.together).toEqual([['r']]);
    expect(resultsOf(ran)).toEqual({ a: { skipped: 'enough' }, g: { skipped: 'enough' }, r: 'done' });
  });

  test('have all failed when their work rejects, and its error is thrown', async () => {
    const nodes = gathered(2);
    const skipped: string[] = [];
    const running = runSchedule({
      nodes,
      edges: [],
      concurrency: 1,
      run: () => Promise.resolve('done'),
      runTogether: () => Promise.reject(new Error('broken')),
      skipped: ({ name }) => skipped.push(name),
      stopped: () => undefined,
    });
    await expect(running).rejects.toThrow('broken');
    expect(skipped).toEqual([]);
  });
});

const resultsOf = (ran: Ran) => Object.fromEntries(ran.results);

describe('a task', () => {
  test('waits for tasks that have to succeed', async () => {
    const { events } = await run([task('b', { success: ['a'] }), task('a')]);
    expect(events.indexOf('-a')).toBeLessThan(events.indexOf('+b'));
  });

  test('is skipped when that failed, and so are tasks that wait for it, and others continue', async () => {
    const tasks = [task('a'), task('b', { success: ['a'] }), task('c', { success: ['b'] }), task('d')];
    expect(resultsOf(await run(tasks, { fails: (name) => name === 'a' }))).toEqual({
      a: 'failed',
      b: { skipped: 'a' },
      c: { skipped: 'b' },
      d: 'done',
    });
  });

  test('waits for tasks that have to be over, and runs also when those failed or were skipped', async () => {
    const tasks = [task('a'), task('b', { success: ['a'] }), task('c', { over: ['a', 'b'] })];
    expect(resultsOf(await run(tasks, { fails: (name) => name === 'a' }))).toEqual({
      a: 'failed',
      b: { skipped: 'a' },
      c: 'done',
    });
  });

  test('does not wait for an unknown task', async () => {
    expect(resultsOf(await run([task('a', { success: ['x'], over: ['y'] })]))).toEqual({ a: 'done' });
  });
});

describe('a scope', () => {
  test('runs one task at a time, in the sequence in which they become ready', async () => {
    const tasks = ['a', 'b', 'c'].map((name) => task(name, { scope: 'one' }));
    const { events, most } = await run(tasks);
    expect(most).toBe(1);
    expect(events).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
  });

  test('is read back once, after its last task, also when that is skipped', async () => {
    const tasks = [task('a', { scope: 'one' }), task('x'), task('b', { scope: 'one', success: ['x'] })];
    const { events } = await run([...tasks, readBack('one', tasks)], { fails: (name) => name === 'x' });
    expect(events.filter((event) => event === '+read one')).toHaveLength(1);
    expect(events.indexOf('~b x')).toBeLessThan(events.indexOf('+read one'));
  });
});

describe('a task that waits until a scope was read back', () => {
  const inOne = [task('a', { scope: 'one' }), task('b', { scope: 'one', success: ['a'] })];
  const tasks = [
    ...inOne,
    task('c', { over: ['read one', 'read one', 'read nowhere'] }),
    task('d', { scope: 'c', over: ['read one'] }),
    readBack('one', inOne),
  ];

  test('begins when it was', async () => {
    const { events, results } = await run(tasks, { pause: () => 5 });
    expect(events.slice(0, 7)).toEqual(['+a', '-a', '+b', '-b', '+read one', '-read one', '+c']);
    expect([...results.values()]).toEqual(['done', 'done', 'done', 'done', 'done']);
  });

  test('runs also when something in it failed, and the rest was skipped', async () => {
    const { events, results } = await run(tasks, { fails: (name) => name === 'a' });
    expect(events.indexOf('~b a')).toBeLessThan(events.indexOf('+read one'));
    expect(events.indexOf('-read one')).toBeLessThan(events.indexOf('+c'));
    expect([results.get('c'), results.get('d')]).toEqual(['done', 'done']);
  });

  test('is skipped then, when it needs the failed task, and its own scope is read back', async () => {
    const chain = [
      task('a', { scope: 'one' }),
      task('b', { success: ['a'], over: ['read one'] }),
      task('c', { over: ['read b'] }),
    ];
    const { events } = await run([...chain, readBack('one', chain), readBack('b', chain), readBack('c', chain)], {
      fails: (name) => name === 'a',
    });
    expect(events).toEqual([
      '+a',
      '-a',
      '+read one',
      '-read one',
      '~b a',
      '+read b',
      '-read b',
      '+c',
      '-c',
      '+read c',
      '-read c',
    ]);
  });

  test('holds up no other: a task that needs only its tasks begins while it is read back', async () => {
    const pair = [task('a', { scope: 'one' }), task('b', { success: ['a'] })];
    const { events } = await run([...pair, readBack('one', pair)], { pause: () => 5 });
    expect(events.indexOf('+b')).toBeLessThan(events.indexOf('-read one'));
  });
});

describe('a task without work', () => {
  test('is over when nothing precedes it, and takes no worker', async () => {
    const tasks = [task('a'), task('b'), hub('all', { over: ['a', 'b'] }), task('c', { over: ['all'] })];
    const { events, results } = await run([hub('none'), ...tasks], { concurrency: 1, fails: (name) => name === 'b' });
    expect(events).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
    expect(Object.fromEntries(results)).toEqual({ none: 'done', a: 'done', b: 'failed', all: 'done', c: 'done' });
  });

  test('passes on the cause of its skip, through others too, and is not reported itself', async () => {
    const tasks = [
      task('a'),
      task('b'),
      hub('both', { success: ['a', 'b'] }),
      hub('again', { success: ['both'] }),
      task('c', { success: ['again'] }),
      task('d', { over: ['again'] }),
    ];
    const { events, results } = await run(tasks, { fails: (name) => name === 'b' });
    expect(events.filter((event) => event.startsWith('~'))).toEqual(['~c b']);
    expect([results.get('again'), results.get('c'), results.get('d')]).toEqual([
      { skipped: 'b' },
      { skipped: 'b' },
      'done',
    ]);
  });

  test('that waits for nothing holds nothing up', async () => {
    const { results } = await run([hub('none'), task('a', { success: ['none'] }), hub('last', { success: ['a'] })]);
    expect([...results.values()]).toEqual(['done', 'done', 'done']);
  });
});

test('a task is given the tasks that had to succeed before it', async () => {
  const tasks = [task('a'), task('b'), task('c', { success: ['b', 'a'], over: ['d'] }), task('d')];
  const given: Record<string, readonly string[]> = {};
  await runSchedule({
    nodes: tasks,
    edges: edgesOf(tasks),
    concurrency: 4,
    run: (item, after) => {
      given[item.name] = after.map(({ name }) => name);
      return Promise.resolve('done');
    },
    runTogether: () => Promise.resolve(),
    skipped: () => undefined,
    stopped: () => undefined,
  });
  expect(given).toEqual({ a: [], b: [], d: [], c: ['b', 'a'] });
});

test('a task is given those that begin next, as far as they are ready', async () => {
  const tasks = [...['a', 'b', 'c'].map((name) => task(name)), task('d', { success: ['a'] }), task('e')];
  const given: Record<string, readonly string[]> = {};
  await runSchedule({
    nodes: tasks,
    edges: edgesOf(tasks),
    concurrency: 1,
    run: (item, _after, next) => {
      given[item.name] = next().map(({ name }) => name);
      return Promise.resolve('done');
    },
    runTogether: () => Promise.resolve(),
    skipped: () => undefined,
    stopped: () => undefined,
  });
  expect(given).toEqual({ a: ['b', 'c', 'e'], d: ['b', 'c', 'e'], b: ['c', 'e'], c: ['e'], e: [] });
});

test('scopes begin in the given sequence, and one that has begun ends before the next', async () => {
  const tasks = [
    task('a', { scope: 'one' }),
    task('x', { scope: 'two' }),
    task('b', { scope: 'one', success: ['a'] }),
    task('y', { scope: 'two', success: ['x'] }),
  ];
  const { events } = await run([...tasks, readBack('one', tasks), readBack('two', tasks)], { concurrency: 1 });
  expect(events).toEqual([
    '+a',
    '-a',
    '+b',
    '-b',
    '+read one',
    '-read one',
    '+x',
    '-x',
    '+y',
    '-y',
    '+read two',
    '-read two',
  ]);
});

test('in one scope, waiting tasks and tasks with work take turns', async () => {
  const tasks = [
    task('a', { scope: 'one' }),
    task('w', { scope: 'one', isWaiting: true }),
    task('b', { scope: 'one' }),
    task('x'),
  ];
  const { events, most } = await run(tasks, { concurrency: 1, pause: () => 5 });
  expect(events.filter((event) => /^.[awb]$/.test(event))).toEqual(['+a', '-a', '+w', '-w', '+b', '-b']);
  expect(most).toBe(2); // x beside w
});

test('tasks that wait for each other are an error, before any other begins', async () => {
  const ran: string[] = [];
  const tasks = [task('a', { success: ['b'] }), task('b', { over: ['a'] }), task('c')];
  const running = runSchedule({
    nodes: tasks,
    edges: edgesOf(tasks),
    concurrency: 2,
    run: ({ name }) => {
      ran.push(name);
      return Promise.resolve('done');
    },
    runTogether: () => Promise.resolve(),
    skipped: () => undefined,
    stopped: () => undefined,
  });
  await expect(running).rejects.toThrow('wait for each other in a circle');
  expect(ran).toEqual([]);
});

test('a task that rejects has failed: the others go on, and its error is thrown when all are over', async () => {
  const nodes = [task('a'), task('b', { success: ['a'] }), task('c')];
  const events: string[] = [];
  const schedule = runSchedule({
    nodes,
    edges: edgesOf(nodes),
    concurrency: 1,
    run: ({ name }) => {
      events.push(`+${name}`);
      return name === 'a' ? Promise.reject(new Error('no scope')) : Promise.resolve('done');
    },
    runTogether: () => Promise.resolve(),
    skipped: ({ name }) => void events.push(`~${name}`),
    stopped: () => undefined,
  });
  await expect(schedule).rejects.toThrow('no scope');
  expect(events).toEqual(['+a', '~b', '+c']);
});

test('no tasks are over at once', async () => {
  expect((await run([])).events).toEqual([]);
});

test('when the run is stopped no task begins, running ones end, and every scope is read back', async () => {
  const tasks = Array.from({ length: 20 }, (_, index) =>
    task(`t${index}`, index < 10 ? {} : { success: [`t${index - 10}`] }),
  );
  const readBacks = tasks.map(({ name }) => readBack(name, tasks));
  const ran = await run([...tasks, ...readBacks], {
    concurrency: 2,
    stopped: (events) => (events.some((event) => event.startsWith('-')) ? 'enough' : undefined),
  });
  expect(ran.events.filter((event) => event.startsWith('+t'))).toHaveLength(2);
  expect(ran.events.filter((event) => event.startsWith('-t'))).toHaveLength(2);
  expect(ran.events.filter((event) => event.startsWith('-read'))).toHaveLength(20);
  expect(ran.results.size).toBe(40);
  expect(ran.events.filter((event) => event.startsWith('~') && event.endsWith(' enough'))).not.toEqual([]);
});

test('a run that is stopped before it begins skips waiting tasks and tasks with work, in a flat stack', async () => {
  const inOne = Array.from({ length: 20_000 }, (_, index) => task(`t${index}`, { scope: 'one' }));
  const others = [task('w', { isWaiting: true }), task('after', { over: ['w'] }), hub('all', { over: ['after'] })];
  const { results, events } = await run([...inOne, ...others, readBack('one', inOne)], { stopped: () => 'enough' });
  expect(events.filter((event) => event.startsWith('+'))).toEqual(['+read one']);
  expect([results.get('t19999'), results.get('w'), results.get('after'), results.get('all')]).toEqual([
    { skipped: 'enough' },
    { skipped: 'enough' },
    { skipped: 'enough' },
    'done',
  ]);
});

describe('work grows with the number of tasks and edges, and not with their product:', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
  test.each<[string, (count: number) => Given[]]>([
    ['tasks that need nothing', (count) => names(count).map((name) => task(name))],
    ['tasks that are gathered', (count) => names(count).map((name) => task(name, { shownBy: name }))],
    ['tasks in one scope', (count) => names(count).map((name) => task(name, { scope: 'one' }))],
    ['a chain', (count) => names(count).map((name, n) => task(name, { success: n === 0 ? [] : [`t${n - 1}`] }))],
    ['many that need one', (count) => names(count).map((name, n) => task(name, { success: n === 0 ? [] : ['t0'] }))],
    [
      'one that needs many',
      (count) => [...names(count).map((name) => task(name)), task('z', { success: names(count) })],
    ],
    [
      'many that need many, through one without work',
      (count) => [
        ...names(count).map((name) => task(name)),
        hub('all', { success: names(count) }),
        ...names(count).map((name) => task(`after ${name}`, { success: ['all'] })),
      ],
    ],
  ])('%s', async (_title, tasksOf) => {
    const counts = [];
    for (const count of [500, 1000]) {
      let reads = 0;
      const counted = <T extends object>(value: T): T =>
        new Proxy(value, {
          get: (target, name) => {
            reads++;
            return Reflect.get(target, name) as unknown;
          },
        });
      const tasks = tasksOf(count);
      const results = await runSchedule({
        nodes: tasks.map(counted),
        edges: edgesOf(tasks).map(counted),
        concurrency: 8,
        run: () => Promise.resolve('done' as const),
        runTogether: () => Promise.resolve(),
        skipped: () => undefined,
        stopped: () => undefined,
      });
      expect(results.size).toBe(tasks.length);
      counts.push(reads);
    }
    const [few = 0, many = 0] = counts;
    expect(few).toBeGreaterThan(500);
    expect(many).toBeLessThan(few * 2.1);
  });
});

test('a chain of ten thousand that fails at its beginning is skipped without a deep stack', async () => {
  const tasks = Array.from({ length: 10_000 }, (_, index) =>
    task(`t${index}`, { success: index === 0 ? [] : [`t${index - 1}`] }),
  );
  const { results } = await run(tasks, { fails: (name) => name === 't0' });
  expect([...results.values()].filter((result) => typeof result === 'object')).toHaveLength(9999);
});

/** Tasks that wait only for earlier ones, with one that reads each scope back, then shuffled. */
const plans = fc
  .array(
    fc.record({
      scope: fc.option(fc.nat(4), { freq: 6 }),
      success: fc.array(fc.nat(30), { maxLength: 3 }),
      over: fc.array(fc.nat(30), { maxLength: 2 }),
      fails: fc.boolean(),
      pause: fc.nat(6),
      isGathered: fc.boolean(),
    }),
    { maxLength: 25 },
  )
  .chain((rows) => {
    const earlier = (index: number, others: readonly number[]) =>
      index === 0 ? [] : others.map((other) => `t${other % index}`);
    const work = rows.map((row, index) =>
      task(`t${index}`, {
        scope: row.scope === null ? undefined : `scope ${row.scope}`,
        success: earlier(index, row.success),
        over: earlier(index, row.over),
      }),
    );
    const scopes = new Set(work.flatMap(({ scope }) => scope ?? []));
    const gathers = (scope: string) => rows[work.findIndex((item) => item.scope === scope)]?.isGathered === true;
    const readBacks = [...scopes].map((scope) => ({
      ...readBack(scope, work),
      ...(gathers(scope) ? { shownBy: scope } : {}),
    }));
    const tasks = [...work, ...readBacks];
    return fc.record({
      tasks: fc.shuffledSubarray(tasks, { minLength: tasks.length }),
      rows: fc.constant(new Map(rows.map((row, index) => [`t${index}`, row]))),
      concurrency: fc.integer({ min: 1, max: 6 }),
      failures: fc.boolean(),
    });
  });

test('with any dependencies, every task has one result and no rule is broken', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ tasks, rows, concurrency, failures }) => {
      const { results, events, most } = await run(tasks, {
        concurrency,
        fails: (name) => failures && rows.get(name)?.fails === true,
        pause: (name) => rows.get(name)?.pause ?? 2,
      });
      expect([...results.keys()].toSorted()).toEqual(tasks.map(({ name }) => name).toSorted());
      expect(most).toBeLessThanOrEqual(concurrency);
      const byName = new Map(tasks.map((item) => [item.name, item]));
      const at = (event: string) => events.findIndex((item) => item === event || item.startsWith(`${event} `));
      /** When a task was over; one without work, when all before it were. */
      const over = (name: string): number => {
        const { scope, success, over: before } = byName.get(name) ?? task(name);
        return scope === undefined
          ? Math.max(-1, ...[...success, ...before].map(over))
          : Math.max(at(`-${name}`), at(`~${name}`));
      };
      const inScope = new Map<string, string>();
      for (const event of events) {
        const name = event.slice(1);
        const scope = byName.get(name)?.scope ?? '';
        if (event.startsWith('+')) {
          expect(inScope.has(scope)).toBe(false);
          inScope.set(scope, name);
        }
        if (event.startsWith('-')) inScope.delete(scope);
      }
      for (const { name, scope, success, over: before } of tasks) {
        const result = results.get(name);
        const ran = at(`+${name}`) !== -1;
        const isDue = success.every((need) => results.get(need) === 'done');
        const times = events.filter((event) => event === `+${name}` || event.startsWith(`~${name} `)).length;
        expect(times).toBe(scope === undefined ? 0 : 1);
        expect(typeof result === 'string').toBe(isDue);
        expect(ran).toBe(scope !== undefined && isDue);
        if (ran) for (const need of [...success, ...before]) expect(over(need)).toBeLessThan(at(`+${name}`));
        if (typeof result !== 'object') continue;
        // Blames a task with work, which it needs itself or through those without.
        expect(byName.get(result.skipped)?.scope).toBeDefined();
        const blames = success.map((need) => {
          const its = results.get(need);
          return byName.get(need)?.scope === undefined && typeof its === 'object' ? its.skipped : need;
        });
        expect(blames).toContain(result.skipped);
      }
      for (const scope of new Set(tasks.flatMap((item) => item.scope ?? []))) {
        expect(results.get(`read ${scope}`)).toBe('done');
        const others = tasks.filter((item) => item.scope === scope && item.name !== `read ${scope}`);
        expect(at(`+read ${scope}`)).toBeGreaterThan(Math.max(...others.map((item) => over(item.name))));
      }
    }),
    { numRuns: effort({ fast: 100, full: 500 }) },
  );
});
