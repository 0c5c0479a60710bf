import { afterEach, expect, test, vi } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { ApplyEvent } from '../../src/apply/job.ts';
import { exitOf } from '../../src/documents/result-document.ts';
import { everything } from '../../src/plan/narrow.ts';
import { applyInTime, ordersIn, passing, plansNothingMore, platformWith } from '../support/deploying.ts';
import { driftOf } from '../support/drifting.ts';
import { actionsOf, connection, failed, results, said } from '../support/faults.ts';
import {
  application,
  at,
  compose,
  configuration,
  database,
  file,
  meeting,
  notesIn,
  planned,
  restoring,
} from '../support/restoring.ts';

/** Services with `deploy: { onFailure: restore }`, whose new version does not stay up or is not deployed. */

afterEach(() => void vi.useRealTimers());

const dies = 'web:2-will-exit-1-after-5s';
const failing = [
  ['an application that dies', application('web:1'), application(dies), application('web:3')],
  [
    'an application with variables and copies',
    application('web:1', ', env: { A: "1" }'),
    application(dies, ', env: { A: "2", B: "3" }, replicas: 2'),
    application('web:3'),
  ],
  ['an application whose image does not come', application('web:1'), application('fail:1'), application('web:3')],
  [
    'an application that dies in the rest of its watch',
    application('web:1'),
    application('web:2-will-exit-1-after-20s'),
    application('web:3'),
  ],
  ['a compose that dies', compose('web:1', file('old')), compose(dies, file('new')), compose('web:3', file('new'))],
  [
    'a compose with another file only',
    compose('web:1-will-start', `, env: { A: "1" }${file('old')}`),
    compose('fail:1', `, env: { A: "2" }${file('new')}`),
    compose('web:1', file('new')),
  ],
  [
    'a database that dies',
    database('postgres:17.1'),
    database('postgres:17.2-will-exit-1-after-8s'),
    database('postgres:17.2'),
  ],
] as const;

test.each(failing)('%s runs in its former version again', async (_name, former, fresh, fixed) => {
  const made = platformWith(0);
  await applyInTime(made, former);
  const before = configuration(made);
  ordersIn(made);
  const result = await applyInTime(made, fresh);
  expect(said(result)).toMatch(/the new version failed: .*; the former one runs again/);
  expect(exitOf(result)).toBe('partly');
  expect(configuration(made)).toEqual(before);
  expect(ordersIn(made)).toHaveLength(2);
  // The same change is shown, refused and not repeated.
  const [note, ...more] = await notesIn(made, fresh);
  expect([note?.code, more]).toEqual(['failed-before', []]);
  expect(note?.message).toMatch(/failed when it was deployed on 20\d\d-.*Z, and the former version was deployed again/);
  const again = await applyInTime(made, fresh);
  expect([exitOf(again), ordersIn(made), configuration(made)]).toEqual(['failed', [], before]);
  // It can be repeated, undone or replaced.
  await plansNothingMore(made, former);
  const fixedResult = await applyInTime(made, fixed);
  expect(said(fixedResult)).toBe('');
  await plansNothingMore(made, fixed);
});

test('the same change is repeated on demand, and a change of another field or service is not held up', async () => {
  const made = platformWith(0);
  const both = (image: string, other: string, description: string) =>
    application(image, `, description: ${description}, domains: { "${other}.example.com": { port: 80 } }`);
  await applyInTime(made, both('web:1', 'a', 'one'));
  await applyInTime(made, both(dies, 'a', 'one'));
  ordersIn(made);
  const beside = `${both(dies, 'b', 'two')}      api: { source: { type: docker, image: "api:1" } }\n`;
  const result = await applyInTime(made, beside);
  expect(results(result)['production.application.web']).toBe('failed');
  expect([exitOf(result), ordersIn(made)]).toEqual(['partly', ['api']]);
  const [web] = Object.values(made.emulator.world.tables.application);
  expect([web?.dockerImage, web?.description]).toEqual(['web:1', 'two']);
  expect(Object.values(made.emulator.world.tables.domain).map(({ host }) => host)).toEqual(['b.example.com']);
  const narrowing = { ...everything, retriesFailed: true } as const;
  const again = actionsOf(await planned(made, beside, { narrowing }));
  expect(again).toEqual(['update production.application.web', 'deploy production.application.web (deploy)']);
  // So is one whose block does not ask for a restore any more.
  expect(actionsOf(await planned(made, beside.replace(`, ${restoring}`, '')))).toEqual(again);
});

