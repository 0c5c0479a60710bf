import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { createTransport } from '../../src/api/transport.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { systemClock } from '../../src/state/clock.ts';
import {
  answered,
  connection,
  everything,
  operationOf,
  plansNothing,
  results,
  rowsIn,
  said,
} from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** Requests that had to wait before they went out. */

/** A twentieth of the usual times. Milliseconds. */
const times = { deadlineMs: 1_500, inFlightTimeoutMs: 6_000, landsMs: 2_500 };

test('the in-flight timeout of a create begins when it goes out, not when it begins to wait for a connection', async () => {
  const made = bench({ clock: systemClock });
  await made.apply(production('    postgres: {}\n'));
  const text = production(database('', 'a', 'a') + database('', 'b', 'b').replace('    postgres:\n', ''));
  const creates: string[] = [];
  /** When each went out, as the state says. */
  const sentAt: number[] = [];
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
        const { name } = JSON.parse(body) as { name: string };
        creates.push(name);
        sentAt.push(made.store.state?.resources[`production.postgres.${name}`]?.pending?.at ?? 0);
        // It gets no answer, and takes effect within its in-flight timeout.
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
  const transport = createTransport({ url, deadlineMs: times.deadlineMs });
  const client = createClient({
    send: transport.send,
    url,
    apiKey: 'emulator-key',
    redact: made.redact,
    connections: 1,
  });
  const world = { ...made.world(), client };
  const { inFlightTimeoutMs } = times;
  const about = { permissions: everything, connections: 1, inFlightTimeoutMs, clock: systemClock };
  const result = await applyPlan(await plan(await made.manifest(text), world), world, about);
  await transport.close();
  server.closeAllConnections();
  server.close();
  expect(creates.toSorted()).toEqual(['a', 'b']);
  // The state says so too, for a run that comes after this one: the second waited until nobody waited for the first.
  const [first = 0, second = 0] = sentAt;
  expect(first).toBeGreaterThan(0);
  expect(second - first).toBeGreaterThanOrEqual(times.deadlineMs);
  expect(new Set(Object.values(results(result)))).toEqual(new Set(['done']));
  expect(rowsIn(made, 'postgres')).toHaveLength(2);
  await plansNothing(made, text);
});

describe('the state has the time at which a deployment was sent, after a pause of the platform too:', () => {
  const slow = {
    ...answered('{"message":"slow down","code":"TOO_MANY_REQUESTS"}', 429),
    headers: { 'retry-after': '120' },
  };

  test.each([
    ['compose.deploy', stack(), 'production.compose.shop'],
    ['postgres.changeStatus', database('env: { A: "1" }'), 'production.postgres.main'],
    ['postgres.deploy', database('env: { A: "1" }'), 'production.postgres.main'],
  ])('%s', async (operation, sections, address) => {
    const made = bench();
    if (operation.startsWith('postgres')) await made.apply(production(database()));
    const ages: number[] = [];
    const client = createClient({
      send: async (request) => {
        if (operationOf(request) !== operation) return made.emulator.send(request);
        const { resources = {}, deployments = {} } = made.store.state ?? {};
        const isWrite = operation === 'postgres.changeStatus';
        const pending = isWrite ? resources[address]?.pending : deployments[address]?.pending;
        expect(pending).toMatchObject(isWrite ? { is: 'write' } : { mark: expect.any(String) as string });
        ages.push(made.clock.wall() - (pending?.at ?? 0));
        return ages.length === 1 ? slow : made.emulator.send(request);
      },
      url: 'http://platform.test',
      apiKey: 'emulator-key',
      redact: made.redact,
      sleep: made.clock.sleep,
      clock: made.clock.monotonic,
    });
    const world = { ...made.world(), client };
    const text = production(sections);
    const about = { permissions: everything, connections: 4, clock: made.clock };
    const result = await applyPlan(await plan(await made.manifest(text), world), world, about);
    // Not each platform has the operations for containers.
    expect(said(result)).toMatch(/^(?:whether containers stay up after the deployment is not known: [^\n]+)?$/);
    expect(ages).toHaveLength(2);
    for (const age of ages) expect(age).toBeLessThan(5_000);
    await plansNothing(made, text);
  });
});

test.each([
  [
    'a deployment whose second request waits names the first one, outcome unknown',
    [connection('ECONNRESET')],
    'compose.deploy was sent before, outcome unknown; ',
  ],
  ['a deployment whose only request waits was not executed', [], ''],
])('after an interruption, %s', async (_what, lost, before) => {
  const made = bench();
  const stopping = new AbortController();
  const slow = { ...answered('{"message":"slow down"}', 429), headers: { 'retry-after': '120' } };
  const replies = [...lost, slow];
  const times: number[] = [];
  const client = createClient({
    send: async (request) => {
      if (operationOf(request) !== 'compose.deploy') return made.emulator.send(request);
      times.push(made.clock.wall());
      const reply = replies.shift();
      if (reply === undefined || reply instanceof Error) throw reply ?? new Error('one request too many');
      return reply;
    },
    url: 'http://platform.test',
    apiKey: 'emulator-key',
    redact: made.redact,
    sleep: made.clock.sleep,
    clock: made.clock.monotonic,
    onPause: () => stopping.abort(),
  });
  const world = { ...made.world(), client };
  const { signal } = stopping;
  const about = { permissions: everything, connections: 4, clock: made.clock, signal };
  const result = await applyPlan(await plan(await made.manifest(production(stack())), world), world, about);
  expect(results(result)['production.compose.shop (deploy)']).toBe('failed');
  expect(said(result)).toContain(`production.compose.shop was not deployed: ${before}the `);
  expect(said(result)).not.toContain('took the request');
  expect(said(result)).toContain('the platform did not execute');
  const pending = made.store.state?.deployments['production.compose.shop']?.pending;
  expect(pending === undefined).toBe(before === '');
  // A request that the platform did not execute does not renew the time of the one before it.
  expect(pending?.at).toBe(before === '' ? undefined : times[0]);
});
