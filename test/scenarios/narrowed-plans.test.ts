import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Action, Plan } from '../../src/plan/action.ts';
import { hasChanges, isLeftOut } from '../../src/plan/action.ts';
import { risking } from '../../src/plan/summary.ts';
import { moveInState } from '../../src/operate/edit-state.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { kinds } from '../../src/resources/index.ts';
import type { PlanRequest } from '../../src/workflow/session.ts';
import { session } from '../../src/workflow/session.ts';
import { applyFile, fileIn, refused, review } from '../support/reviewed.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Plans that are narrowed to targets, or leave something out, on the emulator: applied, and then the rest. */

type Asked = Parameters<typeof readNarrowing>[0];

const composeFile = (tag: string) => `"services: { web: { image: nginx:${tag} } }"`;
const shop = (tag: string, more = '') =>
  `shop: { source: { type: raw, composeFile: ${composeFile(tag)} }, env: { DB: "\${ref:postgres.main.host}", REGION: "\${{environment.REGION}}" }${more} }`;
const domain = (port: number) => `, domains: { shop.example.com: { serviceName: web, port: ${port} } }`;
const postgres = (image: string) =>
  `main: { dockerImage: "postgres:${image}", databaseName: d, databaseUser: u, databasePassword: correct-horse-1 }`;
const redis = (...keys: readonly string[]) =>
  keys.map((key) => `${key}: { dockerImage: "redis:8", databasePassword: correct-horse-2 }`).join(', ');

const manifest = ({
  region = 'eu',
  compose = shop('1', domain(80)),
  pg = '17',
  keys = ['cache'],
} = {}) => `${head}environments:
  production:
    env: { REGION: ${region} }
    postgres: { ${pg === '' ? '' : postgres(pg)} }
    compose: { ${compose} }
    redis: { ${redis(...keys)} }
`;

const inShort = ({ actions }: Pick<Plan, 'actions'>) =>
  actions.filter(({ action }) => action !== 'no-op').map(({ action, address }) => `${action} ${address}`);
const leftOut = ({ narrowed }: Plan) =>
  (narrowed?.leftOut ?? []).map(
    ({ action, address, needs }) => `${action} ${address}${needs === undefined ? '' : ` needs ${needs}`}`,
  );

async function plan(made: Bench, text: string, asked: Asked, more: PlanRequest = {}): Promise<Plan> {
  const request = { ...more, narrowing: readNarrowing(asked) };
  return session(await made.manifest(text), made.platform(), { purpose: 'plan', clock: made.clock }, (run) =>
    run.plan(request),
  );
}

/** Applies a narrowed plan: sends nothing for what it leaves out, whose records stay as they are. */
async function applyNarrowed(made: Bench, text: string, asked: Asked, more: PlanRequest = {}): Promise<Plan> {
  const before = made.store.state?.resources ?? {};
  const sent = made.emulator.log.length;
  const options = { purpose: 'apply', clock: made.clock };
  const request = { ...more, narrowing: readNarrowing(asked) };
  const planned = await session(await made.manifest(text), made.platform(), options, async (run) => {
    const planned = await run.plan(request);
    const result = await run.apply(planned, { dataLoss: true, adoption: true });
    expect(result.outcomes.filter((one) => one.result !== 'done')).toEqual([]);
    return planned;
  });
  const after = made.store.state?.resources ?? {};
  const done = new Set(planned.actions.filter((one) => !isLeftOut(one)).map(({ address }) => address));
  const stale = new Set(
    planned.actions.filter(({ service }) => service?.staleness !== undefined).map(({ address }) => address),
  );
  const moves = new Map(
    planned.actions.flatMap(({ address, movedFrom }) => (movedFrom === undefined ? [] : [[movedFrom, address]])),
  );
  for (const [from, to] of moves) expect({ ...after[to], bornAt: '' }).toEqual({ ...before[from], bornAt: '' });
  const others = new Set([...moves].flat());
  for (const address of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (others.has(address)) continue;
    if (!done.has(address) && !stale.has(address))
      expect([address, after[address]]).toEqual([address, before[address]]);
  }
  if (!hasChanges(planned)) expect(made.emulator.log.slice(sent).filter(({ method }) => method === 'POST')).toEqual([]);
  return planned;
}

/** Applies the rest; then it plans nothing. Gives what the rest was. */
async function thenTheRest(made: Bench, text: string): Promise<string[]> {
  const rest = await made.plan(text);
  await made.apply(text, { adoption: true, dataLoss: true, massDeletion: true });
  expect(inShort(await made.plan(text))).toEqual([]);
  return inShort(rest);
}