const refuses = (what: string, which: number) => async (operation: string, nth: number) =>
  operation === what && nth >= which ? failed('no') : undefined;
const env = (value: string) => `, env: { A: "${value}" }`;
const disturbed = [
  [
    'a write of a former value is refused',
    refuses('application.saveEnvironment', 2),
    /the restore of the former one failed: .*no.*; the platform may have values of both versions in source\.image, env\.A/,
    /did not finish: the platform has (other values than the manifest in source\.image|the values of the manifest)/,
  ],
  [
    'the deployment of the former version is refused',
    refuses('application.deploy', 2),
    /the restore of the former one failed: .*; the platform has the values of the former version, and what runs is not known/,
    /did not finish: the platform has other values than the manifest in source\.image, env\.A/,
  ],
] as const;

test.each(disturbed)(
  '%s: the report, the state and the next plan say what the platform has',
  async (_name, meet, report, note) => {
    const made = platformWith(0);
    await applyInTime(made, application('web:1', env('1')));
    const result = await applyInTime(made, application(dies, env('2')), { send: meeting(made, meet) });
    expect(said(result)).toMatch(report);
    const failedDeploy = Object.values(made.store.state?.deployments ?? {})[0]?.failed;
    expect([failedDeploy?.isRestoring, exitOf(result)]).toEqual([true, 'partly']);
    expect((await notesIn(made, application(dies, env('2')))).map(({ message }) => message)).toEqual([
      expect.stringMatching(note),
    ]);
    expect(exitOf(await applyInTime(made, application(dies, env('2'))))).toBe('failed');
    await applyInTime(made, application('web:1', env('1')));
    await plansNothingMore(made, application('web:1', env('1')));
  },
);

test('a value that another user writes meanwhile is not overwritten', async () => {
  const made = platformWith(0);
  await applyInTime(made, application('web:1', env('1')));
  const id = Object.keys(made.emulator.world.tables.application)[0] ?? '';
  const send = meeting(made, async (operation) => {
    if (operation === 'application.deploy')
      setTimeout(() => Object.assign(made.emulator.world.tables.application[id] ?? {}, { env: 'A=theirs' }), 3_000);
    return undefined;
  });
  const result = await applyInTime(made, application(dies, env('2')), { send });
  expect(said(result)).toContain('production.application.web: env was changed on the platform meanwhile');
  expect(made.emulator.world.tables.application[id]?.env).toBe('A=theirs');
});

test('a lost answer to any request of the run and its restore leaves the former version', async () => {
  for (const when of ['before', 'after'] as const) {
    for (let lost = 1; lost <= 8; lost += 1) {
      const made = platformWith(0);
      await applyInTime(made, application('web:1', env('1')));
      const before = configuration(made);
      let writes = 0;
      const send: Send = async (request) => {
        const isLost = request.method === 'POST' && ++writes === lost;
        if (isLost && when === 'before') throw connection('ECONNRESET');
        const answer = await made.emulator.send(request);
        if (isLost) throw connection('ECONNRESET');
        return answer;
      };
      const result = await applyInTime(made, application(dies, env('2')), { send });
      expect(said(result), `${when} ${lost}`).toContain('; the former one runs again');
      expect(configuration(made), `${when} ${lost}`).toEqual(before);
      await plansNothingMore(made, application('web:1', env('1')));
    }
  }
});

