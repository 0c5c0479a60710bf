import { expect, it, test } from 'vitest';
import { anyDocument, driftDocument as schema } from '../../src/render/document-schemas.ts';
import { notComparedIn } from '../../src/plan/not-compared.ts';
import { verdictOf } from '../../src/render/verdict.ts';
import {
  actionOf,
  attributeChange,
  here,
  kindNamed,
  lacking,
  objectOf,
  pairOfText,
  secretPart,
  textOf,
} from '../support/plan-values.ts';
import { driftView } from '../render/drifts.ts';

const main = 'production.redis.main';
const gone = { is: 'drifted', kind: 'compose', objectId: 'cmp_1', address: 'production.compose.shop' } as const;
const resolved = [{ ...gone, id: 'one', path: 'env.REGION', since: '2026-03-01' }];

it('names what is resolved by kind and id too', () => {
  const document = driftView([], { resolved });
  expect(document.resolved).toEqual([{ ...gone, id: 'one', path: 'env.REGION' }]);
  expect(document.summary.resolved).toBe(1);
});

it('says what was not compared, as a plan does', () => {
  const pair = pairOfText(textOf(secretPart('PW', 'x')));
  const decision = { do: 'nothing', settled: false } as const;
  const attributes = [
    attributeChange('description', { wanted: lacking('PW'), decision, pair }),
    attributeChange('command', { decision }),
  ];
  const plan = { actions: [actionOf(main, { attributes })], observed: { unlisted: [], objects: new Map() } };
  const { compared, notCompared } = driftView([], { plan });
  expect([compared, notCompared]).toEqual([1, notComparedIn(plan)]);
  expect(notCompared).toMatchObject([{ address: main, path: 'description', why: 'secret missing', secrets: ['PW'] }]);
});

test('a document of drift names the lists that the key may not read as not compared', () => {
  const shop = 'production.compose.shop';
  const objects = new Map([[shop, objectOf('com_1', {})]]);
  const unlisted = ['com_1', 'other'].map((parentId) => ({ kind: kindNamed('schedule'), parentId }));
  const drift = driftView([], { plan: { actions: [actionOf(shop)], observed: { unlisted, objects } }, exitCode: 0 });
  expect(drift.notCompared).toEqual([{ address: shop, path: 'schedules', why: 'left out', position: here }]);
  expect(verdictOf(drift)).toMatch(/^No drift in what was compared\. 1 field was not compared: /);
});

it('has version 2, is read as it was made, and also in the form of version 1', () => {
  const document = driftView(undefined, { resolved });
  expect(document.version).toBe(2);
  expect(anyDocument.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
  const { compared: _compared, notCompared: _not, ...rest } = document;
  const old = { ...rest, version: 1, resolved: document.resolved.map(({ kind: _kind, objectId: _id, ...one }) => one) };
  expect(anyDocument.safeParse(old).success).toBe(true);
  expect(schema.safeParse(old).success).toBe(false);
  expect(schema.safeParse({ ...document, notCompared: undefined }).success).toBe(false);
});
