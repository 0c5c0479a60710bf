import { describe, expect, test } from 'vitest';
import type { Send, WireAnswer } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import {
  answered,
  applyOver,
  connection,
  failed,
  idOf,
  operationOf,
  plansNothing,
  results,
  rowsIn,
  said,
} from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** What somebody changes by hand while a run is under way. */

const address = 'production.compose.shop';

/** What becomes of the first request, and whether the platform carried it out. */
const delays: readonly (readonly [string, boolean, () => WireAnswer])[] = [
  [
    'it is lost',
    false,
    () => {
      throw connection('ECONNRESET');
    },
  ],
  [
    'it is carried out and its answer is lost',
    true,
    () => {
      throw connection('ECONNRESET');
    },
  ],
  ['the platform fails', false, () => failed('out of memory', 502, {})],
  [
    'it has to wait',
    false,
    () => ({
      ...answered('{"message":"slow down","code":"TOO_MANY_REQUESTS"}', 429),
      headers: { 'retry-after': '20' },
    }),
  ],
];

/** A platform on which somebody changes something while the first request of an operation is under way. */
function meddling(
  made: Bench,
  operation: string,
  { isDone, answer, byHand }: { isDone: boolean; answer: () => WireAnswer; byHand: () => Promise<unknown> },
): Send {
  let count = 0;
  return async (request) => {
    if (operationOf(request) !== operation || ++count > 1) return made.emulator.send(request);
    if (isDone) await made.emulator.send(request);
    await byHand();
    return answer();
  };
}

describe.each(delays)('an update is sent again because %s, and meanwhile a person', (_why, isDone, answer) => {
  const over = async (before: string, after: string, change: (row: Row) => Row) => {
    const made = bench();
    await made.apply(production(stack(before)));
    const composeId = idOf(made, address);
    const byHand = () =>
      made.emulator.act('compose.update', { composeId, ...change(rowsIn(made, 'compose')[0] ?? {}) });
    const result = await applyOver(
      made,
      production(stack(after)),
      meddling(made, 'compose.update', { isDone, answer, byHand }),
    );
    const rest = async () => {
      await made.apply(production(stack(after)));
      await plansNothing(made, production(stack(after)));
    };
    return { result, row: rowsIn(made, 'compose')[0] ?? {}, rest };
  };
  const text = (value: string, mode: string) => `description: "${value}", envMode: ${mode}, env: { A: "${value}" }`;

  test('added a variable, where others may: it stays', async () => {
    const { result, row, rest } = await over(text('1', 'merge'), text('2', 'merge'), ({ env }) => ({
      env: `${String(env)}HOTFIX=1\n`,
    }));
    expect(results(result)[address]).toBe('done');
    expect(String(row.env).split('\n').filter(Boolean).toSorted()).toEqual(['A=2', 'HOTFIX=1']);
    await rest();
  });

  test('added a variable, where all are ours: it is not overwritten, and named', async () => {
    const { result, row, rest } = await over(text('1', 'own'), text('2', 'own'), ({ env }) => ({
      env: `${String(env)}HOTFIX=1\n`,
    }));
    // What was carried out is known to be there: nothing has to be sent again.
    expect(results(result)[address]).toBe(isDone ? 'done' : 'failed');
    if (!isDone) expect(said(result)).toContain(`env.HOTFIX of ${address} was added on the platform`);
    expect(String(row.env)).toContain('HOTFIX=1');
    await rest();
  });

  test('edited the field: it is not overwritten, and named', async () => {
    const { result, row, rest } = await over(text('1', 'own'), text('2', 'own'), () => ({ description: 'by hand' }));
    expect(results(result)[address]).toBe('failed');
    expect(said(result)).toContain(`description of ${address} was changed on the platform`);
    expect(row.description).toBe('by hand');
    await rest();
  });

  test('edited a field that is not declared: the update is sent', async () => {
    const { result, row, rest } = await over('env: { A: "1" }', 'env: { A: "2" }', () => ({ description: 'by hand' }));
    expect(results(result)[address]).toBe('done');
    expect(row).toMatchObject({ description: 'by hand', env: 'A=2\n' });
    await rest();
  });
});

test('a change made while an action waited for another scope is not overwritten, and named', async () => {
  const made = bench();
  const files = (a: string, b: string) => stack(`files: { a.conf: { content: "${a}" }, b.conf: { content: "${b}" } }`);
  await made.apply(production(files('1', '1')));
  // The first file is written at once; the other one waits a minute for a database.
  const next = production(`${files('2', 'host=${ref:postgres.main.appName}')}${database()}`);
  let creates = 0;
  const send: Send = async (request) => {
    if (operationOf(request) === 'postgres.create' && ++creates === 1) throw connection('ECONNRESET');
    if (operationOf(request) === 'postgres.create') {
      const mountId = rowsIn(made, 'mount').find(({ filePath }) => filePath === 'b.conf')?.mountId;
      await made.emulator.act('mounts.update', { mountId, content: 'by hand' });
    }
    return made.emulator.send(request);
  };
  const result = await applyOver(made, next, send);
  expect(results(result)).toMatchObject({
    [`${address}.files["a.conf"]`]: 'done',
    [`${address}.files["b.conf"]`]: 'failed',
  });
  expect(said(result)).toContain('was changed on the platform');
  expect(rowsIn(made, 'mount').map(({ content }) => content)).toContain('by hand');
  await made.apply(next);
  await plansNothing(made, next);
});

test('an update of several requests continues after one of them was sent again', async () => {
  const made = bench();
  const text = (value: string) =>
    production(
      `    application:\n      web: { source: { type: docker, image: "nginx:${value}" }, env: { A: "${value}" } }\n`,
    );
  await made.apply(text('1'));
  const lost = new Set<string>();
  const send: Send = async (request) => {
    const operation = operationOf(request);
    if (operation.startsWith('application.save') && !lost.has(operation)) {
      lost.add(operation);
      throw connection('ECONNRESET');
    }
    return made.emulator.send(request);
  };
  const result = await applyOver(made, text('2'), send);
  expect(said(result)).toBe('');
  expect(lost.size).toBeGreaterThan(1);
  await plansNothing(made, text('2'));
});
