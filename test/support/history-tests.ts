import { testKeys } from './state-key.ts';
import { isSampled } from './whole.ts';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { localStore } from '../../src/state/backends/local.ts';
import type { StateStore } from '../../src/state/state.ts';
import type { Fault, Start, Watched } from './histories.ts';
import {
  begin,
  emptied,
  failedAfter,
  failedBefore,
  faultAt,
  goOn,
  ignored,
  killedRun,
  lost,
  mostOrders,
  nothing,
  postsTo,
  refused,
  run,
  startAfter,
  undeployed,
  worldOf,
} from './histories.ts';
import { readsInBulk, testBulk } from './profile.ts';
import { watched } from './organization-blocks.ts';
import type { Bench } from './world.ts';

/** What a history begins with and ends in, and how many POSTs that takes. */
export interface History {
  readonly before: readonly string[];
  readonly after: string;
  readonly posts: number;
}

const deaths = ['before the POST', 'after the POST', 'before the save', 'after the save'] as const;
const faults: [string, Fault][] = [
  ['is carried out and its answer lost', lost],
  ['is carried out and answered with 500', failedAfter],
  ['is carried out and answered with nothing', emptied],
  ['is not carried out and answered with 500', failedBefore],
  ['is refused at the door', refused],
];

/** The tiers below `all` try each fourth POST and save of a long history, and others with each fault: every POST meets two faults at least. */
const sampleOf = (posts: number): number => (posts < 6 ? 1 : 4);

/**
 * Each history is run once cleanly, and then once for each of its POSTs and saves with something happening there. Two
 * more runs at most have to give the world of the clean run: nothing twice, nothing missing, nothing left in the plan.
 * No service may lose its key meanwhile. In the end each service runs with what was written to it, and the
 * platform took no order to deploy twice.
 */
export function testHistories(histories: Readonly<Record<string, History>>, statesAre: 'on disk' | 'in memory'): void {
  const starts = new Map<string, Start>();
  const wanted = new Map<string, string[]>();

  beforeAll(async () => {
    for (const [name, { before, after, posts }] of Object.entries(histories)) {
      const start = await startAfter(...before);
      starts.set(name, start);
      const clean = begin(start);
      expect(await run(clean, after, { adoption: true })).toEqual([]);
      expect([name, postsTo(clean)]).toEqual([name, posts]);
      expect(readsInBulk(clean.emulator)).toBe(testBulk);
      expect([name, undeployed(clean), mostOrders(clean) > 1]).toEqual([name, [], false]);
      wanted.set(name, worldOf(clean));
    }
  });

  describe.each(Object.entries(histories))('%s:', (name, { after, posts }) => {
    const each = Array.from({ length: posts }, (_, index) => index + 1);
    const row = Object.keys(histories).indexOf(name);
    const isTried = (fault: number, at: number) => isSampled(row + fault, at, sampleOf(posts));
    const start = () => begin(starts.get(name) ?? nothing);

    test.each(deaths)('a run that is killed %s is finished by the next ones', async (where) => {
      for (let at = 1; ; at++) {
        if (!isTried(deaths.indexOf(where), at)) continue;
        const made = start();
        const store = statesAre === 'on disk' ? await disk(made) : () => made.store;
        const noted: string[] = [];
        const watch = { watch: (send: typeof made.emulator.send) => watched(made, noted, send) };
        if (!(await killedRun(made, after, { at, where }, { store: store(), ...watch }))) break;
        await goOn(made, after, { store, send: watched(made, noted) });
        expect(worldOf(made), `killed ${where} ${at}`).toEqual(wanted.get(name));
        expectDeployed(made, `killed ${where} ${at}`);
        expect(noted).toEqual([]);
      }
    });

    test.each<[string, Fault]>(faults)('a POST that %s is made up for by the next runs', async (_title, fault) => {
      const index = faults.findIndex(([, one]) => one === fault);
      for (const at of each.filter((at) => isTried(index, at))) {
        const made = start();
        const noted: string[] = [];
        const { send, hit } = faultAt(made, at, fault);
        const failures = await run(made, after, { send: watched(made, noted, send), adoption: true });
        if (failures.length === 0) {
          expect(worldOf(made), `${hit()} said to be done`).toEqual(wanted.get(name));
          expectDeployed(made, `${hit()} said to be done`);
        }
        await goOn(made, after, { send: watched(made, noted) });
        expect(worldOf(made), `${hit()}, POST ${at}`).toEqual(wanted.get(name));
        expectDeployed(made, `${hit()}, POST ${at}`);
        expect(noted).toEqual([]);
      }
    });

    test('a POST that is answered with 200 and not carried out is made up for, an ignored update by the next run', async () => {
      for (const at of each.filter((at) => isTried(faults.length, at))) {
        const made = start();
        const noted: string[] = [];
        const { send, hit } = faultAt(made, at, ignored);
        const failures = await run(made, after, { send: watched(made, noted, send), adoption: true });
        if (failures.length === 0) expect(worldOf(made), `${hit()} said to be done`).toEqual(wanted.get(name));
        if (failures.some((failure) => failure.startsWith('ignored'))) {
          expect(hit()).toMatch(/\.(update|save\w+)$/);
          expect(worldOf(made), `${hit()}, POST ${at}`).not.toEqual(wanted.get(name));
        }
        await goOn(made, after, { send: watched(made, noted) });
        expect(worldOf(made), `${hit()}, POST ${at}`).toEqual(wanted.get(name));
        expectDeployed(made, `${hit()}, POST ${at}`);
        expect(noted).toEqual([]);
      }
    });
  });
}

/** Everything that a run can deploy runs with what was written to it, and was told to deploy once at most. */
function expectDeployed(made: Watched, when: string): void {
  expect([undeployed(made), mostOrders(made) > 1], when).toEqual([[], false]);
}

/** The state of a bench in a folder of its own; each run opens it anew, as a process does. */
async function disk(made: Bench): Promise<() => StateStore> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-kills-'));
  if (made.store.state !== undefined) await localStore(folder, { keys: testKeys }).write(made.store.state);
  return () => localStore(folder, { keys: testKeys });
}
