import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { contract, endpointOf, type Operation } from '../../src/api/contract.ts';
import { createTransport, type Transport } from '../../src/api/transport.ts';
import type { WireAnswer } from '../../src/api/wire.ts';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { cases } from '../emulator/endpoint-cases/cases.ts';
import type { Call, EndpointCase } from '../emulator/endpoint-cases/endpoint-case.ts';
import { prepareWorld } from '../emulator/endpoint-cases/prepared-world.ts';

/**
 * Every endpoint of the document over real HTTP, with the project's own client, in a world where calling it makes
 * sense: status, kind of body, members, and for a write its effect as another operation reads it.
 */

const apiKey = 'emulator-key';
let prepared: Awaited<ReturnType<typeof prepareWorld>>;
let emulator: Emulator;
let server: Awaited<ReturnType<typeof serve>>;
let transport: Transport;
/** The last answer as it came over the wire. */
let last: WireAnswer | undefined;
let call: Call;

beforeAll(async () => {
  prepared = await prepareWorld();
  emulator = createEmulator();
  // One server for all cases, and behind it a new emulator for each.
  server = await serve({ ...emulator, send: (request) => emulator.send(request) });
  transport = createTransport({ url: server.url });
  const client = createClient({
    url: server.url,
    apiKey,
    redact: (text) => text,
    readAttempts: 1,
    async send(request) {
      last = await transport.send(request);
      return last;
    },
  });
  call = (operation, input = {}) => client.invoke(operation, input);
});
afterAll(async () => {
  await transport.close();
  await server.close();
});
beforeEach(() => {
  last = undefined;
});

describe('each endpoint, over HTTP', () => {
  test.each(Object.keys(cases) as Operation[])('%s', async (operation) => {
    const { input = {}, before, has = [], refused, check, deployDelayMs = 0 } = cases[operation] as EndpointCase;
    emulator = createEmulator({ world: structuredClone(prepared.world), apiKey, deployDelayMs });
    const act: Emulator['act'] = (name, given) => emulator.act(name, given);
    const situation = { call, act, ids: prepared.ids };
    await before?.(situation);

    const answer = await call(operation, typeof input === 'function' ? input(prepared.ids) : input).catch(
      (error: unknown) => (refused === undefined ? Promise.reject(error as Error) : error),
    );
    expect([last?.status, last?.headers['content-type']]).toEqual([refused?.status ?? 200, 'application/json']);
    if (refused === undefined) {
      expect(endpointOf(operation).answer.split(' or ')).toContain(bodyOf(answer));
      for (const item of has.length === 0 ? [] : itemsOf(answer)) {
        expect(Object.keys(item)).toEqual(expect.arrayContaining([...has]));
      }
    } else {
      expect(answer).toMatchObject({ code: refused.code, serverMessage: expect.stringMatching(refused.says) });
    }
    await check({ ...situation, answer });
  });
});

test('every operation of the contract has a case, and no case is for an operation that it does not have', () => {
  expect(Object.keys(cases).toSorted()).toEqual(Object.keys(contract).toSorted());
});

/** What a body is, in the words of the table of answers. */
function bodyOf(answer: unknown): string {
  if (answer === undefined) return 'nothing';
  if (answer === null) return 'null';
  return Array.isArray(answer) ? 'array' : typeof answer;
}

/** What the members are looked for in: an object, or each item of a list, which then must have some. */
function itemsOf(answer: unknown): readonly object[] {
  if (!Array.isArray(answer)) return [answer as object];
  expect(answer).not.toHaveLength(0);
  return answer as readonly object[];
}
