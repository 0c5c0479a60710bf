import { describe, expect, test } from 'vitest';
import { misspeltKeys } from '../../src/plan/misspelt.ts';
import { everything, notesOf, plansNothing } from '../support/faults.ts';
import { composeBody } from '../support/manifest-texts.ts';
import { project as projectKind } from '../../src/resources/top/project.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import { actionOf, inputOf, kindNamed, objectOf } from '../support/plan-values.ts';
import { bench, head } from '../support/world.ts';

/** A slip in the name of an environment: one suggestion, at its line. */

const sections = (indent: string) =>
  `${indent}compose:\n` +
  ['a', 'b', 'c'].map((key) => `${indent}  ${key}: { ${composeBody} }\n`).join('') +
  `${indent}redis:\n${indent}  cache: { dockerImage: "redis:8", databasePassword: correct-horse-1 }\n` +
  `${indent}application:\n${indent}  web: { source: { type: docker, image: nginx } }\n`;
const manifest = (...names: readonly string[]) =>
  `${head}environments:\n${names.map((name) => `  ${name}:\n${sections('    ')}`).join('')}`;

const suggestions = (made: ReturnType<typeof bench>, text: string) =>
  made.plan(text).then((planned) => notesOf(planned).filter(({ code }) => ['renamed', 'similar-name'].includes(code)));

describe('M5: an environment of nearly the same name as', () => {
  test('the default one, without a state, is noted once, at its line', async () => {
    expect(await suggestions(bench(), manifest('prodution'))).toMatchObject([
      {
        code: 'similar-name',
        message: 'prodution is created, and there is production, which no block declares',
        remedy: 'Did you mean production? Then write that in place of prodution.',
        position: { line: 5 },
      },
    ]);
  });

  test('one of the state is noted once, without a note for each service', async () => {
    const made = bench();
    await made.apply(manifest('production', 'staging'), everything);
    expect(await suggestions(made, manifest('prodution', 'staging'))).toMatchObject([
      { code: 'similar-name', remedy: 'Did you mean production? Then write that in place of prodution.' },
    ]);
    expect(await suggestions(made, manifest('production', 'stagin'))).toMatchObject([
      {
        remedy:
          'Did you mean staging? Then write that in place of stagin. If it is its new name, write moved: [{ from: "staging", to: "stagin" }].',
      },
    ]);
    await plansNothing(made, manifest('production', 'staging'));
  });

  test('one that a person made is noted', async () => {
    const made = bench();
    await made.emulator.act('environment.create', { name: 'preview', projectId: 'prj_1' });
    expect(await suggestions(made, manifest('production', 'priview'))).toMatchObject([
      { remedy: 'Did you mean preview? Then write that in place of priview.' },
    ]);
  });

  test('one with a name that an address quotes is noted', async () => {
    const made = bench();
    await made.emulator.act('environment.create', { name: 'shop-eu', projectId: 'prj_1' });
    expect(await suggestions(made, manifest('production', 'shop.eu'))).toMatchObject([
      {
        message: '["shop.eu"] is created, and there is shop-eu, which no block declares',
        remedy: 'Did you mean shop-eu? Then write that in place of ["shop.eu"].',
      },
    ]);
  });

  test.each(['live', 'preview2', 'production'])('none is there: nothing is noted of %s', async (name) => {
    const made = bench();
    await made.emulator.act('environment.create', { name: 'preview1', projectId: 'prj_1' });
    expect(await suggestions(made, manifest(name))).toEqual([]);
  });

  test('another name in place of the default one is one note for all services', async () => {
    const made = bench();
    await made.apply(manifest('production'), everything);
    const [found, ...more] = await suggestions(made, manifest('live'));
    expect(more).toEqual([]);
    expect(found?.message).toBe(
      'resources of production are deleted, and resources of the same kinds are created in live',
    );
  });
});

