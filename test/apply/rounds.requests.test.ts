import { afterEach, expect, test, vi } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import type { Send } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { session } from '../../src/workflow/session.ts';
import { groupBy } from '../../src/kind/group.ts';
import { systemClock } from '../../src/state/clock.ts';
import { passing } from '../support/deploying.ts';
import { everything, results } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';

/** The requests of an apply that deploys many services and watches them, as the server sees them. */

afterEach(() => void vi.useRealTimers());

/** The reads in a GET: of containers on a machine (`''`: the platform's own), or of anything else. */
function readsIn(path: string): { readonly machines: readonly string[]; readonly items: number } {
  const { pathname, searchParams } = new URL(path, 'http://platform.test');
  const operations = pathname.slice(pathname.lastIndexOf('/') + 1).split(',');
  const inputs = JSON.parse(searchParams.get('input') ?? '{}') as Record<string, { json: { serverId?: string } }>;
  const machines = operations.flatMap((operation, at) =>
    operation.startsWith('docker.') ? (inputs[at]?.json.serverId ?? searchParams.get('serverId') ?? '') : [],
  );
  return { machines: [...new Set(machines)], items: operations.length };
}

const compose = (name: string, machine: string, more = '') =>
  `      ${name}: { source: { type: raw, composeFile: 'services: { web: { image: "web:will-start" } }' }${machine}${more} }\n`;
const application = (name: string, machine: string) =>
  `      ${name}: { source: { type: docker, image: "web:will-start" }${machine} }\n`;
const on = (server: string) => (server === '' ? '' : `, serverId: ${server}`);
const times = (count: number) => Array.from({ length: count }, (_, at) => at);
const servers = ['', 'srv_1', 'srv_2', 'srv_3'] as const;

const cases = [
  [
    '56 on one machine',
    [
      `    compose:\n${times(56)
        .map((at) => compose(`s${at}`, ''))
        .join('')}`,
    ],
    [''],
  ],
  [
    '36 of three sorts on the machine of the platform and three servers',
    [
      `    compose:\n${servers.flatMap((server, nth) => [...times(5).map((at) => compose(`c${nth}-${at}`, on(server))), ...times(2).map((at) => compose(`k${nth}-${at}`, on(server), ', composeType: stack'))]).join('')}`,
      `    application:\n${servers.flatMap((server, nth) => times(2).map((at) => application(`a${nth}-${at}`, on(server)))).join('')}`,
    ],
    servers,
  ],
] as const;

test.each(cases)(
  'deployments of %s are read in rounds: one request for each machine and 40 services',
  async (_name, sections, machines) => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
      now: Date.UTC(2030, 0, 1),
    });
    const world = seedWorld();
    const { srv_1 } = world.tables.server;
    addRow(world, 'server', { ...srv_1, serverId: 'srv_3', name: 'three' });
    for (const server of Object.values(world.tables.server)) server['sshKeyId'] = 'key_1';
    const emulator = createEmulator({ world, deployDelayMs: 2_000, batches: true });
    const made = bench({ emulator, clock: systemClock });
    const begun = Date.now();
    /** When the last object was written; it is read back right after that. */
    let written = 0;
    /** How many deployments the platform accepted at a moment. */
    const accepted = new Map<number, number>();
    const wire: { at: number; machine: string | undefined; items: number }[] = [];
    const send: Send = async (request) => {
      const { machines: asked, items } = readsIn(request.path);
      // One request asks for the containers of one machine, and may read rows beside those of the platform's own.
      expect(asked.length).toBeLessThan(2);
      if (request.method === 'POST' && !/\.(re)?deploy$/.test(request.path)) written = Date.now();
      if (request.method === 'GET') wire.push({ at: Date.now(), machine: asked[0], items });
      const answer = await emulator.send(request);
      // What an answer leads to is sent later than what goes together: no pause has this length.
      await new Promise((resolve) => setTimeout(resolve, 23));
      if (/\.(re)?deploy$/.test(request.path)) accepted.set(Date.now(), (accepted.get(Date.now()) ?? 0) + 1);
      return answer;
    };
    const text = `${head}environments:\n  production:\n${sections.join('')}`;
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
    // Each takes 2 s in the queue of its machine, one after another, and 10 s until it holds.
    const seconds = (Date.now() - begun) / 1_000;
    expect(seconds).toBeGreaterThan(18);
    expect(new Set(wire.flatMap(({ machine }) => machine ?? []))).toEqual(new Set(machines));
    expect(Math.max(...wire.map(({ items }) => items))).toBeLessThanOrEqual(40);
    // An answer to a deployment wakes one reader, in a turn of the event loop of its own: its first look is in no round.
    const isFirstLook = (one: (typeof wire)[number]) => one.machine === undefined && accepted.has(one.at);
    const byTime = (some: typeof wire) => groupBy(some.map((one) => [`${one.at} ${one.machine ?? 'rows'}`, one.items]));
    const after = wire.filter(({ at }) => at >= written + 1_000);
    const looks = byTime(after.filter(isFirstLook));
    expect([...looks].filter(([at, all]) => all.length > (accepted.get(Number.parseInt(at, 10)) ?? 0))).toEqual([]);
    // In a round, a machine is asked once for each 40 of its services, and so are rows.
    const rounds = byTime(after.filter((one) => !isFirstLook(one)));
    const tooMany = [...rounds].filter(([, items]) => items.length > Math.ceil(items.reduce((a, b) => a + b, 0) / 40));
    expect(tooMany).toEqual([]);
    expect(wire.length).toBeLessThan((machines.length + 1) * seconds);
  },
);
