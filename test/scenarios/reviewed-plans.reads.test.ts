import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { session } from '../../src/workflow/session.ts';
import { batching, bulkClient } from '../support/bulk.ts';
import { actionsOf, everything, idOf, notesOf, plansNothing, refusal, results, rowsIn } from '../support/faults.ts';
import { composeBody, database, production } from '../support/manifest-texts.ts';
import { keys } from '../support/organization-blocks.ts';
import { again, applyFile, refused, review, reviewedPlan } from '../support/reviewed.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Applying a reviewed plan reads what the plan touches and what that needs; the next plan reads the rest. */

const range = (count: number) => Array.from({ length: count }, (_, n) => n);
const services = 400;

/** 1,210 resources: ten environments of 40 services, each with two objects below it. Some services have another text. */
function large(changed: number): string {
  const isChanged = (n: number) => n % 30 === 0 && n / 30 < changed;
  const service = (n: number) =>
    `      s${n}: { ${composeBody}, deploy: never, description: ${isChanged(n) ? 'two' : 'one'}, ` +
    `domains: { s${n}.example.com: { serviceName: web } }, files: { app.conf: { content: a } } }\n`;
  const environment = (e: number) =>
    `  e${e}:\n    compose:\n${range(services / 10)
      .map((n) => service((e * services) / 10 + n))
      .join('')}`;
  return `${head}environments:\n${range(10).map(environment).join('')}`;
}

/** A platform with all of that, made once. */
const full = (async () => {
  const made = bench();
  await made.apply(large(0), { adoption: true });
  return { world: made.emulator.world, state: made.store.state };
})();

async function fullPlatform(): Promise<Bench> {
  const { world, state } = await full;
  const made = bench({ emulate: { world: structuredClone(world) } });
  made.store.state = state;
  return made;
}

/** The notes about what was not read. */
const unreadIn = (notes: ReturnType<typeof notesOf>) =>
  notes.flatMap(({ code, message }) => (code === 'not-read' ? [message] : []));

describe('13 changes of 1,210 resources', () => {
  test('take the requests of those 13, and two more', async () => {
    const made = await fullPlatform();
    expect(Object.keys(made.store.state?.resources ?? {})).toHaveLength(1_210);
    const file = await review(made, large(13));
    const from = made.emulator.log.length;
    expect(new Set(Object.values(results(await applyFile(made, file, large(13)))))).toEqual(new Set(['done']));
    const operations = made.emulator.log.slice(from).map(({ operation }) => operation);
    const few = (operation: string) => operations.filter((one) => one === operation).length;
    // Each is read for the comparison, right before its update, and after that.
    expect([few('compose.update'), few('compose.one')]).toEqual([13, 3 * 13]);
    expect(operations).toHaveLength(2 + 4 * 13);
    await plansNothing(made, large(13));
  });

  test('take at most 45 requests with bulk reads', async () => {
    const made = await fullPlatform();
    const file = await review(made, large(13));
    const platform = batching(made);
    const result = await applyInBulk(made, { file, text: large(13), platform });
    expect(new Set(Object.values(results(result)))).toEqual(new Set(['done']));
    expect(platform.log.filter(({ method }) => method === 'POST')).toHaveLength(13);
    expect(platform.log.length).toBeLessThanOrEqual(45);
    await plansNothing(made, large(13));
  });
});

const at = (key: string) => `production.compose.${key}`;

/** Services of one environment, by their descriptions. */
function shops(texts: Readonly<Record<string, string>>, { region = 'eu', more = '' } = {}): string {
  const blocks = Object.entries(texts).map(([key, text]) => `      ${key}: { ${composeBody}, ${text} }\n`);
  return production(`    env: { REGION: ${region} }\n    compose:\n${blocks.join('')}${more}`);
}

const before = { a: 'description: one', b: 'description: one', c: 'description: one' };
const after = { ...before, a: 'description: two' };

/** A platform with three services; the description of one changes. */
async function started(text = shops(before)): Promise<Bench> {
  const made = bench();
  await made.apply(text, everything);
  return made;
}

/** Somebody describes a service by hand. */
const describeByHand = (made: Bench, key: string) =>
  made.emulator.act('compose.update', { composeId: idOf(made, at(key)), description: 'by hand' });

const deletedByHand = (made: Bench, key: string) =>
  made.emulator.act('compose.delete', { composeId: idOf(made, at(key)), deleteVolumes: false });

