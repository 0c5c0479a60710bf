import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { ApplyResult } from '../../src/apply/job.ts';
import type { Row } from '../../src/formats/json.ts';
import {
  answered,
  answering,
  applyOver,
  connection,
  failed,
  operationOf,
  plansNothing,
  results,
  rowsIn,
} from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** What a run says of each resource, and what it makes of a platform that answers little or late. */

const shop = 'production.compose.shop';
const main = 'production.postgres.main';

const mayHaveWritten = ({ outcomes }: ApplyResult, address: string) =>
  outcomes.find(({ action }) => action.address === address)?.mayHaveWritten;

const issues = [{ path: ['name'], message: 'too long' }];

describe('whether something of a resource may have been written', () => {
  test.each<[string, boolean, () => ReturnType<Send>]>([
    [
      'no, when the platform did not accept the input',
      false,
      () => Promise.resolve(failed('Input validation failed', 400, { code: 'BAD_REQUEST', issues })),
    ],
    ['yes, when it failed for another reason', true, () => Promise.resolve(failed('no', 403, { code: 'FORBIDDEN' }))],
    ['no, when nobody could be reached', false, () => Promise.reject(connection('ECONNREFUSED'))],
    ['yes, when the connection broke', true, () => Promise.reject(connection('ECONNRESET'))],
    ['yes, when the server failed', true, () => Promise.resolve(failed('out of memory'))],
  ])('%s', async (_, written, wrong) => {
    const made = bench();
    const result = await applyOver(made, production(stack()), (request) =>
      operationOf(request) === 'compose.create' ? wrong() : made.emulator.send(request),
    );
    expect(results(result)[shop]).toBe('failed');
    expect(mayHaveWritten(result, shop)).toBe(written);
    await made.apply(production(stack()));
    await plansNothing(made, production(stack()));
  });
});

describe('a platform', () => {
  const text = production(`${database()}${stack(`env: { DB: "\${ref:postgres.main.host}" }`)}`);
  const variables = (row: Row | undefined) => String(row?.env).trim();

  test('that answers a create with an id alone: Trueup reads the outputs that others need', async () => {
    const made = bench();
    let looks = 0;
    const result = await applyOver(made, text, async (request) => {
      if (operationOf(request) === 'postgres.one' && ++looks === 1)
        return failed('not there', 404, { code: 'NOT_FOUND' });
      const answer = await made.emulator.send(request);
      if (operationOf(request) !== 'postgres.create' || answer.status !== 200) return answer;
      const { postgresId } = JSON.parse(answer.body) as Row;
      return answered(JSON.stringify({ postgresId }));
    });
    expect(results(result)[shop]).toBe('done');
    const appName = String(rowsIn(made, 'postgres')[0]?.appName);
    expect(appName).not.toBe('undefined');
    expect(variables(rowsIn(made, 'compose')[0])).toBe(`DB=${appName}`);
    await plansNothing(made, text);
  });

  test('that shows a new object late: Trueup polls for it', async () => {
    const made = bench();
    const looks = new Map<string, number>();
    const send = answering(made, (operation) => {
      if (!/^(compose|postgres)\.one$/.test(operation)) return undefined;
      const count = (looks.get(operation) ?? 0) + 1;
      looks.set(operation, count);
      return count <= 2 ? failed('not there', 404, { code: 'NOT_FOUND' }) : undefined;
    });
    const result = await applyOver(made, text, send);
    expect(new Set(Object.values(results(result)))).toEqual(new Set(['done']));
    expect([...looks.values()].every((count) => count > 2)).toBe(true);
    await plansNothing(made, text);
  });

  test('that replaces an object: Trueup does not send it the outputs of the old one', async () => {
    const made = bench();
    await made.apply(text);
    const old = String(rowsIn(made, 'postgres')[0]?.appName);
    const other = text.replace('databaseName: shop', 'databaseName: other');
    const result = await applyOver(made, other, made.emulator.send);
    expect(results(result)).toMatchObject({ [main]: 'done', [shop]: 'done' });
    const fresh = String(rowsIn(made, 'postgres')[0]?.appName);
    expect(fresh).not.toBe(old);
    expect(variables(rowsIn(made, 'compose')[0])).toBe(`DB=${fresh}`);
    await plansNothing(made, other);
  });
});
