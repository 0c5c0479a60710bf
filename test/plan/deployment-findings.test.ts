import { describe, expect, test } from 'vitest';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import type { DeploymentFinding } from '../../src/kind/checks.ts';
import { deploymentFindings, deploymentsExpected } from '../../src/plan/deployment-findings.ts';
import { type ActionMembers, aStep, actionOf, changeAt } from '../support/plan-values.ts';

/** What a plan says of the deployments of blocks. */

const web = 'production.compose.web';
const domain = `${web}.domains["a"]`;
const steps = [{ ...aStep, role: 'update' }] as const;

function finding(address: string, more: Partial<DeploymentFinding> = {}): DeploymentFinding {
  return { ...diagnostic('must-exist', 'a network must be there', { address }), ...more };
}

interface Situation {
  /** The actions of the service, of its domain, and of its deployment. */
  readonly web?: ActionMembers;
  readonly domain?: ActionMembers;
  readonly deploys?: true;
  readonly version?: string;
}

function told(found: readonly DeploymentFinding[], { version, ...situation }: Situation = {}) {
  const actions = [
    actionOf(web, situation.web),
    actionOf(domain, { scope: web, ...situation.domain }),
    ...(situation.deploys === undefined ? [] : [actionOf(web, { action: 'deploy', address: `${web} (deploy)` })]),
  ];
  return deploymentFindings(found, actions, version);
}

describe('what is to be said stands in one order', () => {
  const services = ['production.compose.a', 'production.compose.b', 'production.compose.c'];
  const order = (found: readonly DeploymentFinding[]) =>
    deploymentFindings(
      found,
      services.map((address) => actionOf(address, { steps })),
      undefined,
    ).map(({ address = '', code, message }) => `${address.at(-1)} ${code} ${message}`);
  const [a = '', b = '', c = ''] = services;
  const said = (address: string, code: 'default-port' | 'must-exist', message: string) => ({
    ...diagnostic(code, message, { address }),
  });
  const all = [
    said(a, 'default-port', 'x'),
    said(a, 'must-exist', 'x'),
    said(a, 'must-exist', 'y'),
    said(b, 'default-port', 'x'),
    said(c, 'default-port', 'a'),
  ];
  const expected = ['a default-port x', 'a must-exist x', 'a must-exist y', 'b default-port x', 'c default-port a'];

  test.each<[string, readonly DeploymentFinding[]]>([
    ['as the blocks stand', all],
    ['the other way round', all.toReversed()],
    ['mixed', [2, 4, 0, 3, 1].flatMap((index) => all[index] ?? [])],
  ])('by service, code and sentence: found %s', (_how, found) => {
    expect(order(found)).toEqual(expected);
  });

  test('one sentence of two places of a block keeps their order', () => {
    const places = ['first', 'second', 'third'].map((remedy) => finding(a, { remedy }));
    const actions = [actionOf(a, { steps })];
    expect(deploymentFindings(places, actions, undefined).map(({ remedy }) => remedy)).toEqual([
      'first',
      'second',
      'third',
    ]);
  });
});

describe('why a deployment fails', () => {
  test.each<[string, Situation, readonly string[]]>([
    ['is an error where the plan writes to the service', { web: { steps } }, ['error']],
    ['is an error where the plan writes to what is below it', { domain: { steps } }, ['error']],
    ['is a warning where the plan only deploys it', { deploys: true }, ['warning']],
    ['is a warning where all stays', {}, ['warning']],
  ])('%s', (_what, situation, severities) => {
    const found = [finding(web, { severity: 'error' })];
    expect(told(found, situation).map(({ severity }) => severity)).toEqual(severities);
  });

  test('is not said of a block that the plan does not have', () => {
    expect(told([finding('production.compose.other', { severity: 'error' })], { web: { steps } })).toEqual([]);
  });
});

