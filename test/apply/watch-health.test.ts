import { afterEach, expect, test, vi } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { ApplyResult } from '../../src/apply/job.ts';
import { type Applying, applyInTime, passing, plansNothingMore, platformWith } from '../support/deploying.ts';
import { actionsOf, operationOf, results, said, worldOver } from '../support/faults.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { type Bench, head } from '../support/world.ts';

/** Services that come up, and others that do not, as the platform lists their containers. */

afterEach(() => void vi.useRealTimers());

const stack = (services: string, more = '') =>
  `${head}environments:\n  production:\n    compose:\n      shop: { source: { type: raw, composeFile: '${services}' }${more} }\n`;
const one = (image: string, more = '', inBlock = '') =>
  stack(`services: { web: { image: "${image}"${more} } }`, inBlock);
const application = (image: string, more = '') =>
  `${head}environments:\n  production:\n    application:\n      web: { source: { type: docker, image: "${image}" }${more} }\n`;
const database = (image: string) =>
  `${head}environments:\n  production:\n    postgres:\n      main: { dockerImage: "${image}", databaseName: shop, databaseUser: u, databasePassword: password-1 }\n`;

/** Brings a service up, and then its next version; gives the result of its last deployment and the messages. */
async function deployTwice(first: string, second: string, options: Applying = {}) {
  const made = platformWith(0);
  if (first !== '') await applyInTime(made, first);
  const result = await applyInTime(made, second, options);
  const [, verdict] = Object.entries(results(result)).find(([address]) => address.endsWith(' (deploy)')) ?? [];
  return { made, result, verdict, text: said(result), seconds: result.seconds };
}

async function plannedNext(made: Bench, text: string) {
  return actionsOf(await passing(plan(await made.manifest(text), worldOver(made, made.emulator.send))));
}

const good = application('web:1');
const holding = [
  ['an application', good, application('web:2-will-start'), 29, 33],
  ['a database', database('postgres:17'), database('postgres:17-will-start'), 29, 33],
  ['a compose', one('web:1'), one('web:2-will-start'), 29, 33],
  [
    'one with a healthy container',
    one('web:1'),
    one('web:2-will-healthy-after-5s', ', healthcheck: { test: curl }'),
    29,
    33,
  ],
  ['one that needs 25 s', '', one('web:2-will-healthy-after-25s', ', healthcheck: { test: curl }'), 25, 36],
  [
    'one that pulls for 90 s after the deployment',
    '',
    stack('services: { web: { image: "web:will-pull-90s" } }', ', composeType: stack'),
    90,
    135,
  ],
  ['a one-shot', '', one('web:will-exit-0-after-2s'), 2, 36],
  ['one that restarts once', '', one('web:will-exit-1-after-2s-1-times', ', restart: always'), 10, 45],
  [
    'a service of a profile beside another',
    '',
    stack('services: { web: { image: "a:1" }, cli: { image: "b:will-exit-1-after-1s", profiles: [cli] } }'),
    0,
    3,
  ],
  ['no copy', application('web:1'), application('web:will-exit-1-after-1s', ', replicas: 0'), 0, 3],
  [
    'a version that fails once after Swarm stopped watching it',
    good,
    application('web:2-will-exit-1-after-8s-1-times'),
    20,
    45,
  ],
  ['a watch of 12 s', good, application('web:2-will-start', ', health: { within: 12s }'), 11, 14],
] as const;

test.each(holding)('%s holds', async (_name, first, second, least, most) => {
  const { made, verdict, text, seconds } = await deployTwice(first, second);
  expect([verdict, text]).toEqual(['done', '']);
  expect(seconds).toBeGreaterThanOrEqual(least);
  expect(seconds).toBeLessThan(most);
  await plansNothingMore(made, second);
});

const slowly = [
  [
    'one whose check succeeds in time',
    '',
    one('web:will-healthy-after-10s', ', healthcheck: { test: curl }', ', health: { within: 12s }'),
  ],
  ['one that stays up', '', one('web:will-start')],
  ['a version that fails once late', good, application('web:2-will-exit-1-after-8s-1-times')],
  [
    'one that restarts once',
    '',
    one('web:will-exit-1-after-2s-1-times', ', restart: always', ', health: { within: 15s }'),
  ],
] as const;

