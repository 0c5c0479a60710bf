import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Fate, Task } from '../../src/apply/schedule.ts';
import { runSchedule } from '../../src/apply/schedule.ts';

/** The order of tasks: what waits for what, what runs beside what, and what a failure takes along. */

interface Ran {
  readonly fates: Map<string, Fate>;
  /** What happened, in order: `+a` began, `-a` ended, `~a` was skipped, `=lane` was over, `.lane` was dealt with. */
  readonly events: readonly string[];
  readonly most: number;
}

const task = (name: string, more: Partial<Task> = {}): Task => ({ name, lane: name, after: [], behind: [], ...more });

async function run(
  tasks: readonly Task[],
  options: {
    concurrency?: number;
    fails?: (name: string) => boolean;
    pause?: (name: string) => number;
    stopped?: (events: readonly string[]) => string | undefined;
  } = {},
): Promise<Ran> {
  const events: string[] = [];
  let running = 0;
  let most = 0;
  const wait = async (name: string) => {
    for (let turns = options.pause?.(name) ?? 1; turns > 0; turns--) await Promise.resolve();
  };
  const fates = await runSchedule({
    tasks,
    concurrency: options.concurrency ?? 4,
    run: async ({ name }) => {
      events.push(`+${name}`);
      most = Math.max(most, ++running);
      await wait(name);
      running--;
      events.push(`-${name}`);
      return options.fails?.(name) === true ? 'failed' : 'done';
    },
    laneDone: async (lane) => {
      events.push(`=${lane}`);
      await wait(lane);
      events.push(`.${lane}`);
    },
    skipped: ({ name }, because) => events.push(`~${name} ${typeof because === 'string' ? because : because.name}`),
    stopped: () => options.stopped?.(events),
  });
  return { fates, events, most };
}

