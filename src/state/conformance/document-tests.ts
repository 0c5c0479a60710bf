import type { Bench, Cases } from './bench.ts';
import { expect } from './expect.ts';
import { recordOf, stateWith } from './states.ts';

/** The named documents beside a state. */
export const documentTests: Cases = {
  'are kept beside the state, each as a whole, and listed by name': async ({ begin }) => {
    const { store } = await begin();
    expect([await store.documents.list(), await store.documents.get('report.json')]).toEqual([[], undefined]);
    await store.documents.put('report.json', '{"é": "\n"}');
    await store.documents.put('history_2030-01-01.txt', 'one');
    await store.documents.put('history_2030-01-01.txt', '');
    await store.close();
    const { store: another } = await begin();
    expect(await another.documents.list()).toEqual(['history_2030-01-01.txt', 'report.json']);
    expect(await another.documents.get('report.json')).toBe('{"é": "\n"}');
    expect(await another.documents.get('history_2030-01-01.txt')).toBe('');
    expect(await another.read()).toBeUndefined();
    await another.close();
  },

  'survive a run that writes the state, and are its own': async ({ enter, leave, ground, time }) => {
    const one = await enter();
    await one.store.documents.put('a', '1');
    await one.store.append(stateWith({}, 0), 'a', recordOf('1'));
    await one.store.write(stateWith({}));
    expect([await one.store.documents.list(), await one.store.documents.get('a')]).toEqual([['a'], '1']);
    await leave(one);
    const other = await ground.open(time.process(), 'other');
    expect([await other.documents.list(), await other.documents.get('a')]).toEqual([[], undefined]);
    await other.close();
  },

  ...Object.fromEntries(
    ['', '.a', 'a/b', '../a', 'A', 'a b', 'a.tmp', 'a'.repeat(101), 'a\n'].map((name) => [
      `cannot have the name ${JSON.stringify(name)}`,
      async ({ begin }: Bench) => {
        const { store } = await begin();
        expect(await refusal(store.documents.put(name, 'text'))).toMatch('a document cannot have the name');
        expect(await refusal(store.documents.get(name))).toMatch(JSON.stringify(name));
        expect(await store.documents.list()).toEqual([]);
        await store.close();
      },
    ]),
  ),
};

/** The message that something is refused with. */
function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing: it was accepted',
    (error: unknown) => String(error),
  );
}
