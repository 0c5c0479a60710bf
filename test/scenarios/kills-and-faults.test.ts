import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Send, WireRequest } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { World as Tables } from '../../src/emulator/world.ts';
import type { Row } from '../../src/kind/json.ts';
import { applyPlan, plan } from '../../src/reconcile.ts';
import { localStore } from '../../src/state/local.ts';
import type { StateStore } from '../../src/state/state.ts';
import {
  actionsOf,
  answered,
  connection,
  everything,
  failed,
  notesOf,
  operationOf,
  worldOver,
} from '../support/faults.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/**
 * Each history is run once cleanly, and then once for each of its POSTs with something happening to that one. Two more
 * runs at most have to give the world of the clean run: nothing twice, nothing missing, nothing left in the plan.
 */

const databases = `    postgres:
      main:
        description: of the shop
        dockerImage: postgres:17
        databaseName: a
        databaseUser: u
        databasePassword: password-1
        env: { C: "1" }
        mounts: { /x: { type: bind, hostPath: /srv/x }, /v: { type: volume, volumeName: v } }
        backups:
          n: { schedule: "0 3 * * *", destinationId: dst_1, prefix: n/ }
          m: { schedule: "0 4 * * *", destinationId: dst_1, prefix: m/ }
`;
const stacks = `    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        composeType: docker-compose
        env: { DB: "\${ref:postgres.main.host}" }
        domains: { a.example.com: { serviceName: web, enabled: false } }
        files: { a.conf: { content: hello } }
`;
const region = '    env: { A: "1" }\n';
const about = '    description: before release\n    env: { B: "2" }\n';
const full = `${head}environments:\n  production:\n${region}  staging:\n${about}${databases}${stacks}`;
const empty = `${head}environments: { production: {} }\n`;
const replaced = full
  .replace('databaseName: a', 'databaseName: b')
  .replace('docker-compose', 'stack')
  .replace('a.example.com', 'b.example.com');
const store = stacks.replace('shop:', 'store:').replace('ref:', 'ref:production.');
const moved = `${head}moved:
  - { from: staging.compose.shop, to: preview.compose.store }
  - { from: staging.postgres.main, to: production.postgres.main }
  - { from: staging, to: preview }
environments:\n  production:\n${region}${databases}  preview:\n${about}${store}`;
const edited = full
  .replace('before release', 'next')
  .replace('B: "2"', 'B: "3"')
  .replace('of the shop', 'of the store')
  .replace('C: "1"', 'C: "2"')
  .replace('/srv/x', '/srv/y')
  .replace('prefix: n/', 'prefix: o/')
  .replace('enabled: false', 'enabled: true')
  .replace('hello', 'bye');

/** What a history begins with and ends in. */
const histories: Readonly<Record<string, { readonly before: string; readonly after: string; readonly posts: number }>> =
  {
    create: { before: '', after: full, posts: 14 },
    replace: { before: full, after: replaced, posts: 15 },
    move: { before: full, after: moved, posts: 3 },
    delete: { before: full, after: empty, posts: 5 },
    edit: { before: full, after: edited, posts: 6 },
  };

/** A platform and the state of a folder, to begin from again and again. */
interface Start {
  readonly tables: Tables;
  readonly folder: string;
}

const starts = new Map<string, Start>();
const wanted = new Map<string, string[]>();

function begin(before: string): { made: Bench; folder: string } {
  const start = starts.get(before);
  const folder = mkdtempSync(join(tmpdir(), 'trueup-kills-'));
  if (start === undefined) return { made: bench(), folder };
  cpSync(start.folder, folder, { recursive: true });
  return { made: bench({ emulator: createEmulator({ world: structuredClone(start.tables) }) }), folder };
}

/** One undisturbed run; gives what of it did not succeed. Only the first one may take over what is there already. */
async function run(made: Bench, store: StateStore, text: string, send = made.emulator.send, adoption = false) {
  const world = worldOver(made, send, store);
  const planned = await plan(made.manifest(text), world);
  const permissions = { dataLoss: true, adoption };
  const { outcomes } = await applyPlan(planned, world, { permissions, connections: 4 });
  return outcomes
    .filter((outcome) => outcome.result !== 'done')
    .map(({ action, result }) => `${result} ${action.address}`);
}

/** Runs twice more at most, and gives the plan that is left. */
async function goOn(made: Bench, folder: string, text: string) {
  const first = await run(made, localStore(folder), text);
  if (first.length > 0) expect(await run(made, localStore(folder), text)).toEqual([]);
  const left = await plan(made.manifest(text), worldOver(made, made.emulator.send, localStore(folder)));
  expect(actionsOf(left)).toEqual([]);
  return left;
}

