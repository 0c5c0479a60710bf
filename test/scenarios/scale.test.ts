import { expect, test, vi } from 'vitest';
import { indexRows } from '../../src/observe/match.ts';
import { compose } from '../../src/resources/compose.ts';
import { domain } from '../../src/resources/domain.ts';
import type { Plan } from '../../src/plan/action.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import type { State, StateStore } from '../../src/state/state.ts';
import { withoutDeployments } from '../support/deployments.ts';
import { applyLater, everything, plansNothing, rowsIn } from '../support/faults.ts';
import { composeBody, production } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';
import { effort } from '../support/whole.ts';

/** Large manifests finish: what is counted here are requests and comparisons, never seconds. */

const variables = effort({ fast: 500, full: 2_000, all: 4_000 });
const hosts = effort({ fast: 200, full: 800, all: 1_500 });

const many = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('');
const keys = (count: number, value: string) =>
  production(
    `    compose:\n      shop:\n        ${composeBody}\n        env:\n${many(count, (n) => `          KEY_NUMBER_${n}: "${value} of usual length ${n}"\n`)}`,
  );
const domains = (count: number, prefix: string) =>
  production(
    `    compose:\n      shop:\n        ${composeBody}\n        domains:\n${many(count, (n) => `          ${prefix}${n}.example.com: { serviceName: web }\n`)}`,
  );

test(`${variables} variables of a service are one request and one deployment, and none when nothing changed`, async () => {
  const made = bench();
  await made.apply(keys(variables, 'a'));
  expect(made.requests('POST')).toEqual(['compose.create', 'compose.update', 'compose.deploy']);
  await made.apply(keys(variables, 'b'));
  expect(made.requests('POST')).toEqual(['compose.update', 'compose.deploy']);
  expect(String(rowsIn(made, 'compose')[0]?.env).split('\n').filter(Boolean)).toHaveLength(variables);
  await plansNothing(made, keys(variables, 'b'));
});

test('the variables of a service are read as often for 400 as for 4', async () => {
  const codec = compose.fields.env?.map;
  if (codec === undefined) throw new Error('env is no map');
  const read = vi.spyOn(codec, 'read');
  const counts: number[] = [];
  for (const count of [4, 400]) {
    const made = bench();
    await made.apply(keys(count, 'a'));
    await made.apply(keys(count, 'b'));
    counts.push(read.mock.calls.length);
    read.mockClear();
  }
  read.mockRestore();
  expect(counts[0]).toBeGreaterThan(0);
  expect(counts[1]).toBe(counts[0]);
});

test(`${hosts} renamed domains are two requests each, one deployment, and as many reads as for one`, async () => {
  const made = bench();
  await made.apply(domains(hosts, 'a'));
  made.requests('GET');
  await made.plan(domains(1, 'a'));
  const reads = made.requests('GET');
  const planned = await made.plan(domains(hosts, 'b'));
  expect(made.requests('GET')).toEqual(reads);
  const result = await applyLater(made, planned);
  expect(new Set(result.outcomes.map((outcome) => outcome.result))).toEqual(new Set(['done']));
  const requests = made.requests('POST');
  expect(withoutDeployments(requests)).toHaveLength(2 * hosts);
  expect(requests.slice(2 * hosts)).toEqual(['compose.deploy']);
  expect(rowsIn(made, 'domain').every((row) => String(row.host).startsWith('b'))).toBe(true);
  // A state that is lost is found again by as many reads.
  made.store.state = undefined;
  made.requests('GET');
  const adopted = await made.plan(domains(hosts, 'b'));
  expect(made.requests('GET')).toEqual(reads);
  expect(adopted.actions.filter((action) => action.action === 'adopt')).toHaveLength(hosts + 2);
});

test('plan, apply and destroy list the records of the state as often for 40 services as for 4', async () => {
  const counts: number[][] = [];
  for (const count of [4, 40]) {
    const made = bench();
    let listed = 0;
    const counting = (state: State | undefined): State | undefined =>
      state && {
        ...state,
        resources: new Proxy(state.resources, { ownKeys: (all) => (listed++, Reflect.ownKeys(all)) }),
      };
    const read = made.store.read.bind(made.store);
    const store: StateStore = Object.assign(Object.create(made.store) as StateStore, {
      read: async (options?: Parameters<typeof read>[0]) => counting(await read(options)),
    });
    const world = { ...made.world(), store };
    const own: number[] = [];
    const follow = async (planning: Promise<Plan>) => {
      listed = 0;
      const planned = await planning;
      own.push(listed);
      const { outcomes } = await applyPlan(planned, world, {
        permissions: everything,
        connections: 4,
        clock: made.clock,
      });
      own.push(listed);
      expect(outcomes.every(({ result }) => result === 'done')).toBe(true);
    };
    const services = (value: string) =>
      production(
        `    compose:\n${many(count, (n) => `      s${n}: { ${composeBody}, description: ${value}, domains: { s${n}.example.com: { serviceName: web } } }\n`)}`,
      );
    const manifest = await made.manifest(services('a'));
    await follow(plan(manifest, world));
    await plansNothing(made, services('a'));
    await follow(plan(await made.manifest(services('b')), world));
    await plansNothing(made, services('b'));
    await follow(plan(manifest, world, { destroys: true }));
    expect(
      (await plan(manifest, world, { destroys: true })).actions.filter(({ action }) => action !== 'no-op'),
    ).toEqual([]);
    counts.push(own);
  }
  expect(counts[0]?.at(-1)).toBeGreaterThan(0);
  expect(counts[1]).toEqual(counts[0]);
});

test('100 services are planned with one read for each', async () => {
  const made = bench();
  const text = production(`    compose:\n${many(100, (n) => `      s${n}: { ${composeBody} }\n`)}`);
  await made.apply(text);
  made.requests('GET');
  await made.plan(text);
  expect(made.requests('GET').filter((operation) => operation === 'compose.one')).toHaveLength(100);
  await plansNothing(made, text);
});

test('a lost state is rebuilt with one look at each row, for any number of resources', () => {
  const kind = domain;
  const link = kind.parents.compose;
  if (link === undefined) throw new Error('a domain stands below a compose');
  const looks: number[] = [];
  for (const count of [10, 1000]) {
    let reads = 0;
    const rows = Array.from({ length: count }, (_, n): [string, Record<string, unknown>] => [
      `id${n}`,
      {
        get host() {
          reads++;
          return `d${n}.example.com`;
        },
        path: '/',
        serviceName: 'web',
      },
    ]);
    const index = indexRows(kind, rows);
    for (let n = 0; n < count; n++) {
      const key = { host: `d${n}.example.com`, path: '/', serviceName: 'web' };
      expect(index(key)).toEqual([`id${n}`]);
    }
    looks.push(reads / count);
  }
  expect(looks[1]).toBe(looks[0]);
});
