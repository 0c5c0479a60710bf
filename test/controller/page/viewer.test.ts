import { expect, test } from 'vitest';
import { type Act, type Grant, type Role, viewerOf } from '../../../src/controller/page/viewer.ts';

const acts: readonly Act[] = ['see', 'propose', 'operate', 'approve', 'administer'];
const acme = { customer: 'acme' };
const person = (name: string, ...groups: readonly string[]) => ({ name, groups, by: 'oidc' }) as const;

test.each<[Role, readonly Act[]]>([
  ['viewer', ['see']],
  ['agent', ['see', 'propose']],
  ['operator', ['see', 'propose', 'operate']],
  ['approver', ['see', 'propose', 'operate', 'approve']],
  ['admin', ['see', 'propose', 'operate', 'approve', 'administer']],
])('the role %s may do %j', (role, allowed) => {
  const viewer = viewerOf(person('ann', 'team'), [{ group: 'team', role }]);
  expect(acts.filter((act) => viewer.may(act, acme))).toEqual(allowed);
  expect(acts.filter((act) => viewer.maySomewhere(act))).toEqual(allowed);
});

const roles: readonly Grant[] = [
  { group: 'sre', role: 'admin' },
  { group: 'shops', role: 'approver', labels: { customer: 'acme' } },
  { group: 'shops', role: 'viewer' },
  { group: 'canaries', role: 'operator', labels: { customer: 'acme', ring: 'canary' } },
  { user: 'eve', role: 'operator', labels: { customer: 'other' } },
  { user: 'ann', group: 'night', role: 'operator' },
  { role: 'admin' },
];

test.each([
  ['a group without labels: over all', person('ann', 'sre'), {}, 'admin'],
  ['the highest of several', person('ann', 'shops'), acme, 'approver'],
  ['another customer: what is left', person('ann', 'shops'), { customer: 'other' }, 'viewer'],
  ['no label: what is left', person('ann', 'shops'), {}, 'viewer'],
  ['one of two labels is not enough', person('ann', 'canaries'), acme, undefined],
  ['all labels, and more', person('ann', 'canaries'), { ...acme, ring: 'canary', site: 'x' }, 'operator'],
  ['a user', person('eve'), { customer: 'other' }, 'operator'],
  ['a user over other labels', person('eve'), acme, undefined],
  ['a group with the name of a user', person('bob', 'eve'), { customer: 'other' }, undefined],
  ['a user with the name of a group', person('sre'), {}, undefined],
  ['a user and a group: one is not enough', person('ann'), {}, undefined],
  ['a user and a group: both', person('ann', 'night'), {}, 'operator'],
  ['nobody is meant by a grant that names nobody', person('zoe', 'nothing'), {}, undefined],
  ['names differ by case', person('ann', 'SRE'), {}, undefined],
])('%s', (_title, identity, labels, role) => {
  expect(viewerOf(identity, roles).role(labels)).toBe(role);
});

test('names of labels that objects have by themselves are ordinary names', () => {
  const viewer = viewerOf(person('ann', 'a'), [{ group: 'a', role: 'admin', labels: { constructor: 'x' } }]);
  expect(viewer.role({})).toBeUndefined();
  expect(viewer.role({ constructor: 'x' })).toBe('admin');
});

test('who has a role over some stacks may do something somewhere, and not everywhere', () => {
  const viewer = viewerOf(person('ann', 'canaries'), roles);
  expect(viewer.maySomewhere('operate')).toBe(true);
  expect(viewer.maySomewhere('approve')).toBe(false);
  expect(viewer.may('see', {})).toBe(false);
});
