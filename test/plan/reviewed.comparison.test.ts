import { describe, expect, test } from 'vitest';
import type { FiledAction, FiledValue, PlanFile } from '../../src/plan/file.ts';
import { comparePlans, elsewhere } from '../../src/plan/reviewed.ts';

/** Two plan files beside each other: the one that was reviewed, and the one that is made now. */

const main = 'production.redis.main';
const shop = 'production.compose.shop';

const base: PlanFile = {
  format: 'trueup/plan-file',
  version: 1,
  madeBy: '1.2.3',
  madeAt: '2026-01-02T03:04:05Z',
  platform: 'https://deploy.example.com',
  organizationId: 'org_1',
  projectId: 'prj_1',
  deploys: true,
  destroys: false,
  state: { lineage: 'a', serial: 3, content: 'content' },
  moved: 'moved',
  resources: [],
  actions: [],
  seal: 'seal',
};

const update = (address: string, more: Partial<FiledAction> = {}): FiledAction => ({
  address,
  action: 'update',
  id: 'id',
  teardown: [],
  steps: [],
  before: [],
  warnings: [],
  ...more,
});
const deployment = (address: string) => update(`${address} (deploy)`, { action: 'deploy' });
const declared = (address: string, values: Readonly<Record<string, FiledValue>>) => ({
  address,
  declared: Object.entries(values).map(([path, value]) => ({ path, value })),
});
const position = { file: 'trueup.yaml', line: 7, column: 1 };

function compare(reviewed: Partial<PlanFile>, now: Partial<PlanFile>, isIntact = true) {
  return comparePlans({
    reviewed: { ...base, ...reviewed },
    now: { ...base, ...now },
    isIntact,
    positionOf: (address) => (address === main ? position : undefined),
  });
}

const why = (...pair: readonly [Partial<PlanFile>, Partial<PlanFile>, boolean?]) =>
  compare(...pair).moved.map(({ message }) => message);

describe('a file of another place', () => {
  test('is told before anything is asked', () => {
    expect(elsewhere(base, base)).toEqual([]);
    expect(elsewhere(base, { platform: 'emulator', projectId: 'prj_2' })).toEqual([
      {
        code: 'plan-outdated',
        severity: 'error',
        message: 'the plan is for the platform https://deploy.example.com, and the manifest names emulator',
      },
      {
        code: 'plan-outdated',
        severity: 'error',
        message: 'the plan is for project prj_1, and the manifest names prj_2',
      },
    ]);
  });

  test('is one of another organization too', () => {
    expect(why({ organizationId: 'org_2' }, { moved: 'other' })).toEqual([
      'the plan is for organization org_2, and the API key acts in org_1',
    ]);
  });
});

describe('a state that is another one', () => {
  const first = (lineage: string): Partial<PlanFile> => ({ state: { lineage, digestKey: 'key' } });
  const state = (more: object): Partial<PlanFile> => ({
    state: { lineage: 'a', serial: 3, content: 'content', ...more },
  });

  test.each<[string, Partial<PlanFile>, Partial<PlanFile>, readonly string[]]>([
    ['is the same', {}, {}, []],
    ['is still none', first('a'), first('b'), []],
    ['was begun by this plan', first('a'), state({}), ['the plan was applied already, wholly or in part']],
    [
      'was begun by another',
      first('b'),
      state({}),
      ['there is a state by now, and there was none when the plan was made'],
    ],
    ['is gone', {}, first('a'), ['the state that the plan was made from is not there']],
    [
      'is of another history',
      {},
      state({ lineage: 'b', serial: 4 }),
      ['the state is another one than the plan was made from'],
    ],
    [
      'is newer',
      {},
      state({ serial: 4 }),
      [
        'the plan was made from version 3 of the state, and it is at version 4: this plan or another was applied since, wholly or in part',
      ],
    ],
    [
      'is older',
      {},
      state({ serial: 2 }),
      ['the plan was made from version 3 of the state, and it is at version 2: an older one was put in its place'],
    ],
    [
      'was written to',
      {},
      state({ content: 'other' }),
      ['the state was written to since the plan was made: a run began to apply it, or another, and did not end'],
    ],
  ])('%s', (_what, reviewed, now, reasons) => {
    expect(why(reviewed, now)).toEqual(reasons);
  });

  test('is the whole reason: nothing else is compared', () => {
    const found = compare({ actions: [update(main)], moved: 'other' }, state({ serial: 4 }), false);
    expect(found.moved).toMatchObject([{ code: 'plan-outdated', severity: 'error' }]);
    expect(found.moved[0]).not.toHaveProperty('address');
    expect(found.leftOut).toEqual([]);
  });
});

test('a file that somebody changed is refused as a whole', () => {
  const found = compare({ actions: [update(main)] }, { moved: 'other' }, false);
  expect(found).toEqual({
    moved: [
      {
        code: 'plan-outdated',
        severity: 'error',
        message: 'the plan file is damaged, or somebody changed it after it was made',
      },
    ],
    leftOut: [],
  });
});