describe('a change by hand', () => {
  test('where the plan touches nothing stays; the note counts what was not read, and the next plan shows it', async () => {
    const made = await started();
    const file = await review(made, shops(after));
    await describeByHand(made, 'b');
    expect(unreadIn(notesOf(await again(made, file, shops(after))))).toEqual([
      '2 objects that the plan does not touch were not read; the next plan reads them',
    ]);
    const known = made.store.state?.resources[at('b')];
    expect(results(await applyFile(made, file, shops(after)))).toMatchObject({ [at('a')]: 'done' });
    expect(made.store.state?.resources[at('b')]).toEqual(known);
    const texts = Object.fromEntries(rowsIn(made, 'compose').map(({ name, description }) => [name, description]));
    expect(texts).toEqual({ a: 'two', b: 'by hand', c: 'one' });
    expect(actionsOf(await made.plan(shops(after)))).toEqual([`update ${at('b')}`]);
    await made.apply(shops(after));
    await plansNothing(made, shops(after));
  });

  test('is refused anywhere when everything is read', async () => {
    const made = await started();
    const file = await review(made, shops(after));
    await describeByHand(made, 'b');
    const reasons = await refused(made, file, shops(after), { full: true });
    expect(reasons).toEqual([`description of ${at('b')} was changed on the platform`]);
    await applyFile(made, file, shops(after));
    await made.apply(shops(after));
    await plansNothing(made, shops(after));
  });

  test('of what the plan touches is refused, with every other reason', async () => {
    const made = await started();
    const file = await review(made, shops(after));
    await describeByHand(made, 'a');
    await describeByHand(made, 'c');
    expect(await refused(made, file, shops(after))).toEqual([
      `description of ${at('a')} was changed on the platform`,
      `description of ${at('c')} was changed on the platform`,
    ]);
  });

  test('that deletes an object is refused where a list that is read lacks it', async () => {
    const made = await started();
    const file = await review(made, shops(after));
    await deletedByHand(made, 'b');
    expect(await refused(made, file, shops(after))).toEqual([`${at('b')} is not on the platform any more`]);
  });

  test('that creates the object of a planned create is refused', async () => {
    const made = await started();
    const text = shops({ ...before, d: 'description: one' });
    const file = await review(made, text);
    await made.emulator.act('compose.create', { name: 'd', environmentId: idOf(made, 'production') });
    const [reason] = await refused(made, file, text);
    expect(reason).toMatch(/^production\.compose\.d exists on the platform by now/);
  });

  test('that gives another object the key of a planned create makes it no candidate while the state has it', async () => {
    const made = await started();
    const text = shops({ ...before, d: 'description: one' });
    const file = await review(made, text);
    await made.emulator.act('compose.update', { composeId: idOf(made, at('b')), name: 'd' });
    expect(actionsOf(await again(made, file, text))).toEqual([`create ${at('d')}`, `deploy ${at('d')} (deploy)`]);
  });

  test('that lets an untouched service use what the plan deletes is refused', async () => {
    const made = await started(shops(before) + keys('one'));
    const file = await review(made, shops(before));
    const use = { sourceType: 'git', customGitSSHKeyId: idOf(made, 'sshKeys.deploy') };
    Object.assign(rowsIn(made, 'compose')[1] ?? {}, use);
    const found = await refusal(made, () => applyFile(made, file, shops(before)));
    expect(found.length).toBeGreaterThan(0);
    expect(found.map(({ message }) => message).join('\n')).toMatch(/production\.compose\.b/);
  });
});

describe('the requests of a plan that is made again', () => {
  test.each<[string, string, string, string[]]>([
    ['one service', shops(before), shops(after), ['compose.one']],
    ['the service that it refers to', referring('1'), referring('2'), ['compose.one', 'postgres.one']],
    ['the key that it names, in a list', named('deploy', '1'), named('deploy', '2'), ['application.one', 'sshKey.all']],
    ['the key that it names now', named('deploy', '1'), named('other', '1'), ['application.one', 'sshKey.all']],
    [
      'the services that mention a variable, in the environment',
      mentioning('eu'),
      mentioning('us'),
      ['compose.one', 'compose.one'],
    ],
  ])('read %s, and nothing twice', async (_title, from, to, reads) => {
    const made = await started(from);
    const file = await review(made, to);
    made.requests('GET');
    const planned = await again(made, file, to);
    expect(planned.observed.unread.size).toBeGreaterThan(0);
    expect(planned.observed.unmanaged).toHaveLength(0);
    const always = ['user.get', 'environment.byProjectId', 'environment.one'];
    expect(made.requests('GET').toSorted()).toEqual([...always, ...reads].toSorted());
    await applyFile(made, file, to);
    await plansNothing(made, to);
  });

  test('read everything for a plan without changes and for a part of a plan', async () => {
    const made = await started();
    for (const narrowing of [undefined, { targets: [at('a')], excludes: [], replaces: [] }]) {
      const text = shops(narrowing === undefined ? before : after);
      const file = await review(made, text, narrowing === undefined ? {} : { narrowing });
      expect((await again(made, file, text)).observed.unread.size).toBe(0);
    }
  });
});

