import { expect, test } from 'vitest';
import { notComparedIn } from '../../src/plan/not-compared.ts';
import { planDocument } from '../../src/render/document-schemas.ts';
import { secret } from '../../src/secrets/secret.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import {
  actionOf,
  attributeChange,
  here,
  lacking,
  pairOf,
  pairOfText,
  secretPart,
  textOf,
} from '../support/plan-values.ts';

const main = 'production.redis.main';
const unsettled = { do: 'nothing', settled: false } as const;
const found = (more: ActionMembers) => notComparedIn({ actions: [actionOf(main, more)] });

test('names the secret that a value needs and the run does not have, also where the plan shows drift', () => {
  const pair = pairOfText(textOf(secretPart('SMTP_PASS', 'x')));
  for (const decision of [unsettled, { do: 'leave', sentence: 'it differs' } as const]) {
    const attributes = [attributeChange('description', { wanted: lacking('SMTP_PASS'), decision, pair })];
    const own = { address: main, path: 'description', position: here };
    expect(found({ attributes })).toEqual([{ ...own, why: 'secret missing', secrets: ['SMTP_PASS'] }]);
  }
});

test('tells a value whose text is not recorded from one that was compared without its secret', () => {
  const { wanted, answered } = pairOfText(textOf(secretPart('SMTP_PASS', 'x')));
  const { template: _, ...former } = wanted;
  const pair = { wanted: former, answered };
  const attributes = [attributeChange('description', { wanted: lacking('SMTP_PASS'), decision: unsettled, pair })];
  expect(found({ attributes })).toMatchObject([{ why: 'not recorded', secrets: ['SMTP_PASS'] }]);
});

test('leaves a value to the error that the plan has about it', () => {
  const decision = { do: 'error', code: 'secret-missing', sentence: 'it was edited' } as const;
  const attributes = [attributeChange('description', { wanted: lacking('SMTP_PASS'), decision, pair: pairOf('x') })];
  expect(found({ attributes })).toEqual([]);
});

test('names what the platform cannot decrypt, and what it was sent and does not return', () => {
  const attributes = [
    attributeChange('env', { decision: { do: 'wait' }, standing: { declared: 'as settled', there: 'unreadable' } }),
    attributeChange('databasePassword', { decision: unsettled, pair: pairOf('value', null) }),
  ];
  expect(found({ attributes }).map(({ path, why }) => [path, why])).toEqual([
    ['env', 'cannot be decrypted'],
    ['databasePassword', 'not returned'],
  ]);
});

test('counts as compared what is as wanted, as answered, ignored, written or not declared', () => {
  const attributes = [
    attributeChange('description'),
    attributeChange('command', { decision: unsettled, before: secret('rewritten') }),
    attributeChange('memoryLimit', { decision: { ...unsettled, ignored: true } }),
    attributeChange('dockerImage', { decision: { do: 'write', cause: 'edit' } }),
    attributeChange('env', { decision: { do: 'release' }, wanted: undefined }),
  ];
  expect(found({ attributes })).toEqual([]);
});

test('names a declared object that a narrowed plan leaves out as a whole, and none that is new or goes', () => {
  expect(found({ kept: 'left out' })).toEqual([{ address: main, why: 'left out', position: here }]);
  expect(found({ kept: 'left out', position: undefined })).toEqual([]);
  const attributes = [attributeChange('description', { wanted: lacking('A') })];
  for (const action of ['create', 'delete', 'forget'] as const) expect(found({ action, attributes })).toEqual([]);
});

test('gives each reason that a document can have, and no other', () => {
  const value = pairOfText(textOf(secretPart('A', 'x')));
  const { template: _, ...former } = value.wanted;
  const lacksOne = { wanted: lacking('A'), decision: unsettled } as const;
  const attributes = [
    attributeChange('description', { ...lacksOne, pair: value }),
    attributeChange('command', { ...lacksOne, pair: { ...value, wanted: former } }),
    attributeChange('databasePassword', { decision: unsettled, pair: pairOf('value', null) }),
    attributeChange('env', { decision: { do: 'wait' }, standing: { declared: 'as settled', there: 'unreadable' } }),
    attributeChange('dockerImage', { decision: { do: 'keep' } }),
  ];
  const given = [...found({ attributes }), ...found({ kept: 'left out' })].map(({ why }) => why);
  const reasons = planDocument.shape.notCompared.element.shape.why.options;
  expect(given.toSorted()).toEqual(reasons.toSorted());
});