describe('a manifest that is another one', () => {
  const of = (then: Readonly<Record<string, FiledValue>>, now: Readonly<Record<string, FiledValue>>) =>
    why({ resources: [declared(main, then)] }, { resources: [declared(main, now)] });

  test('by what it says under moved:', () => {
    expect(compare({}, { moved: 'other' }).moved).toEqual([
      { code: 'plan-outdated', severity: 'error', message: 'moved: says something else than when the plan was made' },
    ]);
  });

  test('by a block more or less', () => {
    const both = { resources: [declared(main, {}), declared(shop, {})] };
    expect(compare(both, { resources: [declared(shop, {})] }).moved).toEqual([
      {
        code: 'plan-outdated',
        severity: 'error',
        message: `${main} is not declared any more`,
        address: main,
        position,
      },
    ]);
    expect(compare({ resources: [declared(main, {})] }, both).moved).toEqual([
      {
        code: 'plan-outdated',
        severity: 'error',
        message: `${shop} was not declared when the plan was made`,
        address: shop,
      },
    ]);
    expect(why(both, both)).toEqual([]);
  });

  test('by its fields, all in one sentence', () => {
    const value = { digest: 'x' };
    expect(of({ a: value, b: value, c: value }, { a: value, b: { digest: 'y' }, d: value })).toEqual([
      `b, c, d of ${main} is declared otherwise than when the plan was made`,
    ]);
  });

  test('by what flows into a field', () => {
    const concealed = { digest: 'x', concealed: true } as const;
    expect(
      of({ a: concealed, b: { digest: 'x' } }, { a: { ...concealed, digest: 'y' }, b: { ...concealed, digest: 'y' } }),
    ).toEqual([`a, b of ${main} has another value: what flows into it from a secret or the environment changed`]);
    expect(of({ a: concealed }, { a: { digest: 'y' } })).toHaveLength(1);
    expect(of({ a: concealed }, { a: concealed })).toEqual([]);
  });

  test('by a secret that is missing now; one that was missing then says nothing of what it would have been', () => {
    const missing = (...names: string[]): FiledValue => ({ digest: names.join(' '), missing: names });
    expect(of({ a: { digest: 'x' }, b: missing('S') }, { a: missing('S'), b: missing('S', 'T') })).toEqual([
      `a, b of ${main} needs a secret that this run does not have`,
    ]);
    expect(of({ a: missing('S') }, { a: missing('S') })).toEqual([]);
    expect(of({ a: missing('S') }, { a: { ...missing('S'), digest: 'other' } })).toEqual([
      `a of ${main} is declared otherwise than when the plan was made`,
    ]);
    expect(of({ a: missing('S') }, { a: { digest: 'known' } })).toEqual([]);
  });
});

describe('a platform that is another one', () => {
  const changed = { before: [{ path: 'a', was: ['new'] }] };

  test('is told with the block that it is about', () => {
    expect(compare({}, { actions: [update(main, changed)] })).toEqual({
      moved: [
        {
          code: 'plan-outdated',
          severity: 'error',
          message: `a of ${main} was changed on the platform`,
          address: main,
          position,
        },
      ],
      leftOut: [],
    });
    expect(compare({ actions: [update(main, changed)] }, { actions: [update(main, changed)] }).moved).toEqual([]);
  });

  test('says nothing of a block that is declared otherwise: that is planned otherwise', () => {
    const resources = [declared(shop, {}), declared(main, { a: { digest: 'x' } })];
    const now = {
      resources: [declared(shop, {}), declared(main, {})],
      actions: [update(main, changed), update(shop, changed)],
    };
    expect(why({ resources }, now)).toEqual([
      `a of ${main} is declared otherwise than when the plan was made`,
      `a of ${shop} was changed on the platform`,
    ]);
  });

  test('knows which fields the plan was made without the secret of', () => {
    const resources = [declared(main, { a: { digest: 'x', missing: ['S'] }, b: { digest: 'x' } })];
    const both = { before: [...changed.before, { path: 'b', was: ['new'] }] };
    expect(why({ resources }, { resources, actions: [update(main, both)] })).toEqual([
      `a of ${main} needs a secret that the plan was made without`,
      `b of ${main} was changed on the platform`,
    ]);
  });

  test('has deployments that follow from the rest; only when there is no rest they are told', () => {
    const actions = [deployment(main), update(shop, changed)];
    expect(why({}, { actions })).toEqual([`a of ${shop} was changed on the platform`]);
    expect(why({}, { actions: [deployment(main)] })).toEqual([`${main} has to be deployed now`]);
    const resources = [declared(shop, {})];
    expect(why({ resources }, { actions: [deployment(main)] })).toEqual([`${shop} is not declared any more`]);
    const [said] = compare({}, { actions: [deployment(main)] }).moved;
    expect(said).toMatchObject({ address: main, position });
  });
});

test('what was reviewed and is not needed any more is told, when all else is as it was', () => {
  const actions = [update(main), deployment(main)];
  expect(compare({ actions }, {})).toEqual({
    moved: [],
    leftOut: [
      { code: 'not-needed', severity: 'note', message: `to update ${main} is not needed any more`, address: main },
      { code: 'not-needed', severity: 'note', message: `to deploy ${main} is not needed any more`, address: main },
    ],
  });
  expect(compare({ actions }, { actions }).leftOut).toEqual([]);
  expect(compare({ actions }, { moved: 'other' }).leftOut).toEqual([]);
});