/** Everything that is on the platform, without what chance decides. */
function worldOf({ emulator }: Bench): string[] {
  const { environment, postgres, compose, domain, mount, backup } = emulator.world.tables;
  const all = Object.entries({ environment, postgres, compose, domain, mount, backup }).flatMap(([table, rows]) =>
    Object.entries(rows as Record<string, Row>).map(([id, row]) => ({ table, id, row })),
  );
  const isRandom = (name: string) => ['appName', 'createdAt', 'refreshToken', 'uniqueConfigKey'].includes(name);
  const named = all.map(({ table, row }) =>
    JSON.stringify([table, ...Object.entries(row).filter(([name, value]) => !isRandom(name) && value !== null)]),
  );
  const labels = all.flatMap(({ table, id, row }) => [
    [id, `${table} ${String(row.name ?? '')}`] as const,
    ...(typeof row.appName === 'string' ? [[row.appName, `${table} ${String(row.name ?? '')}`] as const] : []),
  ]);
  return named.map((text) => labels.reduce((result, [name, label]) => result.replaceAll(name, label), text)).toSorted();
}

const count = ({ emulator }: Bench) => emulator.log.filter((request) => request.method === 'POST').length;

beforeAll(async () => {
  const { made, folder } = begin('');
  await run(made, localStore(folder), full, made.emulator.send, true);
  starts.set(full, { tables: structuredClone(made.emulator.world), folder });
  for (const [name, { before, after, posts }] of Object.entries(histories)) {
    const clean = begin(before);
    expect(await run(clean.made, localStore(clean.folder), after, clean.made.emulator.send, true)).toEqual([]);
    expect([name, count(clean.made)]).toEqual([name, posts]);
    wanted.set(name, worldOf(clean.made));
  }
});

describe.each(Object.entries(histories))('%s:', (name, { before, after, posts }) => {
  const each = Array.from({ length: posts }, (_, index) => index + 1);

  test.each([
    ['after it was carried out', true],
    ['before it was carried out', false],
  ])('a run that is killed at any POST, %s, is finished by the next ones', async (_title, isExecuted) => {
    for (const at of each) {
      const { made, folder } = begin(before);
      await killedRun(made, localStore(folder), after, at, isExecuted);
      await goOn(made, folder, after);
      expect(worldOf(made), `killed at POST ${at}`).toEqual(wanted.get(name));
    }
  });

  test.each<[string, (send: Send, request: WireRequest) => ReturnType<Send>]>([
    [
      'is carried out and its answer lost',
      (send, request) => send(request).then(() => Promise.reject(connection('ECONNRESET'))),
    ],
    ['is not carried out and answered with 500', () => Promise.resolve(failed('disk full'))],
    ['is refused at the door', () => Promise.reject(connection('ECONNREFUSED'))],
    ['is carried out and answered with nothing', (send, request) => send(request).then(() => answered(''))],
  ])('a POST that %s is made up for by the next runs', async (_title, fault) => {
    for (const at of each) {
      const { made, folder } = begin(before);
      const { send, hit } = faultAt(made, at, fault);
      const failures = await run(made, localStore(folder), after, send, true);
      if (failures.length === 0) expect(worldOf(made), `${hit()} said to be done`).toEqual(wanted.get(name));
      await goOn(made, folder, after);
      expect(worldOf(made), `${hit()}, POST ${at}`).toEqual(wanted.get(name));
    }
  });

  test('a POST that is answered with 200 and not carried out is made up for, and an update is said to be not kept', async () => {
    for (const at of each) {
      const { made, folder } = begin(before);
      const { send, hit } = faultAt(made, at, () => Promise.resolve(answered('')));
      const failures = await run(made, localStore(folder), after, send, true);
      if (failures.length === 0) expect(worldOf(made), `${hit()} said to be done`).toEqual(wanted.get(name));
      const left = await goOn(made, folder, after);
      if (failures.some((failure) => failure.startsWith('not kept'))) {
        // It is not tried again until the manifest changes, and each plan says so.
        expect(hit()).toMatch(/\.update$/);
        expect(notesOf(left).map((item) => item.code)).toContain('not-kept');
        expect(worldOf(made)).not.toEqual(wanted.get(name));
      } else expect(worldOf(made), `${hit()}, POST ${at}`).toEqual(wanted.get(name));
    }
  });
});

/** A run whose process ends at one of its POSTs: nothing more is sent, and nothing more is saved. */
async function killedRun(made: Bench, store: StateStore, text: string, at: number, isExecuted: boolean) {
  let posts = 0;
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  let die = () => undefined as void;
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  const send: Send = async (request) => {
    if (isDead) return never;
    if (request.method !== 'POST' || ++posts !== at) return made.emulator.send(request);
    if (isExecuted) await made.emulator.send(request);
    isDead = true;
    die();
    return never;
  };
  const dying: StateStore = {
    ...store,
    append: (base, address, record) => (isDead ? never : store.append(base, address, record)),
    write: (state) => (isDead ? never : store.write(state)),
  };
  const finished = run(made, dying, text, send, everything.adoption);
  await Promise.race([death, finished.then(() => Promise.reject(new Error('it was not killed')))]);
  await store.read(); // what was being written is written, as a disk does without its process
}

/** A platform that does something else with one of the POSTs. */
function faultAt(made: Bench, at: number, fault: (send: Send, request: WireRequest) => ReturnType<Send>) {
  let posts = 0;
  let hit = 'none';
  const send: Send = async (request) => {
    if (request.method !== 'POST' || ++posts !== at) return made.emulator.send(request);
    hit = operationOf(request);
    return fault(made.emulator.send, request);
  };
  return { send, hit: () => hit };
}
