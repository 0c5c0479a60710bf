import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type NewSource, type Records, recordsIn } from '../../src/controller/records/all.ts';
import { migrate } from '../../src/controller/schema.ts';
import { openPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** Platforms and sources in the tables of a controller, and the stacks that they make. */

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'a source', () => {
  let pool: pg.Pool;
  let records: Records;

  beforeAll(async () => {
    const opened = await openPostgres(5);
    ({ pool } = opened);
    return opened.close;
  });
  beforeEach(async () => {
    await pool.query('drop schema if exists trueup_controller cascade');
    await migrate(pool, 'trueup_controller');
    records = recordsIn(pool, 'trueup_controller');
    await addPlatform('paris', { customer: 'acme', ring: 'rest' });
    await addPlatform('oslo', { ring: 'canary' });
  });

  const addPlatform = (id: string, labels: Record<string, string>, url = `https://${id}.example.com`) =>
    records.addPlatform(
      { id, url, profile: null, keyFile: `/keys/${id}`, envFile: null, connections: 4, labels },
      'alex',
    );
  const source = (more: Partial<NewSource> = {}): NewSource => ({
    id: 'shops',
    url: 'https://git.example.com/shops.git',
    ref: 'refs/heads/main',
    platforms: [
      { platform: 'oslo', paths: 'servers/oslo/*' },
      { platform: 'paris', paths: 'servers/*' },
    ],
    policy: 'approval',
    pollSeconds: 60,
    lookSeconds: 3_600,
    ...more,
  });
  const roots = ['servers/oslo/trueup.yaml', 'servers/paris/trueup.yaml', 'trueup.yaml'];
  const stacks = async () =>
    Object.fromEntries((await records.stacks()).filter(({ isGone }) => !isGone).map((one) => [one.path, one]));
  const platforms = async () =>
    Object.fromEntries(Object.values(await stacks()).map(({ path, platform }) => [path, platform]));
  const events = async () => (await records.events()).map(({ what, subject }) => `${what} ${subject}`);

  test('gives each root file the platform of the first pattern that matches, and says which have none', async () => {
    await records.addSource(source(), 'alex');
    expect((await records.source('shops'))?.filesProblem).toBeNull();
    await records.sawCommit({ id: 'shops' }, 'c1', roots);
    expect(await platforms()).toEqual({
      'servers/oslo/trueup.yaml': 'oslo',
      'servers/paris/trueup.yaml': 'paris',
    });
    const problem = async () => {
      const [shown] = await records.shownSources();
      expect(shown?.filesProblem).toBe((await records.source('shops'))?.filesProblem);
      return shown?.filesProblem;
    };
    expect(await problem()).toContain('no platform of the source has the root file trueup.yaml');
    await records.sawNothing({ id: 'shops' });
    expect(await problem()).toContain('trueup.yaml');
    await records.sawCommit({ id: 'shops' }, 'c2', ['a.yaml', 'b.yaml', 'c.yaml', 'd.yaml']);
    expect([await problem(), await platforms()]).toEqual([
      expect.stringContaining('a.yaml, b.yaml, c.yaml and 1 more'),
      {},
    ]);
  });

  test('says that its files describe previews, and that nobody lists its pull requests', async () => {
    const problem = async () => (await records.source('shops'))?.filesProblem;
    await records.addSource(source(), 'alex');
    await records.sawCommit({ id: 'shops' }, 'c1', [], { previews: ['servers/preview.yaml'] });
    expect(await problem()).toBe(
      'the source names no forge, and makes no preview by the root file servers/preview.yaml\n-> Enrol the source again with --forge and --forge-token-file.',
    );
    await records.addSource(source({ forge: 'forgejo' }), 'alex');
    expect(await problem()).toContain('no token for its forge');
    await records.addSource(source({ forge: 'forgejo', forgeTokenFile: '/run/token' }), 'alex');
    expect(await problem()).toBeNull();
    await records.addSource(source(), 'alex');
    await records.sawCommit({ id: 'shops' }, 'c2', []);
    expect(await problem()).toBeNull();
  });

  test('places its root files again when its platforms change; what counted on another platform counts no more', async () => {
    await records.addSource(source(), 'alex');
    await records.sawCommit({ id: 'shops' }, 'c1', roots);
    const untouched = { applied: null, digest: null };
    const moving = {
      id: 'shops:servers/paris/trueup.yaml',
      platform: 'paris',
      url: 'https://paris.example.com',
      ...untouched,
    };
    await records.inStep(moving, 'c1', 'a digest');
    const staying = { id: 'shops:servers/oslo/trueup.yaml', platform: 'oslo', url: 'https://oslo.example.com' };
    await records.inStep({ ...staying, ...untouched }, 'c1', 'a digest');
    const kept = await records.keepPlan(moving, {
      commit: 'c1',
      cause: 'drift',
      document: { actions: [], dataAtRisk: [] } as never,
      file: 'a file',
      losing: [],
    });
    expect(kept).toEqual(expect.any(String));
    await records.dueStacks(10);
    expect(await records.addSource(source({ platforms: [{ platform: 'oslo', paths: '*' }] }), 'alex')).toBe('changed');
    expect(await platforms()).toEqual(Object.fromEntries(roots.map((path) => [path, 'oslo'])));
    const { 'servers/oslo/trueup.yaml': stays, 'servers/paris/trueup.yaml': moved } = await stacks();
    expect([stays?.applied, moved?.applied, moved?.digest]).toEqual(['c1', null, null]);
    expect([await records.waitingPlan(moving.id), (await records.source('shops'))?.filesProblem]).toEqual([
      undefined,
      null,
    ]);
    expect((await records.dueStacks(10)).map(({ id }) => id).toSorted()).toEqual([moving.id, 'shops:trueup.yaml']);
    await records.addSource(source({ platforms: [{ platform: 'oslo', paths: 'trueup.yaml' }] }), 'alex');
    expect(await platforms()).toEqual({ 'trueup.yaml': 'oslo' });
  });

  test('has stacks with the labels of their platform, and over them its own, also after a change of either', async () => {
    await records.addSource(source({ labels: { customer: 'shop' } }), 'alex');
    await records.sawCommit({ id: 'shops' }, 'c1', roots);
    const labels = async () => (await stacks())['servers/paris/trueup.yaml']?.labels;
    expect(await labels()).toEqual({ customer: 'shop', ring: 'rest' });
    await records.addSource(source({ labels: { tier: 'shop' } }), 'alex');
    expect(await labels()).toEqual({ customer: 'acme', ring: 'rest', tier: 'shop' });
    await addPlatform('paris', { ring: 'last', tier: 'server' });
    expect(await labels()).toEqual({ ring: 'last', tier: 'shop' });
  });

  test('and a platform are noted as events with what changed, once', async () => {
    expect(await records.addSource(source(), 'alex')).toBe('added');
    expect(await records.addSource(source(), 'alex')).toBe('same');
    expect(await records.addSource(source({ policy: 'automatic' }), 'kim')).toBe('changed');
    expect(await addPlatform('oslo', { ring: 'canary' })).toBe('same');
    expect(await events()).toEqual([
      'added the platform paris',
      'added the platform oslo',
      'added the source shops',
      'changed the source shops',
    ]);
    expect((await records.events()).at(-1)).toMatchObject({
      who: 'kim',
      about: { policy: { from: 'approval', to: 'automatic' } },
    });
  });

  test.each<[string, Partial<NewSource>, string]>([
    [
      'a platform that is not enrolled',
      { platforms: [{ platform: 'rome', paths: '*' }] },
      'rome, which is not enrolled',
    ],
    ['no platform', { platforms: [] }, 'has no platform'],
    ['a password in its address', { url: 'https://a:b@git.example.com/shops.git' }, 'its address has credentials'],
    ['a ref that git reads as an option', { ref: '--upload-pack=x' }, 'its ref is neither'],
  ])('is refused with %s', async (_, more, said) => {
    await expect(records.addSource(source(more), 'alex')).rejects.toThrow(said);
    expect(await records.sources()).toEqual([]);
  });

  test.each([
    ['a password', 'https://a:b@paris.example.com', 'has a password'],
    ['no protocol of a platform', 'file:///etc/passwd', 'is no URL of a platform'],
  ])('is on no platform whose address has %s', async (_, url, said) => {
    await expect(addPlatform('paris', {}, url)).rejects.toThrow(said);
    expect((await records.platform('paris'))?.url).toBe('https://paris.example.com');
  });

  test('has no plan or commit that counts after its platform got another address', async () => {
    await records.addSource(source(), 'alex');
    await records.sawCommit({ id: 'shops' }, 'c1', roots);
    const url = 'https://paris.example.com';
    const stack = { id: 'shops:servers/paris/trueup.yaml', platform: 'paris', url, applied: null, digest: null };
    await records.inStep(stack, 'c1', 'a digest');
    await records.keepPlan(stack, {
      commit: 'c1',
      cause: 'drift',
      document: { actions: [], dataAtRisk: [] } as never,
      file: 'a file',
      losing: [],
    });
    await addPlatform('paris', {}, 'https://other.example.com');
    expect(await records.stack(stack.id)).toMatchObject({ applied: null, digest: null });
    expect(await records.waitingPlan(stack.id)).toBeUndefined();
  });

  test('is removed with its stacks, unless one runs; a platform is, unless a source names it', async () => {
    await records.addSource(source(), 'alex');
    await records.sawCommit({ id: 'shops' }, 'c1', roots);
    const stack = { id: 'shops:servers/paris/trueup.yaml' };
    const run = await records.beginRun(stack, { kind: 'drift', cause: 'look', commit: 'c1', worker: 'a worker' });
    await expect(records.removePlatform('paris', 'alex')).rejects.toThrow('sources that name it: shops');
    await expect(records.removeSource('shops', 'alex')).rejects.toThrow(`a stack that runs: ${stack.id}`);
    await records.endRun(run, { ending: 'in step' });
    const waves = [{ name: 'all', labels: {}, healthyMinutes: 0, steps: ['rest'] }] as const;
    await records.sawCommit({ id: 'shops' }, 'c2', roots, { waves });
    const failed = await records.beginRun(stack, { kind: 'plan', cause: 'commit', commit: 'c2', worker: 'a worker' });
    await records.endRun(failed, { ending: 'manifest' });
    expect((await records.alarms()).map(({ kind }) => kind)).toEqual(['wave']);
    expect([await records.removeSource('shops', 'alex'), await records.removeSource('shops', 'alex')]).toEqual([
      { previews: [] },
      undefined,
    ]);
    expect([await records.removePlatform('paris', 'alex'), await records.removePlatform('paris', 'alex')]).toEqual([
      true,
      false,
    ]);
    expect([await records.stacks(), (await records.platforms()).map(({ id }) => id)]).toEqual([[], ['oslo']]);
    expect(await records.alarms()).toEqual([]);
    expect((await events()).slice(-2)).toEqual(['removed the source shops', 'removed the platform paris']);
  });

  test('keeps a platform while a stack runs that left it', async () => {
    await records.addSource(source(), 'alex');
    await records.sawCommit({ id: 'shops' }, 'c1', roots);
    const stack = { id: 'shops:servers/paris/trueup.yaml' };
    const run = await records.beginRun(stack, { kind: 'plan', cause: 'commit', commit: 'c1', worker: 'a worker' });
    await records.addSource(source({ platforms: [{ platform: 'oslo', paths: 'servers/oslo/*' }] }), 'alex');
    await expect(records.removePlatform('paris', 'alex')).rejects.toThrow(`a stack that runs: ${stack.id}`);
    await records.endRun(run, { ending: 'done' });
    expect(await records.removePlatform('paris', 'alex')).toBe(true);
  });

  test('keeps its stacks apart from a change of its platform at the same time', async () => {
    await records.addSource(source(), 'alex');
    await records.sawCommit({ id: 'shops' }, 'c1', roots);
    const changes = [0, 1, 2, 3].flatMap((at): readonly Promise<unknown>[] => [
      addPlatform('paris', { ring: `r${at}` }),
      records.addSource(source({ labels: { tier: `t${at}` } }), 'alex'),
      records.sawCommit({ id: 'shops' }, `c${at}`, roots),
    ]);
    await Promise.all(changes);
    const { labels: own } = (await records.source('shops')) ?? {};
    const { labels: shared } = (await records.platform('paris')) ?? {};
    expect((await stacks())['servers/paris/trueup.yaml']?.labels).toEqual({ ...shared, ...own });
  });
});
