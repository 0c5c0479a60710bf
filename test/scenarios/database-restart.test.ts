import { expect, test } from 'vitest';
import type { Send, WireAnswer } from '../../src/api/wire.ts';
import { createChance } from '../../src/emulator/faults/chance.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { batching, bulkClient, planned } from '../support/bulk.ts';
import { composeBody } from '../support/manifest-texts.ts';
import { bench, head } from '../support/world.ts';

/**
 * What a server answers to requests that its database interrupts while it restarts, as recorded: a refused key with a code
 * and without, and the text of the query with its values. None of these is a missing right, or a lost object.
 */

const secret = 'correct-horse-battery';
const answer = (status: number, body: unknown): WireAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const query = `Failed query: select "env" from "compose" where "composeId" = $1\nparams: ${secret},1`;
const details = (code: string, httpStatus: number) => ({ code, httpStatus, path: 'compose.one', zodError: null });
const failedQuery = { message: query, code: 'INTERNAL_SERVER_ERROR', data: details('INTERNAL_SERVER_ERROR', 500) };
const coded = { message: 'UNAUTHORIZED', code: 'UNAUTHORIZED', data: details('UNAUTHORIZED', 401) };
const itemOf = ({ message, data }: typeof coded) => ({ error: { json: { message, code: -32_000, data } } });

/** A server whose database restarts again and again: every fourth request or so is interrupted, or one part of it. */
function restarting(send: Send, seed: number): Send {
  const chance = createChance(seed);
  return async (request) => {
    const good = await send(request);
    const luck = chance();
    if (request.method !== 'GET' || luck > 0.25) return good;
    if (!request.path.startsWith('/api/trpc/')) {
      if (luck < 0.1) return answer(401, { message: 'Unauthorized' });
      return luck < 0.18 ? answer(401, coded) : answer(500, failedQuery);
    }
    const items = JSON.parse(good.body) as unknown[];
    if (luck < 0.1)
      return answer(
        401,
        items.map(() => itemOf(coded)),
      );
    const broken = items.map((item) => (chance() < 0.3 ? itemOf(failedQuery) : item));
    if (broken.every((item, index) => item !== items[index])) return answer(500, broken);
    return answer(broken.some((item, index) => item !== items[index]) ? 207 : 200, broken);
  };
}

const text = `${head}environments:
  production:
    env: { REGION: eu }
    compose:
${Array.from({ length: 8 }, (_, n) => `      s${n}: { ${composeBody} }\n`).join('')}`;
const applied = (async () => {
  const made = bench();
  await made.apply(text);
  return made;
})();

test.each([1, 2, 3, 4, 5, 6])('a plan waits for the database, and is the one of a quiet day (%i)', async (seed) => {
  const made = await applied;
  const { send } = batching(made);
  const calm = await planned(made, text, bulkClient(made, send, { bulk: false }).client);
  for (const bulk of [true, false]) {
    const { client, off } = bulkClient(made, restarting(send, seed), { bulk });
    expect(await planned(made, text, client)).toBe(calm);
    expect(off).toEqual([]);
  }
});

test.each([true, false])('a query that fails for good is an error without its values (bulk: %s)', async (bulk) => {
  const made = await applied;
  const { send } = batching(made);
  const isRow = (path: string) => path.includes('compose.one');
  const failing: Send = async (request) => {
    if (!isRow(request.path)) return send(request);
    if (!request.path.startsWith('/api/trpc/')) return answer(500, failedQuery);
    const items = JSON.parse((await send(request)).body) as unknown[];
    return answer(
      500,
      items.map(() => itemOf(failedQuery)),
    );
  };
  const { client, off } = bulkClient(made, failing, { bulk });
  const world = { ...made.world(), client };
  const error: unknown = await plan(await made.manifest(text), world).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PlatformError);
  expect(error).toMatchObject({ status: 500, failure: 'server' });
  const shown = JSON.stringify([error, String(error), (error as Error).stack, off]);
  expect(shown).toContain('Failed query');
  expect(shown).not.toContain(secret);
});