test.each(slowly)('%s holds, however long the answers and this machine take', async (_name, first, second) => {
  const late = [3_000, 6_000, 9_000, 40_000].flatMap((ms) => [0, 1, 2].map((nth) => [ms, nth] as const));
  for (const [ms, nth] of late) {
    const made = platformWith(0);
    if (first !== '') await applyInTime(made, first);
    let lists = 0;
    const send: Send = async (request) => {
      const isLate = operationOf(request).startsWith('docker.') && (lists += 1) % 3 === nth;
      const answer = await made.emulator.send(request);
      if (isLate) await new Promise((resolve) => setTimeout(resolve, ms));
      return answer;
    };
    const result = await applyInTime(made, second, { send, stallMs: ms / 2 });
    expect(
      [Object.values(results(result)).filter((verdict) => verdict !== 'done'), said(result)],
      `${ms} ${nth}`,
    ).toEqual([[], '']);
    await plansNothingMore(made, second);
  }
});

const falling = [
  ['a container that dies', one('web:1'), one('web:will-exit-3-after-1s'), 'container ', 'it exited with code 3'],
  [
    'a container that restarts again and again',
    '',
    one('web:will-exit-1-after-2s', ', restart: always'),
    'container ',
    'it is started again and again: it exited with code 1',
  ],
  [
    'a container that dies after it held',
    '',
    one('web:will-exit-1-after-20s'),
    'container ',
    'it exited with code 1, after it had come up',
  ],
  [
    'a health check that never succeeds',
    '',
    one('web:will-unhealthy-after-20s', ', healthcheck: { test: curl }'),
    'container ',
    'its health check fails',
  ],
  [
    'a new version of an application that Swarm takes back',
    good,
    application('web:will-exit-1-after-2s'),
    'Swarm put the former version back: task ',
    'it failed: task: non-zero exit (1)',
  ],
  [
    'a new version of a database that Swarm takes back',
    database('postgres:17'),
    database('postgres:will-exit-1-after-2s'),
    'Swarm put the former version back: task ',
    'it failed: task: non-zero exit (1)',
  ],
  [
    'the first version of an application that dies',
    '',
    application('web:will-exit-1-after-2s'),
    'task ',
    'it failed: task: non-zero exit (1)',
  ],
  [
    'one that no node takes',
    '',
    application('web:will-pending'),
    'task ',
    'no suitable node (scheduling constraints not satisfied on 1 node)',
  ],
  [
    'an image that a node does not get',
    '',
    stack('services: { web: { image: "fail:1" } }', ', composeType: stack'),
    'task ',
    'its node rejected it: No such image: fail:1',
  ],
] as const;

test.each(falling)('%s is a failed deployment', async (_name, first, second, begin, why) => {
  const { made, result, verdict, text } = await deployTwice(first, second);
  expect(verdict).toBe('failed');
  expect(text).toContain(`was deployed and does not stay up: ${begin}`);
  expect(text).toContain(why);
  const service = Object.keys(results(result)).at(-1)?.replace(' (deploy)', '');
  // The platform reads no log of a compose at once.
  const logs = service?.includes('.compose.') === true ? '' : ` trueup logs ${service} shows more.`;
  const remedy = `Fix it, and apply again: the next plan deploys it again.${logs}`;
  const details = expect.arrayContaining([expect.any(String)]) as string[];
  expect(result.outcomes.flatMap(({ diagnostics }) => diagnostics)).toMatchObject([
    { code: 'deploy-failed', details, remedy },
  ]);
  expect(mayBePartly(result)).toBe(true);
  expect(await plannedNext(made, second)).toMatchObject([expect.stringContaining('deploy')]);
  const better = second.replaceAll(/will-[\w-]*|fail:1/g, 'web:9');
  await applyInTime(made, better.replace('web:web:9', 'web:9'));
  await plansNothingMore(made, better.replace('web:web:9', 'web:9'));
});

