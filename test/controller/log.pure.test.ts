import { expect, test } from 'vitest';
import { createLog } from '../../src/controller/log.ts';

/** The lines of a process of the controller. */

test('that the database is away is one line a minute, however many jobs meet it and in whichever words', () => {
  const lines: string[] = [];
  let now = Date.parse('2026-01-01T00:00:00Z');
  const log = createLog({
    write: (line) => void lines.push(line),
    form: 'text',
    redact: (text) => text,
    now: () => now,
  });
  const ways = [
    new AggregateError([new Error('connect ECONNREFUSED ::1:5432'), new Error('connect ECONNREFUSED 127.0.0.1:5432')]),
    new Error('Connection terminated unexpectedly'),
    new Error('read ECONNRESET'),
    new Error('the database system is starting up'),
    new Error('terminating connection due to administrator command'),
    new Error('timeout exceeded when trying to connect'),
  ];
  for (const [at, error] of ways.entries()) log.problem(error, { queue: 'stack', key: `s${at}` });
  expect(lines).toEqual([
    '2026-01-01T00:00:00.000Z error: failed message="the database of the controller does not answer (connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432)"',
  ]);
  log.problem(new Error('the forge did not answer GET /api'), { queue: 'forge', key: 'pulls shop' });
  expect(lines[1]).toContain('queue=forge key="pulls shop" message="the forge did not answer GET /api"');
  now += 60_000;
  log.problem(ways[2]);
  expect(lines).toHaveLength(3);
});
