import { describe, expect, test } from 'vitest';
import { rotationsIn } from '../../src/plan/rotations.ts';
import { answering, applyOver, failed, plansNothing, results, rowsIn } from '../support/faults.ts';
import {
  address,
  applications,
  fresh,
  freshForms,
  main,
  old,
  redis,
  text,
  withoutDatabases,
} from '../support/rotating.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** A rotated secret reaches the databases first, and then what connects to them. */

async function rotated(made: Bench = bench()): Promise<Bench> {
  Object.assign(made.secrets, old);
  await made.apply(text);
  Object.assign(made.secrets, fresh);
  made.requests('POST');
  return made;
}

/** The POSTs of a run, each with the service that it is about. */
function posts({ emulator }: Bench, from: number): string[] {
  const { application, postgres, redis: caches } = emulator.world.tables;
  const names = new Map(
    [application, postgres, caches].flatMap((table) => Object.entries(table).map(([id, { name }]) => [id, name])),
  );
  const about = (input: unknown) =>
    Object.values(input as Record<string, unknown>).flatMap((id) => names.get(id as string) ?? []);
  return emulator.log
    .slice(from)
    .filter(({ method, operation }) => method === 'POST' && !operation.startsWith('environment'))
    .map(({ operation, input }) => `${operation} ${about(input).join()}`);
}

test('the databases change first, and each service restarts once', async () => {
  const made = await rotated();
  const from = made.emulator.log.length;
  await made.apply(text);
  const sent = posts(made, from);
  expect(sent.toSorted()).toEqual([
    ...['api', 'job', 'old', 'web'].map((name) => `application.deploy ${name}`),
    ...['api', 'job', 'web'].map((name) => `application.saveEnvironment ${name}`),
    'postgres.changePassword main',
    'redis.changeStatus cache',
    'redis.deploy cache',
    'redis.update cache',
  ]);
  const changed = sent.indexOf('postgres.changePassword main');
  const users = sent.flatMap((one, at) => (one.startsWith('application.') ? [[one, at] as const] : []));
  expect(users.filter(([, at]) => at < changed)).toEqual([]);
  const restarted = sent.indexOf('redis.deploy cache');
  expect(users.filter(([one, at]) => one.endsWith(' job') && at < restarted)).toEqual([]);
  expect(JSON.stringify(rowsIn(made, 'application'))).not.toMatch(/-old/);
  expect(JSON.stringify(made.store.state)).not.toMatch(/correct-horse|battery-staple|Y29ycmVjdC1ob3J/);
  await plansNothing(made, text);
});

test('the plan names what changes first, and who connects with the old value until it restarts', async () => {
  const made = await rotated();
  const found = rotationsIn((await made.plan(text)).actions);
  expect(found.map(({ secret, changedFirst, clients }) => [secret, changedFirst, clients?.toSorted()])).toEqual([
    ['PW', [main], applications.toSorted()],
    ['CACHE', [redis], [address('application.job')]],
  ]);
  await made.apply(text);
  await plansNothing(made, text);
});

test('a secret that no database has changes in any order, and names no clients', async () => {
  const made = bench();
  made.secrets['PW'] = old.PW;
  await made.apply(withoutDatabases);
  made.secrets['PW'] = fresh.PW;
  const [found] = rotationsIn((await made.plan(withoutDatabases)).actions);
  expect([found?.restarts.toSorted(), found?.changedFirst, found?.clients]).toEqual([
    applications.toSorted(),
    undefined,
    undefined,
  ]);
  await made.apply(withoutDatabases);
  await plansNothing(made, withoutDatabases);
});

describe('where a database does not change,', () => {
  test.each([
    ['postgres.changePassword', applications],
    ['redis.update', [address('application.job')]],
    ['redis.deploy', [address('application.job')]],
  ])('its clients keep the old value: %s fails', async (operation, kept) => {
    const made = await rotated();
    const send = answering(made, (name) => (name === operation ? failed('it is broken', 400) : undefined));
    const ended = results(await applyOver(made, text, send));
    const rows = rowsIn(made, 'application');
    const withNew = rows
      .filter(({ env }) => freshForms.test(String(env)))
      .map(({ name }) => address(`application.${String(name)}`));
    expect(withNew.filter((one) => kept.includes(one))).toEqual([]);
    expect(kept.filter((one) => ended[one] === 'done')).toEqual(kept.filter((one) => one.endsWith('.old')));
    await made.apply(text);
    await plansNothing(made, text);
  });
});