describe('a target', () => {
  test('takes along what it needs and is not there yet, and nothing else', async () => {
    const made = bench();
    const text = manifest();
    const planned = await applyNarrowed(made, text, { target: ['production.compose.shop'] });
    expect(inShort(planned)).toEqual([
      'adopt production',
      'create production.postgres.main',
      'create production.compose.shop',
      'create production.compose.shop.domains["shop.example.com"]',
      'deploy production.compose.shop (deploy)',
      'deploy production.postgres.main (deploy)',
    ]);
    expect(leftOut(planned)).toEqual(['create production.redis.cache', 'deploy production.redis.cache']);
    expect(await thenTheRest(made, text)).toEqual([
      'create production.redis.cache',
      'deploy production.redis.cache (deploy)',
    ]);
  });

  test('leaves a change of what it refers to, and takes a variable that it mentions', async () => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    const text = manifest({ region: 'us', pg: '17.1', compose: shop('2', domain(81)), keys: ['cache', 'more'] });
    const planned = await applyNarrowed(made, text, { target: ['production.compose.shop'] });
    expect(inShort(planned)).toEqual([
      'update production',
      'update production.compose.shop',
      'update production.compose.shop.domains["shop.example.com"]',
      'deploy production.compose.shop (deploy)',
    ]);
    expect(leftOut(planned)).toEqual([
      'update production.postgres.main',
      'deploy production.postgres.main',
      'create production.redis.more',
      'deploy production.redis.more',
    ]);
    expect(await thenTheRest(made, text)).toEqual([
      'update production.postgres.main',
      'create production.redis.more',
      'deploy production.postgres.main (deploy)',
      'deploy production.redis.more (deploy)',
    ]);
  });

  test('below a service is deployed without the changes of the service', async () => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    const text = manifest({ compose: shop('2', domain(81)) });
    const planned = await applyNarrowed(made, text, {
      target: ['production.compose.shop.domains["shop.example.com"]'],
    });
    expect(inShort(planned)).toEqual([
      'update production.compose.shop.domains["shop.example.com"]',
      'deploy production.compose.shop (deploy)',
    ]);
    expect(leftOut(planned)).toEqual(['update production.compose.shop']);
    expect(await thenTheRest(made, text)).toEqual([
      'update production.compose.shop',
      'deploy production.compose.shop (deploy)',
    ]);
  });

  test('may refer to a service that it leaves out and that referred to it at the last apply', async () => {
    const made = bench();
    const app = (key: string, env: string) => `${key}: { source: { type: docker, image: nginx }${env} }`;
    const text = (a: string, b: string) =>
      `${head}environments: { production: { application: { ${app('a', a)}, ${app('b', b)} } } }\n`;
    const refersTo = (key: string) => `, env: { OTHER: "\${ref:application.${key}.appName}" }`;
    await made.apply(text(refersTo('b'), ''), { adoption: true });
    const turned = text('', refersTo('a'));
    const planned = await applyNarrowed(made, turned, { target: ['production.application.b'] });
    expect(inShort(planned)).toEqual(['update production.application.b', 'deploy production.application.b (deploy)']);
    expect(leftOut(planned)).toEqual(['update production.application.a']);
    expect(await thenTheRest(made, turned)).toEqual(['update production.application.a']);
  });

  test('takes no more requests than the whole', async () => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    const text = manifest({ region: 'us', compose: shop('2') });
    made.requests('GET');
    await made.plan(text);
    const whole = made.requests('GET').length;
    for (const asked of [
      { target: ['production.compose.shop'] },
      { exclude: ['production.redis'] },
      { target: ['production'] },
    ]) {
      await plan(made, text, asked);
      expect(made.requests('GET').length).toBeLessThanOrEqual(whole);
    }
  });

  test('may be a pattern, a section, or something that goes', async () => {
    const made = bench();
    await made.apply(manifest({ keys: ['a', 'b', 'c'] }), { adoption: true });
    const text = manifest({ region: 'us', compose: shop('2'), keys: ['c'] });
    for (const target of [['production.redis'], ['*.redis.*'], ['production.redis.a', 'production["redis"].b']]) {
      expect(inShort(await plan(made, text, { target }))).toEqual([
        'delete production.redis.a',
        'delete production.redis.b',
      ]);
    }
    const planned = await applyNarrowed(made, text, { target: ['production.redis.a'] });
    expect(inShort(planned)).toEqual(['delete production.redis.a']);
    expect((await thenTheRest(made, text)).slice(0, 1)).toEqual(['update production']);
  });

  test('that has no changes plans nothing, and says nothing of the rest', async () => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    const planned = await applyNarrowed(made, manifest({ pg: '17.1' }), { target: ['production.redis.cache'] });
    expect(inShort(planned)).toEqual([]);
    expect(leftOut(planned)).toEqual(['update production.postgres.main', 'deploy production.postgres.main']);
  });
});

