import { expect, test } from 'vitest';
import type { World } from '../../src/emulator/world.ts';
import { explore } from '../support/crashes/explore.ts';
import { imageOf } from '../support/crashes/platform.ts';
import type { Moment, Place } from '../support/crashes/process.ts';
import { runProcess } from '../support/crashes/process.ts';
import { simulateTimers } from '../support/crashes/timers.ts';
import { kindBench, worldWithMember } from '../support/kind-world.ts';
import { fresh, old, text } from '../support/rotating.ts';
import { effort } from '../support/whole.ts';

/** Runs that give a database and its clients a new password, and end in the middle. */

simulateTimers();

/** Whether an application has a password that its database does not have yet. */
function isTooEarly({ place }: Moment): boolean {
  const { application, postgres, redis } = (JSON.parse(place.platform.world) as World).tables;
  const written = JSON.stringify(Object.values(application).map(({ env }) => env));
  const lacks = (table: Readonly<Record<string, { readonly databasePassword?: unknown }>>, password: string) =>
    !Object.values(table).some(({ databasePassword }) => databasePassword === password);
  return (
    (/correct-horse-new|Y29ycmVjdC1ob3JzZS1uZX/.test(written) && lacks(postgres, fresh.PW)) ||
    (written.includes(fresh.CACHE) && lacks(redis, fresh.CACHE))
  );
}

test('a run that ends at any moment left no application with a password that its database does not take, and the next one ends it', async () => {
  const made = kindBench();
  const manifestWith = (values: Record<string, string>) => {
    Object.assign(made.secrets, values);
    return made.manifest(text);
  };
  let start: Place = { platform: imageOf(worldWithMember()), files: new Map(), at: 0, underway: [] };
  const before = await runProcess(start, { manifest: await manifestWith(old), adoption: true });
  expect(before.failures).toEqual([]);
  start = before.place;
  const early: string[] = [];
  const explored = await explore({
    start,
    task: { manifest: await manifestWith(fresh) },
    crashes: 1,
    every: effort({ fast: 6, all: 1 }),
    tears: false,
    onMoment: (moment) => {
      if (isTooEarly(moment)) early.push(moment.what);
    },
  });
  expect(early).toEqual([]);
  expect(explored.situations).toBeGreaterThan(20);
});
