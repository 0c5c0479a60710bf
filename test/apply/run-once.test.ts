import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { StateStore } from '../../src/state/state.ts';
import { stop } from '../../src/diagnostics/diagnostic.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { answered, applyOver, connection, everything, idOf, operationOf, platformOver } from '../support/faults.ts';
import { session } from '../../src/workflow/session.ts';
import { edit } from '../support/drifting.ts';
import { type Bench, bench } from '../support/world.ts';

/** What `seed:` of a preview names runs once, after everything else, until it ended well. */

const text = (seed = 'application.api.schedules.seed', more = '') => `trueup: 1
platform: emulator
project: prj_1
environment: pr
preview: { seed: [${seed}] }
application:
  api:
    source: { type: docker, image: nginx:1.27 }
    schedules:
      seed: { cronExpression: '0 3 * * *', command: npm run seed }
      more: { cronExpression: '0 4 * * *', command: npm run more }
  web: { source: { type: docker, image: nginx:1.27 } }
${more}`;
const env = 'pr-9999999';
const seed = `${env}.application.api.schedules.seed`;

const runs = async (made: Bench, files = text()) =>
  (await made.plan(files)).actions.filter(({ action }) => action !== 'no-op').map(({ address }) => address);

const writes = (made: Bench) => made.requests('POST').map((one) => one.replace(/^.*\/api\//, ''));

/** Applies over a platform that answers the request for a run in another way. */
const applyWith = (made: Bench, answer: (send: Send) => Send, files = text()) =>
  applyOver(made, files, (request) =>
    operationOf(request) === 'schedule.runManually' ? answer(made.emulator.send)(request) : made.emulator.send(request),
  );

const resultsOf = ({ outcomes }: Awaited<ReturnType<typeof applyWith>>) =>
  outcomes.flatMap(({ action, result, diagnostics }) =>
    action.action === 'run'
      ? [[action.block.slice(env.length + 1), result, ...diagnostics.map(({ message }) => message)]]
      : [],
  );

test('runs after everything else, once, and then plans nothing', async () => {
  const made = bench();
  const { actions } = await made.plan(text());
  expect(actions.at(-1)).toMatchObject({ action: 'run', address: `${seed} (run)`, block: seed });
  made.requests('POST');
  await made.apply(text());
  const sent = writes(made);
  expect(sent.at(-1)).toContain('schedule.runManually');
  expect(sent.filter((one) => one.includes('runManually'))).toHaveLength(1);
  expect(made.store.state?.resources[seed]).toMatchObject({ ran: true });
  expect(await runs(made)).toEqual([]);
  // An update keeps the note.
  const edited = text().replace('npm run seed', 'npm run seeds');
  await made.apply(edited);
  expect(writes(made).filter((one) => one.includes('runManually'))).toEqual([]);
  expect(await runs(made, edited)).toEqual([]);
  await made.destroy(edited);
  expect(Object.keys(made.store.state?.resources ?? {})).toEqual([]);
});

const cut = () => connection('ECONNRESET');
const failed = answered(JSON.stringify({ status: 'error', deploymentId: 'd', logPath: '/logs/seed.log' }));

describe('what did not end well runs again at the next apply', () => {
  test.each<[string, (send: Send) => Send, string]>([
    ['it failed', () => () => Promise.resolve(failed), 'failed: the command failed'],
    [
      'it was refused',
      () => () =>
        Promise.resolve(answered(JSON.stringify({ message: "You don't have access", code: 'UNAUTHORIZED' }), 401)),
      'was not run',
    ],
    ['no answer, and nothing is listed', () => () => Promise.reject(cut()), 'was started, and its end is not known'],
  ])('%s', async (_, answer, message) => {
    const made = bench();
    const result = await applyWith(made, answer);
    expect(resultsOf(result)).toEqual([
      ['application.api.schedules.seed', 'failed', expect.stringContaining(`${seed} ${message}`)],
    ]);
    expect(await runs(made)).toEqual([`${seed} (run)`]);
    made.requests('POST');
    await made.apply(text());
    expect(writes(made)).toEqual([expect.stringContaining('schedule.runManually')]);
    expect(await runs(made)).toEqual([]);
  });
});

test.each([
  ['done', true],
  ['failed', false],
])('a lost answer: the end that the platform lists counts: %s', async (result, hasContainer) => {
  const made = bench();
  const ended = await applyWith(made, (send) => async (request) => {
    if (!hasContainer) await edit(made, 'application.stop', { applicationId: idOf(made, `${env}.application.api`) });
    await send(request);
    throw cut();
  });
  expect(resultsOf(ended).map((one) => one.slice(0, 2))).toEqual([['application.api.schedules.seed', result]]);
  expect(await runs(made)).toEqual(hasContainer ? [] : [`${seed} (run)`]);
});

test('a kill between the run and its note: it runs again', async () => {
  const made = bench();
  let isKilled = false;
  const dies = () => Promise.reject(stop('state', 'state-unusable', 'killed'));
  const { append, write } = made.store;
  const store: StateStore = {
    ...made.store,
    append: (base, ...entry) => (isKilled ? dies() : append(base, ...entry)),
    write: (state) => (isKilled ? dies() : write(state)),
  };
  const send: Send = async (request) => {
    const answer = await made.emulator.send(request);
    isKilled ||= operationOf(request) === 'schedule.runManually';
    return answer;
  };
  const at = { purpose: 'apply', clock: made.clock };
  await session(await made.manifest(text()), platformOver(made, send, store), at, async (run) =>
    run.apply(await run.plan(), everything),
  );
  expect(await runs(made)).toEqual([`${seed} (run)`]);
  made.requests('POST');
  await made.apply(text());
  expect(writes(made)).toEqual([expect.stringContaining('schedule.runManually')]);
  expect(await runs(made)).toEqual([]);
});

test('several run in the order of seed:, and none after a failure', async () => {
  const both = text('application.api.schedules.seed, application.api.schedules.more');
  const made = bench();
  expect(resultsOf(await applyWith(made, () => () => Promise.resolve(failed), both))).toEqual([
    ['application.api.schedules.seed', 'failed', expect.stringContaining('failed: the command')],
    ['application.api.schedules.more', 'skipped', expect.stringContaining(`the run of ${seed} did not succeed`)],
  ]);
  await made.apply(both);
  expect(await runs(made, both)).toEqual([]);
});

test('waits for the deployment of its service, and needs the operation', async () => {
  const made = bench();
  const without = await plan(await made.manifest(text()), made.world(), { deploys: false });
  expect(without.actions.map(({ action }) => action)).not.toContain('run');
  const lacking = bench({ lacks: ['schedule.runManually'] });
  const { actions } = await lacking.plan(text());
  expect(actions.map(({ action }) => action)).not.toContain('run');
  expect(actions.flatMap(({ notes }) => notes.map(({ code, message }) => `${code}: ${message}`))).toEqual([
    `not-served: ${seed} cannot be run: the platform has no operation for it`,
  ]);
});