/** A failed action that wrote something is exit code 6. */
function mayBePartly({ outcomes }: ApplyResult): boolean {
  return outcomes.some(({ result, mayHaveWritten }) => result === 'failed' && mayHaveWritten);
}

test('a platform that lists no containers is told once, and fails nothing', async () => {
  const call = 'docker.getServiceContainersByAppName';
  const made = platformWith(0, [call]);
  const several = application('web:will-exit-1-after-1s') + '      api: { source: { type: docker, image: "api:1" } }\n';
  const result = await applyInTime(made, several);
  expect(Object.values(results(result)).every((one) => one === 'done')).toBe(true);
  const notes = result.outcomes.flatMap(({ diagnostics }) => diagnostics);
  expect(notes).toMatchObject([{ code: 'unverified', severity: 'note', message: expect.stringContaining(call) }]);
  expect(result.seconds).toBeLessThan(5);
  await plansNothingMore(made, several);
});

const interrupted = [
  [
    'a health check has not decided',
    one('web:will-healthy-after-25s', ', healthcheck: { test: curl }'),
    /web-1 starts$/,
  ],
  ['a task is pending', application('web:will-pending'), /task \S+ has not started$/],
] as const;

test.each(interrupted)(
  'an interruption while %s says so, and the next run watches again',
  async (_name, text, known) => {
    const made = platformWith(0);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 5_000);
    const result = await applyInTime(made, text, { signal: stop.signal });
    expect(Object.entries(results(result)).filter(([, one]) => one !== 'done')).toEqual([
      [expect.stringContaining(' (deploy)'), 'unverified'],
    ]);
    expect(said(result)).toMatch(known);
    expect(said(result)).toContain('was deployed, and the run was interrupted before it was known to stay up: ');
    const remedy = 'The next plan looks at what became of it, and deploys it again if it has to.';
    expect(result.outcomes.flatMap(({ diagnostics }) => diagnostics)).toMatchObject([{ code: 'unverified', remedy }]);
    expect(result.seconds).toBeLessThan(8);
    // The platform calls it done; whether it holds is still open.
    expect(await plannedNext(made, text)).toMatchObject([expect.stringContaining('deploy')]);
    made.requests('POST');
    const again = await applyInTime(made, text, { limitSeconds: 40 });
    expect(made.requests('POST')).toEqual([]);
    if (text.includes('pending')) expect(said(again)).toContain('does not stay up: task ');
    else await plansNothingMore(made, text);
  },
);

const ends = [
  ['while its deployment waits', (operation: string) => /\.(re)?deploy$/.test(operation)],
  ['before a service holds', (operation: string) => operation.startsWith('docker.')],
] as const;

test.each(ends)('a run that ends %s leaves the rest to the next one', async (_name, isEnd) => {
  for (const [image, verdict] of [
    ['web:will-start', 'done'],
    ['web:will-exit-1-after-2s', 'failed'],
  ] as const) {
    const made = platformWith(2);
    const text = one(image);
    // From then on nothing is waited for: the state is as a killed process leaves it.
    const killed = new AbortController();
    const send: Send = async (request) => {
      if (isEnd(operationOf(request))) killed.abort();
      return made.emulator.send(request);
    };
    await applyInTime(made, text, { send, signal: killed.signal });
    await passing(new Promise((resolve) => setTimeout(resolve, 5_000)));
    made.requests('POST');
    const result = await applyInTime(made, text);
    expect([results(result)['production.compose.shop (deploy)'], made.requests('POST')]).toEqual([verdict, []]);
  }
});

test('a deployment that a run did not wait for is left alone', async () => {
  const made = platformWith(2);
  await applyInTime(made, one('web:will-exit-1-after-2s'), { waits: false });
  await passing(new Promise((resolve) => setTimeout(resolve, 5_000)));
  expect(await plannedNext(made, one('web:will-exit-1-after-2s'))).toEqual([]);
  await applyInTime(made, one('web:will-exit-1-after-2s'));
  await plansNothingMore(made, one('web:will-exit-1-after-2s'));
});
