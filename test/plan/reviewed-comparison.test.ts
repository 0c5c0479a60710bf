import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { PlanFile } from '../../src/plan/plan-file.ts';
import { comparePlans, elsewhere } from '../../src/plan/reviewed-comparison.ts';
import { declared, here, kindNamed, planFileOf, resourceOf } from '../support/plan-values.ts';

/** Two plan files beside each other: the one that was reviewed, and the one that is made now. */

const main = 'production.redis.main';
const shop = 'production.compose.shop';

const base = planFileOf({
  platform: 'https://deploy.example.com',
  state: { lineage: 'a', serial: 3, content: 'content' },
  accepted: '',
});

type Facts = Readonly<Record<string, string>>;

const block: Facts = { block: '' };
const update: Facts = { ...block, 'action update': '', id: 'id' };
const deployment: Facts = { 'action deploy': '', id: 'id' };
/** Facts of what is declared, by the path in the block. */
const says = (values: Facts, kind = 'declared'): Facts =>
  Object.fromEntries(Object.entries(values).map(([path, value]) => [`${kind} ${path}`, value]));
const position = here;
const resource = resourceOf(kindNamed('redis'), main);

function compare(
  reviewed: Partial<PlanFile>,
  now: Partial<PlanFile>,
  { resources = [resource], continues = false }: { resources?: readonly Resource[]; continues?: boolean } = {},
) {
  const found = comparePlans({
    continues,
    reviewed: { ...base, ...reviewed },
    now: { ...base, ...now },
    project: 'shop',
    resources,
  });
  const isError = ({ severity }: Diagnostic) => severity === 'error';
  return { moved: found.filter(isError), leftOut: found.filter((item) => !isError(item)) };
}

const why = (...pair: Parameters<typeof compare>) => compare(...pair).moved.map(({ message }) => message);