describe('an exclusion', () => {
  test('excludes what needs it', async () => {
    const made = bench();
    const text = manifest();
    const planned = await applyNarrowed(made, text, { exclude: ['production.postgres.main'] });
    expect(inShort(planned)).toEqual([
      'adopt production',
      'create production.redis.cache',
      'deploy production.redis.cache (deploy)',
    ]);
    expect(leftOut(planned)).toEqual([
      'create production.postgres.main',
      'deploy production.postgres.main',
      'create production.compose.shop needs production.postgres.main',
      'deploy production.compose.shop',
      'create production.compose.shop.domains["shop.example.com"] needs production.compose.shop',
    ]);
    expect(await thenTheRest(made, text)).toHaveLength(5);
  });

  test('never lets a parent go', async () => {
    const made = bench();
    const staging = `  staging: { redis: { one: { dockerImage: "redis:8", databasePassword: correct-horse-3 }, two: { dockerImage: "redis:8", databasePassword: correct-horse-3 } } }\n`;
    await made.apply(manifest() + staging, { adoption: true });
    const planned = await applyNarrowed(made, manifest(), { exclude: ['staging.redis.two'] });
    expect(inShort(planned)).toEqual(['delete staging.redis.one']);
    expect(leftOut(planned)).toEqual(['delete staging needs staging.redis.two', 'delete staging.redis.two']);
    expect(await thenTheRest(made, manifest())).toEqual(['delete staging', 'delete staging.redis.two']);
  });

  test('of a service leaves it stale when a variable that it mentions is written', async () => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    const text = manifest({ region: 'us' });
    const planned = await applyNarrowed(made, text, { exclude: ['production.compose.shop'] });
    expect(inShort(planned)).toEqual(['update production']);
    expect(leftOut(planned)).toEqual(['deploy production.compose.shop']);
    expect(await thenTheRest(made, text)).toEqual(['deploy production.compose.shop (deploy)']);
  });

  test('of a service whose texts change leaves it stale too: what it mentions is not known', async () => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    const changed = shop('1', domain(80)).replace('${{environment.REGION}}', 'none');
    const text = manifest({ region: 'us', compose: changed });
    await applyNarrowed(made, text, { exclude: ['production.compose.shop'] });
    // The edit is taken back: what runs still has the old variable.
    expect(await thenTheRest(made, manifest({ region: 'us' }))).toEqual(['deploy production.compose.shop (deploy)']);
  });

  test('leaves alone what it excludes from a destruction', async () => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    const asked = { exclude: ['production.postgres.main'] };
    const planned = await applyNarrowed(made, manifest(), asked, { destroys: true });
    expect(inShort(planned)).toEqual([
      'delete production.compose.shop',
      'delete production.compose.shop.domains["shop.example.com"]',
      'delete production.redis.cache',
    ]);
    expect(leftOut(planned)).toEqual([
      'forget production needs production.postgres.main',
      'delete production.postgres.main',
    ]);
    await made.destroy(manifest());
    expect(made.store.state?.resources).toEqual({});
  });
});