describe('an environment that is created beside', () => {
  const kind = kindNamed('environment');
  const created = (address: string, more: ActionMembers = {}) =>
    actionOf(address, { kind, action: 'create', id: undefined, ...more });
  const leaving = (address: string, more: ActionMembers = {}) => actionOf(address, { kind, action: 'delete', ...more });
  const other = (name: string | undefined, more: object = {}) => ({
    kind: 'environment',
    id: `id of ${name}`,
    parentId: undefined,
    name,
    ...more,
  });
  interface About {
    readonly actions?: readonly ReturnType<typeof actionOf>[];
    readonly unmanaged?: readonly ReturnType<typeof other>[];
    readonly ofOthers?: readonly ReturnType<typeof other>[];
    readonly redact?: (text: string) => string;
  }
  const found = ({
    actions = [created('prodution')],
    unmanaged = [],
    ofOthers = [],
    redact = (text) => text,
  }: About) => {
    const names = actions.flatMap(({ id, block }) =>
      id === undefined ? [] : [[block, block.split('.').at(-1)] as const],
    );
    const objects = Object.fromEntries(names.map(([block, name]) => [block, objectOf(`id of ${block}`, { name })]));
    const { observed } = inputOf(objects);
    return misspeltKeys(actions, { ...observed, unmanaged, ofOthers }, redact);
  };
  const meant = (about: About) => found(about).diagnostics.map(({ remedy = '' }) => remedy.split('?')[0]);
  const suggested = ['Did you mean production'];

  test.each<[string, About]>([
    ['one of another state', { ofOthers: [other('production')] }],
    ['one of no state', { unmanaged: [other('production')] }],
    ['one that the state forgets', { actions: [created('prodution'), leaving('production', { action: 'forget' })] }],
    [
      'one below the same project',
      {
        actions: [actionOf('project', { kind: projectKind }), created('prodution', { parent: 'project' })],
        unmanaged: [other('production', { parentId: 'id of project' })],
      },
    ],
  ])('%s of nearly the same name is probably that one', (_what, about) => {
    expect(meant(about)).toEqual(suggested);
  });

  test.each<[string, About]>([
    ['one that stays', { actions: [created('prodution'), leaving('production', { action: 'update' })] }],
    [
      'an object of another kind that leaves',
      { actions: [created('prodution'), leaving('production', { kind: kindNamed('redis') })] },
    ],
    ['one that stays, a letter away', { actions: [created('a'), leaving('b', { action: 'update' })] }],
    [
      'one that the platform does not have any more',
      { actions: [created('prodution'), leaving('production', { action: 'forget', id: undefined })] },
    ],
    ['an object of another kind', { unmanaged: [other('production', { kind: 'redis' })] }],
    ['one below another project', { unmanaged: [other('production', { parentId: 'another' })] }],
    ['one without a name', { unmanaged: [other(undefined)] }],
    [
      'one with a secret in its name',
      { actions: [created('prodution'), leaving('production')], redact: (text) => text.replace('production', '***') },
    ],
    [
      'one that leaves, and is there itself',
      { actions: [leaving('prodution', { action: 'update' }), leaving('production')] },
    ],
    [
      'one of a kind without addresses by key',
      {
        actions: [created('prodution', { kind: kindNamed('redis') })],
        unmanaged: [other('production', { kind: 'redis' })],
      },
    ],
  ])('%s is no slip', (_what, about) => {
    expect(meant(about)).toEqual([]);
  });

  test('of several that leave, the nearest one is probably that one: its new name is a move', () => {
    const actions = [created('prodution'), leaving('productive'), leaving('production')];
    const { diagnostics, covers } = found({ actions });
    expect(diagnostics.map(({ message, remedy }) => [message, remedy])).toEqual([
      [
        'prodution is created, and there is production, which no block declares',
        'Did you mean production? Then write that in place of prodution. If it is its new name, write moved: [{ from: "production", to: "prodution" }].',
      ],
    ]);
    expect(['productive', 'production'].map((from) => covers(from, 'prodution'))).toEqual([false, true]);
  });

  test('one that leaves explains each new address below it, and only those', () => {
    const { covers } = found({ actions: [created('prodution'), leaving('production')] });
    const pairs = [
      ['production.redis.db', 'prodution.redis.db'],
      ['production', 'prodution'],
      ['production.redis.db', 'staging.redis.db'],
      ['staging.redis.db', 'prodution.redis.db'],
    ] as const;
    expect(pairs.map(([from, to]) => covers(from, to))).toEqual([true, true, false, false]);
    expect(found({ unmanaged: [other('production')] }).covers('production', 'prodution')).toBe(false);
  });
});