describe('a plan file of another platform, project or organization', () => {
  test('is refused before any request', () => {
    expect(elsewhere(base, { platform: base.platform, project: base.projectId })).toEqual([]);
    const named = { ...base, project: 'shop' };
    expect(elsewhere(named, { platform: base.platform, project: 'shop' })).toEqual([]);
    expect(elsewhere(named, { platform: base.platform, project: base.projectId })).toHaveLength(1);
    expect(elsewhere(base, { platform: 'emulator', project: 'prj_2' })).toEqual([
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

  test('is refused for its organization, and for nothing else', () => {
    expect(why({ organizationId: 'org_2' }, { moved: 'other' })).toEqual([
      'the plan is for organization org_2, and the API key acts in org_1',
    ]);
  });
});

describe('the name of the project and the version of the platform', () => {
  const of = (platformVersion: string): Partial<PlanFile> => ({ platformVersion });
  const versions = (then: string, now: string) =>
    `the plan was made with version ${then} of the platform, which has version ${now} now`;
  const project = 'the plan is for project prj_1, and shop is prj_2 now';

  test.each<[string, Partial<PlanFile>, Partial<PlanFile>, readonly string[]]>([
    ['mean the same project and the same version', of('v1'), of('v1'), []],
    ['mean another project: it was made again', {}, { projectId: 'prj_2' }, [project]],
    ['mean another version', of('v1'), of('v2'), [versions('v1', 'v2')]],
    ['mean a version where the platform gave none', {}, of('v2'), [versions('unknown', 'v2')]],
    ['mean none any more', of('v1'), {}, [versions('v1', 'unknown')]],
    [
      'both mean others',
      of('v1'),
      { ...of('v2'), projectId: 'prj_2', organizationId: 'org_2', moved: 'other', facts: { [main]: update } },
      [project, versions('v1', 'v2')],
    ],
  ])('%s', (_what, reviewed, now, reasons) => {
    expect(why(reviewed, now)).toEqual(reasons);
    expect(why(reviewed, now, { continues: true })).toEqual(reasons);
  });
});

describe('the state', () => {
  const first = (lineage: string): Partial<PlanFile> => ({ state: { lineage } });
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

  const begun = (then: Partial<PlanFile>, now: Partial<PlanFile>) => why(then, now, { continues: true });

  test('may have gone on where an apply of the plan began, and is no other and no older one', () => {
    expect(begun(first('a'), state({}))).toEqual([]);
    expect(begun({}, state({ serial: 4 }))).toEqual([]);
    expect(begun({}, state({ content: 'other' }))).toEqual([]);
    expect(begun(first('b'), state({}))).toHaveLength(1);
    expect(begun({}, first('a'))).toHaveLength(1);
    expect(begun({}, state({ lineage: 'b', serial: 4 }))).toHaveLength(1);
    expect(begun({}, state({ serial: 2 }))).toHaveLength(1);
    expect(begun({}, { ...state({ serial: 4 }), organizationId: 'org_2' })).toHaveLength(1);
    expect(begun({}, { ...state({ serial: 4 }), facts: { [main]: update } })).not.toEqual([]);
  });

  test('is the only reason when it changed', () => {
    const found = compare({ facts: { [main]: update }, moved: 'other' }, state({ serial: 4 }));
    expect(found.moved).toMatchObject([{ code: 'plan-outdated', severity: 'error' }]);
    expect(found.moved[0]).not.toHaveProperty('address');
    expect(found.leftOut).toEqual([]);
  });
});

describe('a changed manifest is refused', () => {
  const of = (then: Facts, now: Facts, fields: Resource['fields'] = {}) =>
    why(
      { facts: { [main]: { ...block, ...then } } },
      { facts: { [main]: { ...block, ...now } } },
      { resources: [{ ...resource, fields }] },
    );

  test('for its moved:', () => {
    expect(compare({}, { moved: 'other' }).moved).toEqual([
      {
        code: 'plan-outdated',
        severity: 'error',
        message: 'moved: was changed after the plan was made',
      },
    ]);
  });

  test('for an added or removed block', () => {
    const both = { facts: { [main]: { ...block, ...says({ a: 'x' }) }, [shop]: block } };
    expect(compare(both, { facts: { [shop]: block } }).moved).toEqual([
      {
        code: 'plan-outdated',
        severity: 'error',
        message: `${main} is not declared any more`,
        address: main,
        position,
      },
    ]);
    expect(compare({ facts: { [main]: both.facts[main] ?? {} } }, both).moved).toEqual([
      {
        code: 'plan-outdated',
        severity: 'error',
        message: `${shop} was not declared when the plan was made`,
        address: shop,
      },
    ]);
    expect(why(both, both)).toEqual([]);
  });

  test('for its fields, in one sentence', () => {
    expect(of(says({ a: 'x', b: 'x', c: 'x' }), says({ a: 'x', b: 'y', d: 'x' }))).toEqual([
      `b, c, d of ${main} was changed after the plan was made`,
    ]);
  });

  test('for a secret that flows into a field', () => {
    const secrets = { a: declared('y', true), b: declared('y', true) };
    expect(of(says({ a: 'x', b: 'x' }), says({ a: 'y', b: 'y' }), secrets)).toEqual([
      `a, b of ${main} changed: a secret or a variable of the environment in it has another value`,
    ]);
    expect(of(says({ a: 'x' }), says({ a: 'y' }), { a: declared('y') })).toEqual([
      `a of ${main} was changed after the plan was made`,
    ]);
    expect(of({}, says({ a: 'y' }), secrets)).toEqual([`a of ${main} was changed after the plan was made`]);
    expect(of(says({ a: 'x' }), says({ a: 'x' }), secrets)).toEqual([]);
  });

  test('for a key of a map', () => {
    const resources = [{ ...resource, maps: { env: new Map([['A', declared('y', true)]]) } }];
    const now = { facts: { [main]: { ...block, ...says({ 'env.A': 'y' }) } } };
    expect(why({ facts: { [main]: { ...block, ...says({ 'env.A': 'x' }) } } }, now, { resources })).toEqual([
      `env.A of ${main} changed: a secret or a variable of the environment in it has another value`,
    ]);
  });

  test('for a secret that is missing now, and not for one that the reviewed plan did not have', () => {
    const missing = (values: Facts) => ({ ...says(values), ...says(values, 'missing') });
    expect(of({ ...says({ a: 'x' }), ...missing({ b: 'S' }) }, missing({ a: 'S', b: 'S T' }))).toEqual([
      `a, b of ${main} needs a secret that this run does not have`,
    ]);
    expect(of(missing({ a: 'S' }), missing({ a: 'S' }))).toEqual([]);
    expect(of(missing({ a: 'S' }), { ...missing({ a: 'S' }), ...says({ a: 'other' }) })).toEqual([
      `a of ${main} was changed after the plan was made`,
    ]);
    expect(of(missing({ a: 'S' }), says({ a: 'known' }))).toEqual([]);
    expect(of({}, missing({ a: 'S' }))).toEqual([`a of ${main} was changed after the plan was made`]);
    expect(of(missing({ a: 'S' }), {})).toEqual([`a of ${main} was changed after the plan was made`]);
  });
});

describe('a changed platform', () => {
  const changed = { ...update, 'was a': 'new' };

  test('is refused with the block and its line', () => {
    expect(compare({ facts: { [main]: block } }, { facts: { [main]: changed } })).toEqual({
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
    expect(compare({ facts: { [main]: changed } }, { facts: { [main]: changed } }).moved).toEqual([]);
  });

  test('is not compared where the block itself changed', () => {
    const reviewed = { facts: { [main]: { ...block, ...says({ a: 'x' }) }, [shop]: block } };
    expect(why(reviewed, { facts: { [main]: changed, [shop]: changed } })).toEqual([
      `a of ${main} was changed after the plan was made`,
      `a of ${shop} was changed on the platform`,
    ]);
  });

  test('is refused with the fields whose secret the reviewed plan did not have', () => {
    const facts = { [main]: { ...block, ...says({ a: 'x', b: 'x' }), 'missing a': 'S' } };
    const now = { [main]: { ...facts[main], ...changed, 'was b': 'new' } };
    expect(why({ facts }, { facts: now })).toEqual([
      `a of ${main} needs a secret that the plan was made without`,
      `b of ${main} was changed on the platform`,
    ]);
  });

  test('is refused for a deployment only when nothing else differs', () => {
    const [deploys, shops] = [{ [`${main} (deploy)`]: deployment }, { facts: { [shop]: block } }];
    expect(why(shops, { facts: { ...deploys, [shop]: changed } })).toEqual([
      `a of ${shop} was changed on the platform`,
    ]);
    expect(why({}, { facts: deploys })).toEqual([`${main} has to be deployed now`]);
    expect(why(shops, { facts: deploys })).toEqual([`${shop} is not declared any more`]);
    expect(why({}, { facts: deploys, moved: 'other' })).toEqual(['moved: was changed after the plan was made']);
    const [said] = compare({}, { facts: deploys }).moved;
    expect(said).toMatchObject({ address: main, position });
  });

  test('may have addresses that are names of JavaScript', () => {
    const facts = Object.fromEntries([['["__proto__"]', changed]]);
    expect(why({}, { facts })).toEqual(['["__proto__"] was not declared when the plan was made']);
    expect(why({ facts }, { facts })).toEqual([]);
    expect(why({}, { facts: { constructor: deployment } })).toEqual(['constructor has to be deployed now']);
  });
});

test('notes reviewed actions that are not needed any more, when nothing is refused', () => {
  const facts = { [main]: update, [`${main} (deploy)`]: deployment };
  expect(compare({ facts }, { facts: { [main]: block } })).toEqual({
    moved: [],
    leftOut: [
      { code: 'not-needed', severity: 'note', message: `to update ${main} is not needed any more`, address: main },
      { code: 'not-needed', severity: 'note', message: `to deploy ${main} is not needed any more`, address: main },
    ],
  });
  expect(compare({ facts }, { facts }).leftOut).toEqual([]);
  expect(compare({ facts }, { facts: { [main]: block }, moved: 'other' }).leftOut).toEqual([]);
});