describe('what goes with its parent elsewhere', () => {
  const text = manifest().replace(
    postgres('17'),
    `${postgres('17').slice(0, -2)}, mounts: { /more: { type: volume, volumeName: more } }, backups: { a: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/ }, b: { schedule: "0 4 * * *", destinationId: dst_1, prefix: b/ } } }`,
  );

  test.each([
    ['backup', 'production.postgres.main.backups.a', ['backup.remove'], []],
    [
      'mount',
      'production.postgres.main.mounts["/more"]',
      ['mounts.remove', 'postgres.changeStatus', 'postgres.deploy'],
      ['production.postgres.main'],
    ],
    [
      'domain',
      'production.compose.shop.domains["shop.example.com"]',
      ['domain.delete', 'compose.deploy'],
      ['production.compose.shop'],
    ],
  ])('goes alone where a target of a destruction names only that: a %s', async (_, address, operations, deploys) => {
    const made = bench();
    await made.apply(text, { adoption: true });
    made.requests('POST');
    const planned = await applyNarrowed(made, text, { target: [address] }, { destroys: true });
    expect(inShort(planned)).toEqual([`delete ${address}`, ...deploys.map((one) => `deploy ${one} (deploy)`)]);
    expect(made.requests('POST')).toEqual(operations);
    await made.destroy(text);
    expect(made.store.state?.resources).toEqual({});
  });

  test('goes with its parent where a target names that', async () => {
    const made = bench();
    await made.apply(text, { adoption: true });
    made.requests('POST');
    const planned = await applyNarrowed(made, text, { target: ['production.postgres.*'] }, { destroys: true });
    expect(inShort(planned)).toContain('delete production.postgres.main.backups.a');
    // The compose uses the database, and no target names it.
    expect(made.requests('POST')).toEqual(['domain.delete', 'compose.delete', 'postgres.remove']);
    expect(Object.keys(made.emulator.world.tables.backup)).toEqual([]);
  });

  test('goes alone where the block of its database is removed, and a target names only that', async () => {
    const made = bench();
    await made.apply(text, { adoption: true });
    made.requests('POST');
    const asked = { target: ['production.postgres.main.backups.a'] };
    const planned = await applyNarrowed(made, manifest({ pg: '', compose: '' }), asked);
    expect(inShort(planned)).toEqual(['delete production.postgres.main.backups.a']);
    expect(made.requests('POST')).toEqual(['backup.remove']);
  });

  test('goes by itself where the state has it below another parent than the platform', async () => {
    const made = bench();
    const other =
      'other: { dockerImage: "postgres:17", databaseName: o, databaseUser: u, databasePassword: correct-horse-1 }';
    await made.apply(text.replace('postgres: { main', `postgres: { ${other}, main`), { adoption: true });
    const { state } = made.store;
    if (state === undefined) throw new Error('there is no state');
    const move = { from: 'production.postgres.main.backups.a', to: 'production.postgres.other.backups.a' };
    made.store.state = { ...moveInState(state, move, kinds).state, serial: state.serial + 1 };
    made.requests('POST');
    await made.apply(text.replace(/a: \{ schedule[^}]*\}, /, ''), { dataLoss: true });
    expect(made.requests('POST').toSorted()).toEqual(['backup.remove', 'postgres.remove']);
    expect(Object.values(made.emulator.world.tables.backup).map(({ prefix }) => prefix)).toEqual(['b/']);
  });
});

test('an entry of moved: counts for every plan, and sends nothing for what is left out', async () => {
  const made = bench();
  await made.apply(manifest(), { adoption: true });
  const id = made.store.state?.resources['production.redis.cache']?.id;
  const moved = 'moved: [{ from: production.redis.cache, to: production.redis.store }]\n';
  const text = manifest({ pg: '17.1', keys: ['store'] }).replace(head, head + moved);
  made.requests('POST');
  const planned = await applyNarrowed(made, text, { target: ['production.compose.shop'] });
  expect(inShort(planned)).toEqual(['move production.redis.store']);
  expect(leftOut(planned).toSorted()).toEqual([
    'deploy production.postgres.main',
    'update production.postgres.main',
    'update production.redis.store',
  ]);
  expect(made.requests('POST')).toEqual([]);
  expect(made.store.state?.resources['production.redis.store']?.id).toBe(id);
  const rest = await thenTheRest(made, text);
  expect(rest.map((one) => one.replace(' (deploy)', '')).toSorted()).toEqual(leftOut(planned).toSorted());
});

test('an error of what is left out does not stop a plan, one of what it needs does', async () => {
  const made = bench();
  await made.apply(manifest(), { adoption: true });
  const text = manifest({ keys: ['cache', 'other'] });
  const environmentId = made.store.state?.resources['production']?.id ?? '';
  const twin = { name: 'other', environmentId, databasePassword: 'correct-horse-2' };
  for (const _ of [1, 2]) await made.emulator.act('redis.create', twin);
  const asked = { target: ['production.postgres.main'] };
  expect(inShort(await plan(made, text, asked))).toEqual([]);
  for (const refused of [{}, { target: ['production.redis'] }, { exclude: ['production.postgres.main'] }]) {
    const error = await plan(made, text, refused).catch((reason: unknown) => reason);
    expect(error instanceof Stop ? error.diagnostics.map(({ code }) => code) : error).toContain('ambiguous');
  }
  expect(inShort(await plan(made, text, { exclude: ['production.redis.other'] }))).toEqual([]);
});

