import { describe, expect, test } from 'vitest';
import { type Look, judge, startedIn } from '../../src/apply/health.ts';
import { containersIn, tasksIn } from '../../src/observe/containers.ts';

/** Rows of `docker ps`, by the id: a name and a status. */
function ps(rows: Readonly<Record<string, readonly [name: string, status: string]>>) {
  return containersIn(Object.entries(rows).map(([containerId, [name, status]]) => ({ containerId, name, status })));
}

/** Rows of `docker service ps`, by the id: a name, the current state, and an error. */
function tasks(rows: Readonly<Record<string, readonly [name: string, currentState: string, error?: string]>>) {
  return tasksIn(
    Object.entries(rows).map(([containerId, [name, currentState, error = '']]) => {
      return { containerId, name, state: 'running', node: 'manager', currentState, error: error && `"${error}"` };
    }),
  );
}

function look(of: Look['of'], about: Partial<Look> & Pick<Look, 'now'>): Look {
  const usual = { sinceMs: 20_000, overMs: 12_000, withinMs: 30_000, isStrict: false, isLast: false };
  const rollsBackMs = of === 'tasks' ? 5_000 : 0;
  const one: Look = { of, before: [], startedMs: new Map(), upMs: new Map(), rollsBackMs, ...usual, ...about };
  return { ...one, startedMs: new Map(startedIn(one).map(({ key }) => [key, one.overMs])), ...about };
}

/** A verdict as one line. */
function said(verdict: ReturnType<typeof judge>): string {
  if (verdict.is === 'wait') return `wait ${verdict.forMs}`;
  return verdict.is === 'holds' ? 'holds' : `${verdict.is}: ${verdict.why}`;
}

const old = { aaa: ['shop-web-1', 'Up 3 weeks'] } as const;
const isOut = { overMs: 30_000, sinceMs: 40_000 };

describe('containers of Compose', () => {
  test.each([
    ['a container without a health check, after 10 s', { b: ['shop-web-1', 'Up 11 seconds'] }, {}, 'holds'],
    ['the same before', { b: ['shop-web-1', 'Up 3 seconds'] }, {}, 'wait 7000'],
    ['one that runs for less than a second', { b: ['shop-web-1', 'Up Less than a second'] }, {}, 'wait 10000'],
    ['a healthy container at once', { b: ['shop-web-1', 'Up 2 seconds (healthy)'] }, {}, 'holds'],
    ['one whose check has not decided', { b: ['shop-web-1', 'Up 25 seconds (health: starting)'] }, isOut, 'wait 10000'],
    [
      'the same where the manifest says within',
      { b: ['shop-web-1', 'Up 30 seconds (health: starting)'] },
      { ...isOut, isStrict: true },
      'fails: container shop-web-1: its health check did not succeed within 30 s',
    ],
    ['a check that fails at first', { b: ['shop-web-1', 'Up 12 seconds (unhealthy)'] }, {}, 'wait 18000'],
    [
      'a check that fails',
      { b: ['shop-web-1', 'Up 30 seconds (unhealthy)'] },
      isOut,
      'fails: container shop-web-1: its health check fails',
    ],
    ['a restart', { b: ['shop-web-1', 'Restarting (1) 2 seconds ago'] }, {}, 'wait 18000'],
    [
      'restarts that do not end',
      { b: ['shop-web-1', 'Restarting (1) 2 seconds ago'] },
      isOut,
      'fails: container shop-web-1: it is started again and again: it exited with code 1',
    ],
    ['one that restarted and holds', { b: ['shop-web-1', 'Up 10 seconds'] }, isOut, 'holds'],
    [
      'one that died, beside one that runs',
      { b: ['shop-web-1', 'Up 20 seconds'], c: ['shop-db-1', 'Exited (137) 3 seconds ago'] },
      {},
      'fails: container shop-db-1: it exited with code 137',
    ],
    ['a one-shot that ended with 0', { b: ['shop-migrate-1', 'Exited (0) 5 seconds ago'] }, {}, 'holds'],
    [
      'a one-shot that is started again and again',
      { b: ['shop-migrate-1', 'Restarting (0) 1 second ago'] },
      isOut,
      'fails: container shop-migrate-1: it is started again and again: it ends by itself, with code 0',
    ],
    ['one that was not started', { b: ['shop-web-1', 'Created'] }, {}, 'wait 10000'],
    [
      'the same at the end',
      { b: ['shop-web-1', 'Created'] },
      { isLast: true },
      'fails: container shop-web-1: it did not start in time',
    ],
    ['no container, soon', {}, { overMs: 1_000 }, 'wait 0'],
    ['no container', {}, isOut, 'not known: the platform lists no containers of it'],
    [
      'a paused container',
      { b: ['shop-web-1', 'Up 30 seconds (Paused)'] },
      isOut,
      'not known: container shop-web-1 is paused or was ended by somebody else',
    ],
    [
      'an old container that died long ago',
      { old: ['shop-job-1', 'Exited (1) 2 days ago'], b: ['shop-web-1', 'Up 2 minutes'] },
      { before: ps({ old: ['shop-job-1', 'Exited (1) 2 days ago'] }) },
      'holds',
    ],
    [
      'an old container that restarts, beside a new one',
      { aaa: ['shop-x-1', 'Restarting (1) 1 second ago'], b: ['shop-web-1', 'Up 12 seconds'] },
      { before: ps({ aaa: ['shop-x-1', 'Restarting (1) 9 seconds ago'] }) },
      'holds',
    ],
    [
      'an old container that was started and died',
      { aaa: ['shop-web-1', 'Exited (2) 4 seconds ago'] },
      { before: ps({ aaa: ['shop-web-1', 'Exited (2) 3 hours ago'] }) },
      'fails: container shop-web-1: it exited with code 2',
    ],
    ['a container that Compose left as it was', old, { before: ps(old) }, 'holds'],
    [
      'the same that restarts',
      { aaa: ['shop-web-1', 'Restarting (1) 1 second ago'] },
      { ...isOut, before: ps({ aaa: ['shop-web-1', 'Restarting (1) 3 seconds ago'] }) },
      'fails: container shop-web-1: it is started again and again: it exited with code 1',
    ],
    [
      'what died before, where nothing else is known',
      { aaa: ['shop-old-1', 'Exited (1) About a minute ago'], b: ['shop-web-1', 'Up 15 seconds'] },
      { before: undefined },
      'holds',
    ],
  ] as const)('%s', (_name, now, about, verdict) => {
    expect(said(judge(look('containers', { now: ps(now), ...about })))).toBe(verdict);
  });
});