const unrestorable = [
  ['a new service', '', application('web:1'), 'nothing ran before'],
  [
    'a version that failed before',
    application('fail:1'),
    application('web:2'),
    'no former version is known that was deployed with success',
  ],
  [
    'a former image without a version',
    application('web', ', x').replace(`, ${restoring}, x`, ''),
    application('web:2'),
    'of the former version, web means another version each time',
  ],
  ['a database of another major version', database('postgres:16'), database('postgres:17'), 'data is at risk'],
  [
    'a mount that comes',
    application('web:1'),
    application('web:2', ', mounts: { /data: { type: volume, volumeName: data } }'),
    'the plan also changes production.application.web.mounts',
  ],
] as const;

test.each(unrestorable)('the plan of %s says that nothing is restored', async (_name, former, fresh, why) => {
  const made = platformWith(0);
  if (former !== '') await applyInTime(made, former);
  const notes = await notesIn(made, fresh);
  expect(notes.map(({ code, message }) => [code, message])).toEqual([['no-restore', expect.stringContaining(why)]]);
});

test('the plan shows no secret of a former image that has no version', async () => {
  const made = platformWith(0);
  made.secrets['OWNER'] = 'canary-owner-4713';
  await applyInTime(made, compose('${secret:OWNER}/web', file('a')).replace(`, ${restoring}`, ''));
  const [note] = await notesIn(made, compose('web:2', file('a')));
  expect(note?.message).toContain('of the former version, web: (sensitive) means another version each time');
});

const refused = [
  [
    'a repository',
    at(
      'application',
      `web: { source: { type: git, url: "https://git.example.com/w.git", branch: main }, build: { type: static }, ${restoring} }`,
    ),
    'the source is git, and a deployment takes the newest code',
  ],
  ['latest', application('web:latest'), 'web:latest means another version each time'],
  [
    'no tag, with a port',
    application('registry.example.com:5000/web'),
    'registry.example.com:5000/web means another version',
  ],
  ['a branch', application('web:main'), 'web:main means another version'],
  ['a line of a distribution', database('postgres:alpine'), 'postgres:alpine means another version'],
  ['a compose with one image of no version', compose('web', file('a')), 'web: web means another version'],
  ['a variable of a compose', compose('web:${TAG:-edge}', file('a')), 'web: web:edge means another version'],
] as const;

test.each(refused)('%s is refused', async (_name, text, message) => {
  const made = platformWith(0);
  await expect(made.manifest(text)).rejects.toThrow(message);
});

test.each([
  'web:1',
  'web:v1.2.3',
  'web:2025-11-28',
  'web:release-7',
  'web:RELEASE.2024-01-01T00',
  'web:9f8e7d6',
  'web:sha-9f8e7d6',
  `web@sha256:${'a'.repeat(64)}`,
  'registry.example.com:5000/web:1.4-alpine',
])('%s is a version', async (image) => {
  expect((await platformWith(0).manifest(application(image))).resources).not.toEqual([]);
});

test('an image of a compose with a secret may have a version', async () => {
  const text = compose('web:${secret:TAG}', file('a'));
  expect((await platformWith(0).manifest(text)).resources).not.toEqual([]);
});

test('drift calls a change that failed one that is not applied yet, and no drift', async () => {
  const made = platformWith(0);
  await applyInTime(made, application('web:1'));
  await applyInTime(made, application(dies));
  const { findings } = await passing(driftOf(made, application(dies)));
  expect(findings.map(({ is, path }) => [is, path])).toEqual([['not yet applied', 'source.image']]);
});

test('no secret of either version is in what a run says, in the state or in the next plan', async () => {
  const made = platformWith(0);
  Object.assign(made.secrets, { FORMER: 'canary-former-4711', FRESH: 'canary-fresh-4712' });
  const text = (image: string, secret: string) => application(image, `, env: { TOKEN: "\${secret:${secret}}" }`);
  await applyInTime(made, text('web:1', 'FORMER'));
  const events: ApplyEvent[] = [];
  const result = await applyInTime(made, text(dies, 'FRESH'), { onEvent: (event) => void events.push(event) });
  expect(said(result)).toContain('; the former one runs again');
  const { actions } = await planned(made, text(dies, 'FRESH'));
  const shown = actions.map(({ notes, changes }) => [notes, changes]);
  expect(JSON.stringify([made.store.state, said(result), events, shown])).not.toMatch(/canary/);
});