describe('a replacement on purpose', () => {
  test('deletes and creates the object, and deploys what refers to it', async () => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    const before = made.store.state?.resources['production.postgres.main']?.id;
    const planned = await plan(made, manifest(), { replace: ['production.postgres.main'] });
    expect(inShort(planned)).toEqual([
      'replace production.postgres.main',
      'update production.compose.shop',
      'deploy production.compose.shop (deploy)',
      'deploy production.postgres.main (deploy)',
    ]);
    expect(planned.actions.find(({ action }) => action === 'replace')).toMatchObject({
      isRequested: true,
      dataAtRisk: expect.any(String) as string,
    });
    await applyNarrowed(made, manifest(), { replace: ['production.postgres.main'] });
    expect(made.store.state?.resources['production.postgres.main']?.id).not.toBe(before);
    expect(await thenTheRest(made, manifest())).toEqual([]);
  });

  test('of what is below a service deploys the service', async () => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    const replace = ['production.compose.shop.domains["shop.example.com"]'];
    expect(inShort(await applyNarrowed(made, manifest(), { replace }))).toEqual([
      'replace production.compose.shop.domains["shop.example.com"]',
      'deploy production.compose.shop (deploy)',
    ]);
    expect(await thenTheRest(made, manifest())).toEqual([]);
  });

  test('of an environment names the data of every service in it, and needs the permission to lose it', async () => {
    const made = bench();
    const text = `${head}environments:
  staging:
    postgres: { ${postgres('17')} }
    redis: { ${redis('cache')} }
    compose:
      data: { source: { type: raw, composeFile: "services: { web: { image: nginx, volumes: ['files:/srv'] } }\\nvolumes: { files: {} }" } }
      plain: { source: { type: raw, composeFile: ${composeFile('1')} } }
`;
    await made.apply(text, { adoption: true });
    const asked = { replace: ['staging'] };
    const composes = ['staging.compose.data', 'staging.compose.plain']; // the new one has volumes of its own
    const data = ['staging.postgres.main', 'staging.redis.cache', ...composes];
    const planned = await plan(made, text, asked);
    expect(risking(planned.actions).toSorted()).toEqual(data.toSorted());
    const before = made.emulator.log.length;
    const refusal = session(
      await made.manifest(text),
      made.platform(),
      { purpose: 'apply', clock: made.clock },
      async (run) =>
        run.apply(await run.plan({ narrowing: readNarrowing(asked) }), { dataLoss: false, adoption: false }),
    );
    await expect(refusal).rejects.toThrow(Stop);
    expect(made.emulator.log.slice(before).filter(({ method }) => method === 'POST')).toEqual([]);
    await applyNarrowed(made, text, asked);
    expect(await thenTheRest(made, text)).toEqual([]);
  });

  test('is refused for what cannot be made anew, is protected, or is left out', async () => {
    const made = bench();
    const notesFor = async (address: string, text = manifest(), asked: Asked = {}) => {
      const planned = await plan(made, text, { replace: [address], ...asked });
      const notes = [...planned.diagnostics, ...planned.actions.flatMap((action: Action) => action.notes)];
      return notes.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    };
    await made.apply(manifest(), { adoption: true });
    expect(await notesFor('production')).toEqual(['production cannot be replaced: the platform made it by itself']);
    await made.emulator.act('redis.create', {
      name: 'theirs',
      environmentId: made.store.state?.resources['production']?.id ?? '',
      databasePassword: 'correct-horse-2',
    });
    expect(await notesFor('production.redis.theirs', manifest({ keys: ['cache', 'theirs'] }))).toEqual([
      'production.redis.theirs cannot be replaced: it is not ours yet, and is taken over first',
    ]);
    const guarded = manifest().replace('dockerImage: "redis:8"', 'protect: true, dockerImage: "redis:8"');
    expect(await notesFor('production.redis.cache', guarded)).toEqual([
      'production.redis.cache is protected and would be replaced',
    ]);
    expect(await notesFor('production.redis.cache', manifest(), { target: ['production.postgres.main'] })).toEqual([
      '--replace production.redis.cache: the plan leaves it out',
    ]);
  });
});

