import { afterEach, expect, test, vi } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import type { Send } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { session } from '../../src/workflow/session.ts';
import { groupBy } from '../../src/kind/group.ts';
import { systemClock } from '../../src/state/clock.ts';
import { passing } from '../support/deploying.ts';
import { everything, results } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';

/** The requests of an apply that deploys many services and watches them. */

afterEach(() => void vi.useRealTimers());

test('56 deployments are read in rounds: a few hundred requests, not one for each service and poll', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    now: Date.UTC(2030, 0, 1),
  });
  const emulator = createEmulator({ deployDelayMs: 2_000, batches: true });
  const made = bench({ emulator, clock: systemClock });
  const begun = Date.now();
  const wire: { at: number; server: string; items: number }[] = [];
  const send: Send = async (request) => {
    const path = decodeURIComponent(request.path);
    const servers = new Set([...path.matchAll(/"serverId":"(\w+)"/g)].map(([, server = '']) => server));
    // One request asks for the containers of one server.
    expect(servers.size).toBeLessThan(2);
    if (request.method === 'GET')
      wire.push({ at: Date.now(), server: [...servers].join(), items: (path.split('?')[0] ?? '').split(',').length });
    return emulator.send(request);
  };
  const blocks = Array.from(
    { length: 56 },
    (_, at) =>
      `      s${at}: { source: { type: raw, composeFile: 'services: { web: { image: "web:will-start" } }' } }\n`,
  );
  const text = `${head}environments:\n  production:\n    compose:\n${blocks.join('')}`;
  const { contract } = made.world().client;
  const client = createClient({
    send,
    url: 'http://platform.test',
    apiKey: 'emulator-key',
    redact: made.redact,
    contract: { ...contract, hasBatches: true },
    bulk: true,
  });
  const platform = {
    kinds: made.world().kinds,
    connect: async () => ({ ...made.world(), client, close: async () => undefined }),
  };
  const result = await passing(
    session(await made.manifest(text), platform, { purpose: 'apply', clock: systemClock }, async (run) =>
      run.apply(await run.plan(), everything),
    ),
  );
  expect(Object.values(results(result)).filter((one) => one !== 'done')).toEqual([]);
  // Each takes 2 s in the queue, one after another, and 10 s until it holds.
  const seconds = (Date.now() - begun) / 1_000;
  expect(seconds).toBeGreaterThan(56 * 2);
  expect(wire.length).toBeLessThan(2 * seconds);
  const rounds = groupBy(wire.map(({ at, server }) => [`${at} ${server}`, 1] as const));
  expect(Math.max(...[...rounds.values()].map(({ length }) => length))).toBeLessThanOrEqual(2);
  expect(Math.max(...wire.map(({ items }) => items))).toBeLessThanOrEqual(40);
});