describe('tasks of Swarm', () => {
  const was = { t1: ['shop.1', 'Running 3 weeks ago'] } as const;
  const before = tasks(was);
  const gone = { t1: ['\\_ shop.1', 'Shutdown 15 seconds ago'] } as const;
  test.each([
    ['a task without a health check, after 10 s', { t2: ['shop.1', 'Running 11 seconds ago'], ...gone }, {}, 'holds'],
    ['the same before', { t2: ['shop.1', 'Running less than a second ago'], ...gone }, {}, 'wait 10000'],
    ['one that pulls', { t2: ['shop.1', 'Preparing 2 minutes ago'], ...was }, { overMs: 120_000 }, 'wait 10000'],
    [
      'the same at the end',
      { t2: ['shop.1', 'Preparing 15 minutes ago'], ...was },
      { isLast: true },
      'fails: task shop.1: it did not start in time',
    ],
    [
      'a health check that has not succeeded',
      { t2: ['shop.1', 'Starting 25 seconds ago'], ...was },
      isOut,
      'wait 10000',
    ],
    ['an update that did not begin', was, { overMs: 3_000 }, 'wait 0'],
    ['no task of this deployment', was, isOut, 'not known: the platform lists no task of this deployment'],
    ['an error of docker', {}, isOut, 'not known: the platform lists no containers of it'],
    [
      'a version that Swarm took back while the old task ran',
      { t2: ['\\_ shop.1', 'Failed 4 seconds ago', 'task: non-zero exit (1)'], ...was },
      {},
      'fails: Swarm put the former version back: task shop.1: it failed: task: non-zero exit (1)',
    ],
    [
      'a version that Swarm took back with a new task',
      {
        t3: ['shop.1', 'Running 12 seconds ago'],
        t2: ['\\_ shop.1', 'Failed 14 seconds ago', 'task: non-zero exit (1)'],
        ...gone,
      },
      {},
      'fails: Swarm put the former version back: task shop.1: it failed: task: non-zero exit (1)',
    ],
    [
      'a task that had failed a moment before the deployment',
      {
        t3: ['shop.1', 'Running 11 seconds ago'],
        t2: ['\\_ shop.1', 'Failed 19 seconds ago', 'task: non-zero exit (1)'],
      },
      { before: tasks({ t2: ['shop.1', 'Failed less than a second ago', 'task: non-zero exit (1)'], ...gone }) },
      'holds',
    ],
    [
      'an image that the node does not get',
      {
        t3: ['shop.1', 'Running 12 seconds ago'],
        t2: ['\\_ shop.1', 'Rejected 14 seconds ago', 'No such image: shop:2'],
        ...gone,
      },
      {},
      'fails: Swarm put the former version back: task shop.1: its node rejected it: No such image: shop:2',
    ],
    [
      'a new task that was ended for the old one',
      { t2: ['shop.1', 'Shutdown 2 seconds ago'], ...was },
      {},
      'fails: Swarm put the former version back',
    ],
    [
      'the first version of a service that restarts once',
      {
        t2: ['shop.1', 'Running 10 seconds ago'],
        t0: ['\\_ shop.1', 'Failed 16 seconds ago', 'task: non-zero exit (1)'],
      },
      { before: [] },
      'holds',
    ],
    [
      'one that dies again and again',
      { t3: ['shop.1', 'Ready 2 seconds ago'], t2: ['\\_ shop.1', 'Failed 2 seconds ago', 'task: non-zero exit (1)'] },
      { ...isOut, before: [] },
      'fails: task shop.1: it failed: task: non-zero exit (1)',
    ],
    [
      'the same at first',
      { t2: ['shop.1', 'Failed 2 seconds ago', 'task: non-zero exit (1)'] },
      { before: [] },
      'wait 18000',
    ],
    [
      'no node for it',
      { t2: ['shop.1', 'Pending 30 seconds ago', 'no suitable node (scheduling constraints not satisfied on 1 node)'] },
      { ...isOut, before: [] },
      'fails: task shop.1: no suitable node (scheduling constraints not satisfied on 1 node)',
    ],
    ['a job that is over', { t2: ['shop.1', 'Complete 5 seconds ago'] }, { before: [] }, 'holds'],
    [
      'a second copy that is still the old one',
      { t2: ['shop.1', 'Running 11 seconds ago'], ...gone, t9: ['shop.2', 'Running 3 weeks ago'] },
      { before: tasks({ ...was, t9: ['shop.2', 'Running 3 weeks ago'] }) },
      'wait 10000',
    ],
    [
      'copies on several nodes',
      {
        t2: ['shop.1', 'Running 31 seconds ago'],
        ...gone,
        t8: ['shop.2', 'Running 12 seconds ago'],
        t9: ['\\_ shop.2', 'Shutdown 13 seconds ago'],
      },
      { before: tasks({ ...was, t9: ['shop.2', 'Running 3 weeks ago'] }) },
      'holds',
    ],
  ] as const)('%s', (_name, now, about, verdict) => {
    expect(said(judge(look('tasks', { now: tasks(now), before, ...about })))).toBe(verdict);
  });

  test('a stack renews only what changed', () => {
    const api = ['shop_api.1', 'Running 3 weeks ago'] as const;
    const stack = { before: tasks({ t1: api, t2: ['shop_web.1', 'Running 3 weeks ago'] }) };
    const [web, none] = [{ t3: ['shop_web.1', 'Running 10 seconds ago'] }, {}] as const;
    expect(said(judge(look('stack', { ...stack, now: tasks({ t1: api, ...web }) })))).toBe('holds');
    expect(said(judge(look('stack', { ...stack, now: tasks({ t1: api, ...none }) })))).toBe('holds');
  });
});