describe('a word that names nothing', () => {
  const message = async (asked: Asked): Promise<string[]> => {
    const made = bench();
    await made.apply(manifest(), { adoption: true });
    made.requests('GET');
    const error = await plan(made, manifest(), asked).catch((reason: unknown) => reason);
    if (!(error instanceof Stop)) throw new Error('it was not refused');
    expect(made.requests('GET')).toEqual([]);
    return error.diagnostics.map((item) => `${item.message} -> ${item.remedy}`);
  };

  test('is refused with what is near to it, before anything is read', async () => {
    const nothing = 'neither the manifest nor the state has anything there';
    expect(await message({ target: ['production.redis.cahce', 'nowhere.*'] })).toEqual([
      `--target production.redis.cahce: ${nothing} -> Did you mean production.redis.cache?`,
      `--target nowhere.*: ${nothing} -> trueup state list and the manifest have the addresses.`,
    ]);
    expect(await message({ target: ['redis.cache'] })).toEqual([
      `--target redis.cache: ${nothing} -> Did you mean production.redis.cache?`,
    ]);
    expect(await message({ exclude: ['constructor'] })).toHaveLength(1);
    expect(await message({ replace: ['production.compose.shopp', 'production.redis.*'] })).toEqual([
      '--replace production.compose.shopp: nothing is declared there -> Did you mean production.compose.shop?',
      '--replace production.redis.*: nothing is declared there -> Did you mean production.redis.cache?',
    ]);
  });
});

describe('a plan file', () => {
  const text = manifest();
  const asked = { target: ['production.postgres.main'] };

  test('remembers what its plan is narrowed to, and apply does exactly that', async () => {
    const made = bench();
    const file = await review(made, text, { narrowing: readNarrowing(asked) });
    expect(fileIn(file).narrowing).toEqual({ targets: ['production.postgres.main'], excludes: [], replaces: [] });
    expect(Object.keys(fileIn(file).facts)).not.toContain('production.redis.cache');
    // What it leaves out may change meanwhile.
    const edited = manifest({ keys: ['cache', 'more'], compose: shop('9') });
    await applyFile(made, file, edited);
    expect(Object.keys(made.store.state?.resources ?? {})).toEqual(['production', 'production.postgres.main']);
    expect((await thenTheRest(made, edited)).filter((one) => one.startsWith('create'))).toHaveLength(3);
  });

  test('is refused when what it does is another thing, or it needs more now', async () => {
    const made = bench();
    const file = await review(made, text, { narrowing: readNarrowing(asked) });
    expect(await refused(made, file, manifest({ pg: '16' }))).toEqual([
      'dockerImage of production.postgres.main was changed after the plan was made',
    ]);
  });

  test('remembers a replacement, and is used up by its apply', async () => {
    const made = bench();
    await made.apply(text, { adoption: true });
    const narrowing = readNarrowing({ replace: ['production.redis.cache'] });
    const file = await review(made, text, { narrowing });
    const before = made.store.state?.resources['production.redis.cache']?.id;
    await applyFile(made, file, text, { dataLoss: true });
    expect(made.store.state?.resources['production.redis.cache']?.id).not.toBe(before);
    expect(await refused(made, file, text)).toHaveLength(1);
    expect(await thenTheRest(made, text)).toEqual([]);
  });
});

test('an exclusion does not lift the guard of a plan that deletes everything', async () => {
  const made = bench();
  await made.apply(manifest({ keys: ['cache', 'queue'] }), { adoption: true });
  const errors = ({ diagnostics }: Plan) =>
    diagnostics.filter(({ severity }) => severity === 'error').map(({ code, message }) => [code, message.slice(0, 49)]);
  const excluding = (exclude: readonly string[], more: Asked = {}) =>
    plan(made, `${head}environments: {}\n`, { exclude, ...more });
  const refused = [['deletes-everything', 'without --exclude, this plan deletes everything t']];
  expect(errors(await excluding(['production.redis.cache']))).toEqual(refused);
  expect(errors(await excluding(['production.redis.cache'], { target: ['production.redis.queue'] }))).toEqual([]);
  // What deletes nothing needs no guard.
  expect(errors(await excluding(['production']))).toEqual([]);
  // Here only a part goes.
  expect(errors(await plan(made, manifest({ keys: [] }), { exclude: ['production.redis.cache'] }))).toEqual([]);
});

test('a guard judges the narrowed plan', async () => {
  const made = bench();
  const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
  await made.apply(manifest({ keys }), { adoption: true });
  const text = manifest({ keys: [] });
  const codes = (planned: Plan) => planned.diagnostics.map(({ code }) => code);
  expect(codes(await made.plan(text))).toContain('mass-deletion');
  expect(codes(await plan(made, text, { target: ['production.redis.k1', 'production.redis.k2'] }))).toEqual([]);
});
