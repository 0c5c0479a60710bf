import { expect, test } from 'vitest';
import { questionsFor } from '../../src/plan/questions.ts';
import { noOutputs } from '../../src/manifest/wanted.ts';
import { actionOf, attributeChange, declared, kindNamed, resourceOf } from '../support/plan-values.ts';

/** Where apply asks after a deployment. */

test.each([
  ['writes it', 'write', 'http://shop.example/'],
  ['leaves it to others', 'keep', 'https://shop.example/'],
] as const)('an address is asked as the platform has it after the run, which %s', (_, what, shown) => {
  const kind = kindNamed('domain');
  const address = 'production.compose.shop.domains.www';
  const decision = what === 'write' ? ({ do: what, cause: 'edit' } as const) : { do: what };
  const attributes = [attributeChange('https', { wanted: declared(false), decision })];
  const leaf = actionOf(address, { kind, action: 'update', attributes });
  const probe = { isConcealed: false };
  const resources = new Map([[address, resourceOf(kind, address, { probe })]]);
  const { asks, notes } = questionsFor([leaf], resources, () => ({ host: 'shop.example', https: true }));
  expect(notes).toEqual([]);
  expect(asks.map((one) => [one.shown, one.at(noOutputs)?.url])).toEqual([[shown, shown]]);
});
