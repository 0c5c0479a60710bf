import { describe, expect, test } from 'vitest';
import { endpointOf, type Operation } from '../../src/api/contract.ts';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { createChance } from '../../src/emulator/faults/chance.ts';
import { cases } from '../emulator/endpoint-cases/cases.ts';
import { prepareWorld } from '../emulator/endpoint-cases/prepared-world.ts';

/** A stranger sends the emulator requests with wrong ids, wrong types and names of members of every object. */

const operations = Object.keys(cases) as Operation[];
const requestsOfEach = 20;

const strange: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  1e308,
  '',
  ' ',
  'x',
  '0',
  '__proto__',
  'constructor',
  '\0\u202E\uFEFF',
  'services: [',
  '*/5 * * * *',
  'https://[',
  'A=1\nB',
  'y'.repeat(2_000),
  [],
  [null],
  ['x', ''],
  {},
  { a: { b: 1 } },
];

describe('S24: the emulator answers every request', () => {
  test(`${requestsOfEach} random requests for each operation end in no defect of its own`, async () => {
    const { world, ids } = await prepareWorld();
    const random = createChance(24);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // none is empty
    const values = [...strange, ...Object.values(ids)];
    const defects = new Set<string>();
    const statuses = new Set<number>();
    let emulator = createEmulator({ world: structuredClone(world) });
    for (let n = 0; n < operations.length * requestsOfEach; n++) {
      // A request meets what some before it left.
      if (n % 40 === 0) emulator = createEmulator({ world: structuredClone(world) });
      const operation = pick(operations);
      const { input = {} } = cases[operation] ?? {};
      const members = [...Object.keys(endpointOf(operation).input.shape), '__proto__', 'other'];
      const given = new Map(Object.entries(typeof input === 'function' ? input(ids) : input));
      for (let changes = Math.floor(random() * 4); changes > 0; changes--) {
        if (random() < 0.2) given.delete(pick(members));
        else given.set(pick(members), pick(values));
      }
      const { status, body } = await send(emulator, operation, Object.fromEntries(given));
      statuses.add(status);
      if (/"the emulator failed: /.test(body)) defects.add(`${operation} ${status}: ${body.slice(0, 120)}`);
    }
    expect([...defects]).toEqual([]);
    // The 500s of the platform are there: it answers an update without values, and a move to nowhere, so.
    expect(statuses).toEqual(new Set([200, 400, 401, 403, 404, 409, 500]));
  });
});

function send(emulator: Emulator, operation: Operation, input: Readonly<Record<string, unknown>>) {
  const { method } = endpointOf(operation);
  const headers = { 'x-api-key': 'emulator-key', 'content-type': 'application/json' };
  if (method === 'POST') {
    return emulator.send({ method, path: `/api/${operation}`, headers, body: JSON.stringify(input) });
  }
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return emulator.send({ method, path: `/api/${operation}?${query}`, headers, body: undefined });
}
