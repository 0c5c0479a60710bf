import { expect } from './expect.ts';
import type { Bench, Cases, Ground } from './bench.ts';
import { same } from '../../formats/json.ts';
import { recordOf, stateWith } from './states.ts';
import type { State } from '../state.ts';
import type { VirtualProcess } from './virtual-processes.ts';

const first = stateWith({ a: recordOf('1'), b: recordOf('2') });
const last = stateWith({ a: recordOf('1'), c: recordOf('4'), d: recordOf('5') }, 2);
/** What the state may be, from the beginning to the end. */
const history: readonly (State['resources'] | undefined)[] = [
  first.resources,
  { ...first.resources, c: recordOf(null) },
  { ...first.resources, c: recordOf('3') },
  { a: recordOf('1'), c: recordOf('3') },
  last.resources,
];

/** Lives such a life, and tells how far it came. */
async function live(ground: Ground, process: VirtualProcess, reached: (step: number) => void): Promise<void> {
  const store = await ground.open(process);
  const lease = await store.lock({ purpose: 'apply' });
  const base = (await store.read()) ?? first;
  await store.append(base, 'c', recordOf(null));
  reached(1);
  await store.append(base, 'c', recordOf('3'));
  reached(2);
  await store.append(base, 'b', null);
  reached(3);
  await store.write({ ...last, serial: base.serial + 1 });
  reached(4);
  await lease.release();
  await store.close();
}

/** A run that ends at any of its operations loses nothing that it was told is durable. */
export const killTests: Cases = Object.fromEntries(
  (['before', 'after'] as const).map((where) => [
    `at any of its operations, ${where} that takes effect, keeps every record that it acknowledged, and locks no run out`,
    async ({ ground, time, enter, leave, resourcesNow }: Bench) => {
      const zero = await enter();
      await zero.store.write(first);
      await leave(zero);
      let points = 0;
      for (let at = 1; ; at++) {
        const process = time.process();
        const death = ground.dieAt(process, at, where);
        let step = 0;
        let isOver = false;
        const life = live(ground, process, (reached) => {
          step = reached;
        }).then(
          () => {
            isOver = true;
          },
          () => undefined,
        );
        await Promise.race([life, death]);
        process.kill();
        const next = await enter();
        const state = await next.store.read();
        const reached = history.findIndex((resources) => same(resources, state?.resources));
        expect([where, at, reached >= step, reached]).toEqual([where, at, true, reached]);
        // And the next run goes on from there as if nothing had happened.
        await next.store.append(state ?? first, 'e', recordOf('6'));
        expect((await resourcesNow())?.e).toEqual(recordOf('6'));
        await next.store.write({ ...first, serial: (state?.serial ?? 0) + 1 });
        expect(await resourcesNow()).toEqual(first.resources);
        await leave(next);
        if (isOver) break;
        points = at;
      }
      expect(points).toBeGreaterThan(2);
    },
  ]),
);
