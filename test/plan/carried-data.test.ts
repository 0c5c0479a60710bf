import { expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import { withoutCarriedOver } from '../../src/plan/carried-data.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import {
  actionOf,
  attributeChange,
  declared,
  inputOf,
  kindNamed,
  objectOf,
  referring,
} from '../support/plan-values.ts';

/** The data of an object that goes stays where another object that is created has it. */

const shop = 'production.compose.shop';
const old = `${shop}.mounts["/old"]`;
const lost = 'its volume extra';
const row = { type: 'volume', volumeName: 'extra', mountPath: '/srv' };

const volume = (fields: Readonly<Record<string, Parameters<typeof declared>[0]>>) =>
  Object.entries(fields).map(([field, value]) => attributeChange(field, { wanted: declared(value) }));

interface About {
  readonly gone?: ActionMembers;
  readonly made?: ActionMembers;
  readonly was?: Row;
}

/** The data that the deletion of a mount puts at risk, beside an action that creates another one. */
function atRisk({ gone = {}, made = {}, was = row }: About = {}): string | undefined {
  const mount = { kind: kindNamed('mount'), parent: shop };
  const actions = [
    actionOf(`${shop}.mounts["/new"]`, { ...mount, action: 'create', attributes: volume(row), ...made }),
    actionOf(old, { ...mount, action: 'delete', dataAtRisk: lost, ...gone }),
  ];
  const after = withoutCarriedOver(inputOf({ [old]: objectOf('mount_1', was) }), actions);
  expect(after.map(({ address }) => address)).toEqual(actions.map(({ address }) => address));
  expect(after[0]).toBe(actions[0]);
  return after[1]?.dataAtRisk;
}

test('data that the new object has is not at risk', () => {
  expect(atRisk()).toBeUndefined();
  expect(atRisk({ gone: { parent: undefined }, made: { parent: undefined } })).toBeUndefined();
  // A member that was never set is equal to one that is not declared.
  const { mountPath, ...rest } = row;
  expect(mountPath).toBe('/srv');
  expect(atRisk({ was: { ...rest, mountPath: null }, made: { attributes: volume(rest) } })).toBeUndefined();
});

test.each<[string, About]>([
  ['another volume', { was: { ...row, volumeName: 'other' } }],
  ['another path', { was: { ...row, mountPath: '/other' } }],
  ['below another service', { made: { parent: 'production.compose.other' } }],
  ['of no service', { made: { parent: undefined } }],
  ['not created', { made: { action: 'update' } }],
  [
    'with a value that is not known yet',
    {
      made: {
        attributes: [
          ...volume({ type: 'volume', mountPath: '/srv' }),
          attributeChange('volumeName', { wanted: referring({ address: shop, output: 'appName' }) }),
        ],
      },
    },
  ],
  ['of a kind whose data has no name', { gone: { kind: kindNamed('redis') }, made: { kind: kindNamed('redis') } }],
  ['of a kind whose data has no name, beside one', { gone: { kind: kindNamed('redis') } }],
  ['of another kind', { made: { kind: kindNamed('redis') } }],
])('data is at risk beside an object %s', (_what, about) => {
  expect(atRisk(about)).toBe(lost);
});

test('only a deletion loses data', () => {
  expect(atRisk({ gone: { action: 'update' } })).toBe(lost);
  expect(atRisk({ gone: { dataAtRisk: undefined } })).toBeUndefined();
});

test('what is not declared has no part in it, and an object that was not read is at risk', () => {
  const attributes = [...volume(row), attributeChange('hostPath', { wanted: undefined })];
  expect(atRisk({ made: { attributes } })).toBeUndefined();
  const mount = { kind: kindNamed('mount'), parent: shop };
  const actions = [
    actionOf(`${shop}.mounts["/new"]`, { ...mount, action: 'create', attributes: volume(row) }),
    actionOf(old, { ...mount, action: 'delete', dataAtRisk: lost }),
  ];
  expect(withoutCarriedOver(inputOf({}), actions)).toEqual(actions);
});
