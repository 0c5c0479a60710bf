import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { createTransport } from '../../src/api/transport.ts';
import { applyPlan, plan } from '../../src/reconcile.ts';
import { systemClock } from '../../src/state/clock.ts';
import { database, everything, plansNothing, production, results, rowsIn } from '../support/faults.ts';
import { bench } from '../support/world.ts';

/** Requests that had to wait for a connection. A twentieth of the usual times: 1.5 s for an answer, a fence of 3 s. */

const times = { deadlineMs: 1_500, fenceMs: 3_000, landsMs: 2_500 };

test('the fence of a create begins when it goes out, and not when it began to wait for a connection', async () => {
  const made = bench();
  await made.apply(production('    postgres: {}\n'));
  const text = production(database('', 'a', 'a') + database('', 'b', 'b').replace('    postgres:\n', ''));
  const creates: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const wire = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body,
      };
      if (wire.path === '/api/postgres.create') {
        creates.push((JSON.parse(body) as { name: string }).name);
        // Nobody hears of it, and it lands within its fence.
        await pause(times.landsMs);
      }
      const answer = await made.emulator.send(wire);
      response.writeHead(answer.status, answer.headers);
      response.end(answer.body);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = createTransport({ url, connections: 1, deadlineMs: times.deadlineMs });
  const client = createClient({ send: transport.send, url, apiKey: 'emulator-key', redact: made.redact });
  const world = { ...made.world(), client };
  const { fenceMs } = times;
  const about = { permissions: everything, connections: 1, fenceMs, clock: systemClock };
  const result = await applyPlan(await plan(made.manifest(text), world), world, about);
  await transport.close();
  server.closeAllConnections();
  server.close();
  expect(creates.toSorted()).toEqual(['a', 'b']);
  expect(new Set(Object.values(results(result)))).toEqual(new Set(['done']));
  expect(rowsIn(made, 'postgres')).toHaveLength(2);
  await plansNothing(made, text);
}, 30_000);