describe('a service that held', () => {
  const held = { ids: new Set(['b']), agoMs: 15_000 };
  test.each([
    ['runs on', { b: ['shop-web-1', 'Up 25 seconds'] }, 'holds'],
    [
      'ended',
      { b: ['shop-web-1', 'Exited (1) 3 seconds ago'] },
      'fails: container shop-web-1: it exited with code 1, after it had come up',
    ],
    [
      'started again',
      { b: ['shop-web-1', 'Up 4 seconds'] },
      'fails: container shop-web-1: it ended and was started again, after it had come up',
    ],
    ['was ended with 0', { b: ['shop-web-1', 'Exited (0) 3 seconds ago'] }, 'holds'],
    ['is deployed again by somebody else', { c: ['shop-web-1', 'Up 1 second'] }, 'holds'],
    ['cannot be seen any more', {}, 'holds'],
  ] as const)('%s', (_name, now, verdict) => {
    expect(said(judge(look('containers', { now: ps(now), held, before: ps({}) })))).toBe(verdict);
  });
});

test('reads no container from an answer in another form', () => {
  // The platform makes one row of an empty output.
  const empty = { containerId: 'No container id', name: 'No container name', state: 'No state', status: '' };
  expect([undefined, null, [], 'text', [null, 3, {}], [empty]].map((answer) => containersIn(answer).length)).toEqual([
    0, 0, 0, 0, 0, 0,
  ]);
  expect(tasksIn([{ containerId: 'x', name: 'shop.1', currentState: 'Dreaming 3 seconds ago' }])).toMatchObject([
    { is: 'unclear' },
  ]);
});