describe('tasks that wait most of their time', () => {
  const waiting = (count: number) => Array.from({ length: count }, (_, n) => task(`w${n}`, { isWaiting: true }));

  test('take the place of no other', async () => {
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

const fateOf = (ran: Ran) => Object.fromEntries(ran.fates);

describe('a task', () => {
  test('waits for what has to succeed before it', async () => {
    const { events } = await run([task('b', { after: ['a'] }), task('a')]);
    expect(events.indexOf('-a')).toBeLessThan(events.indexOf('+b'));
  });

  test('is skipped when that failed, and so is what waits for it, and others go on', async () => {
    const tasks = [task('a'), task('b', { after: ['a'] }), task('c', { after: ['b'] }), task('d')];
    expect(fateOf(await run(tasks, { fails: (name) => name === 'a' }))).toEqual({
      a: 'failed',
      b: { skipped: 'a' },
      c: { skipped: 'b' },
      d: 'done',
    });
  });

  test('waits for what has to be over before it, and runs also when that failed or was skipped', async () => {
    const tasks = [task('a'), task('b', { after: ['a'] }), task('c', { behind: ['a', 'b'] })];
    expect(fateOf(await run(tasks, { fails: (name) => name === 'a' }))).toEqual({
      a: 'failed',
      b: { skipped: 'a' },
      c: 'done',
    });
  });

  test('does not wait for what is not among the tasks', async () => {
    expect(fateOf(await run([task('a', { after: ['x'], behind: ['y'] })]))).toEqual({ a: 'done' });
  });
});

describe('a lane', () => {
  test('runs one task at a time, in the order in which they are ready', async () => {
    const tasks = ['a', 'b', 'c'].map((name) => task(name, { lane: 'one' }));
    const { events, most } = await run(tasks);
    expect(most).toBe(1);
    expect(events).toEqual(['+a', '-a', '+b', '-b', '+c', '-c', '=one', '.one']);
  });

  test('is over once, after its last task, also when that is skipped', async () => {
    const tasks = [task('a', { lane: 'one' }), task('x'), task('b', { lane: 'one', after: ['x'] })];
    const { events } = await run(tasks, { fails: (name) => name === 'x' });
    expect(events.filter((event) => event === '=one')).toHaveLength(1);
    expect(events.indexOf('~b x')).toBeLessThan(events.indexOf('=one'));
  });
});

describe('a task that waits for a lane', () => {
  const tasks = [
    task('a', { lane: 'one' }),
    task('b', { lane: 'one', after: ['a'] }),
    task('c', { settled: ['one', 'one', 'nowhere'] }),
    task('d', { lane: 'c', settled: ['one'] }),
  ];

  test('begins when that was dealt with', async () => {
    const { events, fates } = await run(tasks, { pause: () => 5 });
    expect(events.slice(0, 7)).toEqual(['+a', '-a', '+b', '-b', '=one', '.one', '+c']);
    expect([...fates.values()]).toEqual(['done', 'done', 'done', 'done']);
  });

  test('runs also when something in it failed, and the rest was skipped', async () => {
    const { events, fates } = await run(tasks, { fails: (name) => name === 'a' });
    expect(events.indexOf('~b a')).toBeLessThan(events.indexOf('.one'));
    expect(events.indexOf('.one')).toBeLessThan(events.indexOf('+c'));
    expect([fates.get('c'), fates.get('d')]).toEqual(['done', 'done']);
  });

  test('is skipped then, when it needs what failed, and its own lane is dealt with', async () => {
    const chain = [
      task('a', { lane: 'one' }),
      task('b', { after: ['a'], settled: ['one'] }),
      task('c', { settled: ['b'] }),
    ];
    const { events } = await run(chain, { fails: (name) => name === 'a' });
    expect(events).toEqual(['+a', '-a', '=one', '.one', '~b a', '=b', '.b', '+c', '-c', '=c', '.c']);
  });

  test('holds up no other: what only needs its tasks begins while it is dealt with', async () => {
    const { events } = await run([task('a', { lane: 'one' }), task('b', { after: ['a'] })], { pause: () => 5 });
    expect(events.indexOf('+b')).toBeLessThan(events.indexOf('.one'));
  });
});

test('lanes begin in the order given, and one that was begun is ended before the next', async () => {
  const tasks = [
    task('a', { lane: 'one' }),
    task('x', { lane: 'two' }),
    task('b', { lane: 'one', after: ['a'] }),
    task('y', { lane: 'two', after: ['x'] }),
  ];
  const { events } = await run(tasks, { concurrency: 1 });
  expect(events).toEqual(['+a', '-a', '+b', '-b', '=one', '.one', '+x', '-x', '+y', '-y', '=two', '.two']);
});

test('in one lane what waits and what works take turns', async () => {
  const tasks = [
    task('a', { lane: 'one' }),
    task('w', { lane: 'one', isWaiting: true }),
    task('b', { lane: 'one' }),
    task('x'),
  ];
  const { events, most } = await run(tasks, { concurrency: 1, pause: () => 5 });
  expect(events.filter((event) => /^.[awb]$/.test(event))).toEqual(['+a', '-a', '+w', '-w', '+b', '-b']);
  expect(most).toBe(2); // x beside w
});

test('tasks that wait for each other are an error, after all others', async () => {
  const ran: string[] = [];
  const running = runSchedule({
    tasks: [task('a', { after: ['b'] }), task('b', { behind: ['a'] }), task('c')],
    concurrency: 2,
    run: ({ name }) => {
      ran.push(name);
      return Promise.resolve('done');
    },
    laneDone: () => Promise.resolve(),
    skipped: () => undefined,
    stopped: () => undefined,
  });
  await expect(running).rejects.toThrow('wait for each other in a circle');
  expect(ran).toEqual(['c']);
});

test('no tasks are over at once', async () => {
  expect((await run([])).events).toEqual([]);
});

test('when the run is stopped nothing new begins, what runs ends, and every lane is dealt with', async () => {
  const tasks = Array.from({ length: 20 }, (_, index) =>
    task(`t${index}`, index < 10 ? {} : { after: [`t${index - 10}`] }),
  );
  const ran = await run(tasks, {
    concurrency: 2,
    stopped: (events) => (events.some((event) => event.startsWith('-')) ? 'enough' : undefined),
  });
  expect(ran.events.filter((event) => event.startsWith('+'))).toHaveLength(2);
  expect(ran.events.filter((event) => event.startsWith('-'))).toHaveLength(2);
  expect(ran.events.filter((event) => event.startsWith('.'))).toHaveLength(20);
  expect(ran.fates.size).toBe(20);
  expect(ran.events.filter((event) => event.startsWith('~') && event.endsWith(' enough'))).not.toEqual([]);
});

describe('twice as many tasks take twice as many reads of them', () => {
  const shapes: Readonly<Record<string, (names: readonly string[]) => readonly Task[]>> = {
    'in many lanes': (names) => names.map((name) => task(name)),
    'in one lane': (names) => names.map((name) => task(name, { lane: 'one' })),
    'in a chain': (names) => names.map((name, at) => task(name, { after: names.slice(Math.max(0, at - 1), at) })),
    'behind one': (names) => names.map((name, at) => task(name, { after: at === 0 ? [] : names.slice(0, 1) })),
    'before one': (names) =>
      names.map((name, at) => task(name, { after: at === names.length - 1 ? names.slice(0, -1) : [] })),
  };

  /** Runs so many tasks; gives how many of their members were read, and how many places of their lists. */
  const readsOf = async (shape: (names: readonly string[]) => readonly Task[], count: number): Promise<number> => {
    let reads = 0;
    const counted = <T extends object>(item: T): T =>
      new Proxy(item, {
        get: (target, member) => {
          reads += 1;
          return Reflect.get(target, member) as unknown;
        },
      });
    const tasks = shape(Array.from({ length: count }, (_, index) => `t${index}`));
    const fates = await runSchedule({
      tasks: tasks.map((item) => counted({ ...item, after: counted(item.after) })),
      concurrency: 8,
      run: () => Promise.resolve('done' as const),
      laneDone: () => Promise.resolve(),
      skipped: () => undefined,
      stopped: () => undefined,
    });
    expect([...fates.values()].filter((fate) => fate === 'done')).toHaveLength(count);
    return reads;
  };

  test.each(Object.entries(shapes))('%s', async (_title, shape) => {
    const [some, twice] = [await readsOf(shape, 1_000), await readsOf(shape, 2_000)];
    expect(some).toBeGreaterThan(1_000);
    expect(twice / some).toBeLessThan(2.01);
  });
});

test('a chain of ten thousand that fails at its beginning is skipped without a deep stack', async () => {
  const tasks = Array.from({ length: 10_000 }, (_, index) =>
    task(`t${index}`, { after: index === 0 ? [] : [`t${index - 1}`] }),
  );
  const { fates } = await run(tasks, { fails: (name) => name === 't0' });
  expect([...fates.values()].filter((fate) => typeof fate === 'object')).toHaveLength(9999);
});

/** Tasks that wait only for earlier ones, then shuffled. */
const plans = fc
  .array(
    fc.record({
      lane: fc.nat(4),
      after: fc.array(fc.nat(30), { maxLength: 3 }),
      behind: fc.array(fc.nat(30), { maxLength: 2 }),
      fails: fc.boolean(),
      pause: fc.nat(6),
    }),
    { maxLength: 25 },
  )
  .chain((rows) => {
    const earlier = (index: number, others: readonly number[]) =>
      index === 0 ? [] : others.map((other) => `t${other % index}`);
    const tasks = rows.map((row, index) =>
      task(`t${index}`, {
        lane: `lane ${row.lane}`,
        after: earlier(index, row.after),
        behind: earlier(index, row.behind),
      }),
    );
    return fc.record({
      tasks: fc.shuffledSubarray(tasks, { minLength: tasks.length }),
      rows: fc.constant(new Map(rows.map((row, index) => [`t${index}`, row]))),
      concurrency: fc.integer({ min: 1, max: 6 }),
      failures: fc.boolean(),
    });
  });

test('whatever waits for whatever, every task has one fate and no promise is broken', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ tasks, rows, concurrency, failures }) => {
      const { fates, events, most } = await run(tasks, {
        concurrency,
        fails: (name) => failures && rows.get(name)?.fails === true,
        pause: (name) => rows.get(name)?.pause ?? 2,
      });
      expect([...fates.keys()].toSorted()).toEqual(tasks.map(({ name }) => name).toSorted());
      expect(most).toBeLessThanOrEqual(concurrency);
      const at = (event: string) => events.findIndex((item) => item === event || item.startsWith(`${event} `));
      const over = (name: string) => Math.max(at(`-${name}`), at(`~${name}`));
      const inLane = new Map<string, string>();
      for (const event of events) {
        const name = event.slice(1);
        const lane = tasks.find((item) => item.name === name)?.lane ?? '';
        if (event.startsWith('+')) {
          expect(inLane.has(lane)).toBe(false);
          inLane.set(lane, name);
        }
        if (event.startsWith('-')) inLane.delete(lane);
      }
      for (const { name, after, behind } of tasks) {
        const fate = fates.get(name);
        const ran = at(`+${name}`) !== -1;
        expect(events.filter((event) => event === `+${name}` || event.startsWith(`~${name} `))).toHaveLength(1);
        expect(ran).toBe(typeof fate === 'string');
        expect(ran).toBe(after.every((need) => fates.get(need) === 'done'));
        if (ran) for (const need of [...after, ...behind]) expect(over(need)).toBeLessThan(at(`+${name}`));
        if (typeof fate === 'object') expect(after).toContain(fate.skipped);
      }
      for (const lane of new Set(tasks.map((item) => item.lane))) {
        expect(events.filter((event) => event === `=${lane}`)).toHaveLength(1);
        const last = Math.max(...tasks.filter((item) => item.lane === lane).map((item) => over(item.name)));
        expect(events.indexOf(`=${lane}`)).toBeGreaterThan(last);
        expect(events.indexOf(`.${lane}`)).toBeGreaterThan(-1); // and it was waited for
      }
    }),
    { numRuns: 500 },
  );
});
