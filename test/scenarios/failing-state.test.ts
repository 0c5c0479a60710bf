import { expect, test } from 'vitest';
import { plan } from '../../src/workflow/make-plan.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { endingOf } from '../../src/documents/result-document.ts';
import type { StateStore } from '../../src/state/state.ts';
import { unusable } from '../../src/state/unusable.ts';
import {
  answering,
  applyOver,
  everything,
  failed,
  plansNothing,
  results,
  rowsIn,
  said,
  worldOver,
} from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** A state that cannot be written, at the end or in the middle: what is told is what was done. */

const shop = 'production.compose.shop';
const main = 'production.postgres.main';
const full = (what: string) => unusable('here', `cannot be ${what} (ENOSPC: the disk is full)`);

async function applyInto(made: Bench, text: string, store: StateStore, send = made.emulator.send) {
  const world = worldOver(made, send, store);
  const planned = await plan(await made.manifest(text), world);
  made.requests('POST');
  return applyPlan(planned, world, { permissions: everything, connections: 4, clock: made.clock });
}

test('results and failures are reported when the state cannot be written at the end, with the reason', async () => {
  const made = bench();
  await made.apply(production(stack('description: a')));
  const text = production(stack('description: b') + database());
  const refusing = answering(made, (operation) =>
    operation === 'postgres.create' ? failed('Only 3 databases are allowed', 403, { code: 'FORBIDDEN' }) : undefined,
  );
  const store = { ...made.store, write: () => Promise.reject(full('replaced')) };
  const result = await applyInto(made, text, store, refusing);
  expect(results(result)).toMatchObject({ [shop]: 'done', [main]: 'failed' });
  expect(said(result)).toContain('Only 3 databases are allowed');
  expect(result.unsaved?.message).toContain('cannot be replaced (ENOSPC');
  expect(endingOf(result)).toBe('partly');
  // The journal has it.
  await made.apply(text);
  await plansNothing(made, text);
});

test('a run of which all is done ends partly when only the state was not written', async () => {
  const made = bench();
  const text = production(stack());
  const result = await applyInto(made, text, { ...made.store, write: () => Promise.reject(full('replaced')) });
  expect(results(result)[shop]).toBe('done');
  expect(endingOf(result)).toBe('partly');
  await made.apply(text);
  await plansNothing(made, text);
});

test('a record that cannot be added ends a run: sent requests are reported, and the state has no other', async () => {
  const text = production(
    stack('description: b, deploy: never, files: { a.conf: { content: "1" } }') + database('deploy: never'),
  );
  for (let at = 1; ; at++) {
    const made = bench();
    await made.apply(production(stack('description: a')));
    let count = 0;
    const store: StateStore = {
      ...made.store,
      append: (base, ...entry) => (++count < at ? made.store.append(base, ...entry) : Promise.reject(full('written'))),
    };
    const result = await applyInto(made, text, store);
    const sent = made.requests('POST').map((operation) => operation.split('.')[0]);
    if (count < at) break;
    expect([at, endingOf(result)]).not.toEqual([at, 'done']);
    expect(said(result)).toContain('cannot be written (ENOSPC');
    for (const { action, result: what, mayHaveWritten } of result.outcomes) {
      const wasSent = sent.includes(action.kind.kind === 'fileMount' ? 'mounts' : action.kind.kind);
      if (action.action === 'no-op') continue;
      expect([at, action.address, mayHaveWritten]).toEqual([at, action.address, wasSent]);
      if (wasSent) expect([at, action.address, what]).not.toEqual([at, action.address, 'skipped']);
    }
    // A pending create without a request would claim the object of another person.
    const known = made.store.state?.resources[main];
    expect([at, known === undefined]).toEqual([at, !sent.includes('postgres')]);
    expect(known?.id === null && rowsIn(made, 'postgres').length === 0).toBe(false);
    await made.apply(text);
    await plansNothing(made, text);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
  }
});

test('a listener that throws holds nothing up: the run ends, saves, and reports the error', async () => {
  const made = bench();
  const unheard: unknown[] = [];
  const hear = (error: unknown) => unheard.push(error);
  process.on('unhandledRejection', hear);
  const text = production(stack() + database());
  const onEvent = () => {
    throw new Error('the listener is broken');
  };
  await expect(applyOver(made, text, made.emulator.send, { onEvent })).rejects.toThrow('the listener is broken');
  process.off('unhandledRejection', hear);
  expect(unheard).toEqual([]);
  await plansNothing(made, text);
});