describe('what is not read loses nothing:', () => {
  test('the state is the one after an apply that reads everything', async () => {
    const services = (value: string, port: string) =>
      production(`    application:
      api:
        source: { type: docker, image: nginx }
        env: { A: "${value}" }
        mounts: { /x: { type: volume, volumeName: x } }
        domains: { api.example.com: { port: 3000 } }
    compose:
      shop: { ${composeBody}, domains: { shop.example.com: { serviceName: web${port} } } }
      other: { ${composeBody} }
${database()}`);
    const made = await started(services('1', ''));
    const domain = rowsIn(made, 'domain').find(({ host }) => host === 'shop.example.com');
    // What is declared now, the platform has already.
    const to = services('2', `, port: ${Number(domain?.port)}`);
    const file = await review(made, to);
    const states = [];
    for (const full of [true, false]) {
      const copy = bench({ emulate: { world: structuredClone(made.emulator.world), newId: () => 'new' } });
      copy.store.state = structuredClone(made.store.state);
      await applyFile(copy, file, to, { full });
      const { resources = {}, serial } = copy.store.state ?? {};
      states.push({ serial, resources });
      await plansNothing(copy, to);
    }
    const [whole, narrow] = states;
    expect(narrow).toEqual(whole);
    const [unread] = unreadIn(notesOf(await again(made, file, to)));
    expect(unread).toMatch(/^2 objects /);
  });

  test('a service that mentions a changed variable is stale after an apply without deployments', async () => {
    const made = await started(mentioning('eu'));
    const file = await review(made, mentioning('us'), { deploys: false });
    await applyFile(made, file, mentioning('us'));
    expect(actionsOf(await made.plan(mentioning('us')))).toEqual([
      `deploy ${at('a')} (deploy)`,
      `deploy ${at('b')} (deploy)`,
    ]);
  });

  test('an operation that an earlier run left open is taken up', async () => {
    const made = await started();
    const record = made.store.state?.resources[at('b')];
    if (made.store.state === undefined || typeof record?.id !== 'string') throw new Error('nothing was applied');
    const pending = { is: 'write', at: made.clock.wall(), timeoutMs: 60_000 } as const;
    await made.store.append(made.store.state, at('b'), { ...record, pending });
    const file = await review(made, shops(after));
    await applyFile(made, file, shops(after));
    expect(made.store.state.resources[at('b')]?.pending).toBeUndefined();
    await plansNothing(made, shops(after));
  });

  test('the default environment that is not touched counts as provided for the guards of deletions', async () => {
    const made = bench();
    const others = ['one', 'two', 'three'].map((name) => `  ${name}: {}\n`).join('');
    const own = `${head}environments:\n  production: {}\n`;
    await made.apply(own + others, everything);
    const file = await review(made, own);
    const found = await refusal(made, () => applyFile(made, file, own));
    expect(found.map(({ code }) => code)).toEqual(['mass-deletion']);
  });

  test('the default environment that is not touched counts as provided for the guard of objects that are gone', async () => {
    const text = `${head}environments:\n  production: { env: { A: a } }\n  one: {}\n  two: {}\n`;
    const made = await started(text);
    for (const key of ['one', 'two']) await made.emulator.act('environment.remove', { environmentId: idOf(made, key) });
    const file = await review(made, text);
    const found = await refusal(made, () => applyFile(made, file, text));
    expect(found.map(({ code }) => code)).toEqual(['vanished']);
  });
});

function referring(value: string): string {
  const a = `env: { A: "${value}", HOST: "\${ref:postgres.main.host}" }`;
  return shops({ a, b: 'description: one' }, { more: database() });
}

function named(key: string, value: string): string {
  const source = `{ type: git, url: "git@git.example.com:a.git", branch: main, sshKey: ${key} }`;
  const more = `    application: { api: { source: ${source}, deploy: never, description: "${value}" } }\n`;
  const other = keys('two', 'other').replace('sshKeys:\n', '').replace('name: deploy', 'name: other');
  return shops(before, { more }) + keys('one') + other;
}

function mentioning(region: string): string {
  const mention = 'env: { R: "${{environment.REGION}}" }';
  return shops({ a: mention, b: mention, c: 'env: { R: none }' }, { region });
}

/** Applies a file over bulk reads. */
async function applyInBulk(
  made: Bench,
  { file, text, platform: { send } }: { file: string; text: string; platform: Emulator & { send: Send } },
) {
  const { client, off } = bulkClient(made, send);
  const platform = { ...made.platform() };
  const connect: typeof platform.connect = async (about) => ({ ...(await made.platform().connect(about)), client });
  const options = { purpose: 'apply', clock: made.clock };
  const result = await session(await made.manifest(text), { ...platform, connect }, options, async (run) =>
    run.apply(await run.plan({ reviewed: reviewedPlan(file) }), everything),
  );
  expect(off).toEqual([]);
  return result;
}