describe('what else a deployment does', () => {
  test.each<[string, Situation, number]>([
    ['is said where the plan writes to the service', { web: { steps } }, 1],
    ['is said where the plan writes to what is below it', { domain: { steps } }, 1],
    ['is said where the plan deploys it', { deploys: true }, 1],
    ['is not said where all stays', {}, 0],
  ])('%s', (_what, situation, count) => {
    expect(told([finding(web, { severity: 'warning' })], situation)).toHaveLength(count);
  });
});

describe('a condition', () => {
  const update = { steps, changes: [changeAt('port'), changeAt('host')] };

  test.each<[string, DeploymentFinding['when'], Situation, boolean]>([
    ['a new object', { isNew: true }, { domain: { action: 'create', steps } }, true],
    ['a new object, and it is there', { isNew: true }, { domain: update }, false],
    ['a change of a field', { changes: 'host' }, { domain: update }, true],
    ['a change of another field', { changes: 'path' }, { domain: update }, false],
    [
      'a change of a field, and the object is new',
      { changes: 'host' },
      { domain: { ...update, action: 'create' } },
      false,
    ],
    ['a change of this object alone', { changes: 'host', besides: web }, { domain: update }, true],
    [
      'a change of this object alone, and both change',
      { changes: 'host', besides: web },
      { domain: update, web: { steps } },
      false,
    ],
  ])('%s', (_what, when = {}, situation, isSaid) => {
    expect(told([finding(domain, { when })], situation).length > 0).toBe(isSaid);
  });
});

describe('a version of the platform', () => {
  const isSaid = (when: DeploymentFinding['when'], version: string | undefined) =>
    deploymentFindings([finding(web, when === undefined ? {} : { when })], [actionOf(web, { steps })], version).length >
    0;

  test.each<[version: string | undefined, than: string, 'older' | 'not older' | 'not known']>([
    ['v0.30.0', '0.30.0', 'not older'],
    ['0.30.0', '0.30.0', 'not older'],
    ['v0.29.12', '0.30.0', 'older'],
    ['0.29.12', '0.30.0', 'older'],
    ['v0.29.12', '0.29.13', 'older'],
    ['v0.29.12', '0.29.11', 'not older'],
    ['v0.29.12', '0.29.2', 'not older'],
    ['v0.9.12', '0.10.0', 'older'],
    ['v1.0.0', '0.30.0', 'not older'],
    ['v10.0.0', '2.0.0', 'not older'],
    ['v10.0.0', '11.0.0', 'older'],
    ['v0.30.0-rc.1', '0.30.1', 'older'],
    // One without numbers is older than none.
    ['canary', '0.30.0', 'not older'],
    ['canary-0.1.0', '0.30.0', 'not older'],
    [undefined, '0.30.0', 'not known'],
  ])('%s beside %s is %s', (version, than, is) => {
    expect(isSaid({ before: than }, version)).toBe(is === 'older');
    expect(isSaid({ since: than }, version)).toBe(is !== 'older');
  });
});

test.each<[string, DeploymentFinding['when'], 'as it is' | 'a warning' | 'not at all']>([
  ['always', undefined, 'as it is'],
  ['of a new object', { isNew: true }, 'a warning'],
  ['of an object that a plan knows as new', { isNew: 'for certain' }, 'not at all'],
  ['of a change', { changes: 'host' }, 'not at all'],
  ['of an older platform', { before: '0.30.0' }, 'not at all'],
  ['of a newer platform', { since: '0.30.0' }, 'as it is'],
])('without a plan, what is wrong %s is said %s', (_what, when, how) => {
  const severities = (severity: 'error' | 'warning') =>
    deploymentsExpected([finding(web, { severity, ...(when === undefined ? {} : { when }) })]).map((item) => {
      expect(item).not.toHaveProperty('when');
      return item.severity;
    });
  const said = { 'as it is': ['error', 'warning'], 'a warning': ['warning', 'warning'], 'not at all': [] }[how];
  expect([...severities('error'), ...severities('warning')]).toEqual(said);
});
