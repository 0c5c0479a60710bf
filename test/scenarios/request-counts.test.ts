import { expect, test } from 'vitest';
import { session } from '../../src/workflow/session.ts';
import { batching, bulkClient, platformThrough } from '../support/bulk.ts';
import { actionsOf, everything, results } from '../support/faults.ts';
import { composeBody } from '../support/manifest-texts.ts';
import { effort } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** How many requests a run makes for many services: as many reads as it has to, where one request reads one row or forty. */

/** Half of the services are composes with a domain and a file, half databases with a mount and a backup. */
const half = effort({ fast: 40, full: 100, all: 200 });
const models = effort({ fast: 5, full: 10 });
const scopes = 2 * half + models;
const objects = models + 2 * half * 3;
/** Requests that read so many rows, forty at a time. */
const together = (rows: number) => Math.ceil(rows / 40);

const range = (count: number) => Array.from({ length: count }, (_, n) => n);
const lines = (count: number, line: (n: number) => string) => range(count).map(line).join('');
const manifest = (value: string) => `${head}ai:
${lines(models, (n) => `  a${n}: { apiUrl: "https://a${n}.example.com/v1", apiKey: k, model: "${value}", isEnabled: true }\n`)}environments:
  production:
    compose:
${lines(half, (n) => `      s${n}: { ${composeBody}, description: "${value}", domains: { s${n}.example.com: { serviceName: web } }, files: { a.conf: { content: a } } }\n`)}    postgres:
${lines(half, (n) => `      d${n}: { dockerImage: "postgres:17", databaseName: d, databaseUser: u, databasePassword: password-1, description: "${value}", mounts: { /more: { type: volume, volumeName: more } }, backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: n/${n} } } }\n`)}`;

interface Counted {
  /** What the plan would do. */
  readonly actions: readonly string[];
  /** The requests of the plan, and those of the apply. */
  readonly planned: number;
  readonly reads: number;
  readonly writes: number;
}

/** Plans and applies a manifest, or destroys all of it, without deployments; counts the requests. */
async function counted(made: Bench, text: string, options: { bulk: boolean; destroys?: boolean }): Promise<Counted> {
  const { bulk, destroys = false } = options;
  const emulator = batching(made);
  const { client, off } = bulkClient(made, emulator.send, { bulk });
  const at = { purpose: 'apply', clock: made.clock, connections: 10 };
  return session(await made.manifest(text), platformThrough(made, client), at, async (run) => {
    const plan = await run.plan({ deploys: false, destroys });
    const planned = emulator.log.splice(0).length;
    const result = await run.apply(plan, everything);
    expect(new Set(Object.values(results(result)))).toEqual(new Set(['done']));
    expect(off).toEqual([]);
    const reads = emulator.log.filter(({ method }) => method === 'GET').length;
    return { actions: actionsOf(plan), planned, reads, writes: emulator.log.length - reads };
  });
}

test.each([
  ['one row', false, (rows: number) => rows],
  ['forty rows', true, together],
])(
  'where a request reads %s, a run reads each service once before its writes, and once after them',
  async (_, bulk, reading) => {
    const made = bench();
    /** The first batch of a run is compared with a single read. */
    const trial = bulk ? 1 : 0;

    const created = await counted(made, manifest('a'), { bulk });
    expect(created.planned).toBeLessThanOrEqual(4);
    expect(created.writes).toBe(objects);
    // The list of models before the first and after each, whose creates answer no id; that of the environment at the end.
    const lists = 1 + models + 1;
    expect(created.reads).toBeLessThanOrEqual(reading(scopes) + lists + trial);

    const unchanged = await counted(made, manifest('a'), { bulk });
    expect(unchanged).toMatchObject({ actions: [], reads: 0, writes: 0 });
    expect(unchanged.planned).toBeLessThanOrEqual(reading(2 * half) + 3);

    const updated = await counted(made, manifest('b'), { bulk });
    expect(updated.writes).toBe(scopes);
    expect(updated.reads).toBeLessThanOrEqual(2 * (reading(scopes) + trial));
    expect(await counted(made, manifest('b'), { bulk })).toMatchObject({ actions: [], reads: 0, writes: 0 });

    const destroyed = await counted(made, manifest('b'), { bulk, destroys: true });
    expect(destroyed.planned).toBeLessThanOrEqual(reading(2 * half) + 3);
    expect(destroyed.writes).toBe(scopes); // everything below goes with its service
    // The plan looked at each service a moment ago. One look at each of two lists shows 160 deletions in them.
    expect(destroyed.reads).toBeLessThanOrEqual(reading(models) + trial + 2 * Math.ceil(scopes / 160));
    expect(made.store.state?.resources).toEqual({});
    const { compose, postgres, domain, mount, backup, ai } = made.emulator.world.tables;
    expect([compose, postgres, domain, mount, backup, ai].flatMap((table) => Object.keys(table))).toEqual([]);
  },
);

test.each([
  ['alone', false],
  ['in bulk', true],
])(
  'where reads go %s, a look at the environments proves that all in those is gone that a run deleted',
  async (_, bulk) => {
    const made = bench();
    const count = effort({ fast: 5, full: 10 });
    const text = `${head}environments:
${lines(count, (n) => `  env${n}:\n    redis: { one: { dockerImage: "redis:7", databasePassword: password-1 }, two: { dockerImage: "redis:7", databasePassword: password-1 } }\n`)}`;
    const before = Object.keys(made.emulator.world.tables.environment);
    await counted(made, text, { bulk });
    expect(await counted(made, text, { bulk })).toMatchObject({ actions: [], reads: 0, writes: 0 });

    const destroyed = await counted(made, text, { bulk, destroys: true });
    expect(destroyed.writes).toBe(3 * count);
    // Others may have put something into an environment since the plan.
    expect(destroyed.reads).toBe((bulk ? together(count) : count) + 1);
    expect(made.store.state?.resources).toEqual({});
    expect(Object.keys(made.emulator.world.tables.environment)).toEqual(before);
  },
);
