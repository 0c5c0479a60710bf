import { expect, test } from 'vitest';
import type { PlanView } from '../../src/render/plan-text.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import { planJson } from '../../src/render/plan-json.ts';
import { readView } from '../../src/render/read-view.ts';
import { saveView } from '../../src/render/saved-view.ts';
import { plainStyle } from '../../src/render/style.ts';
import { bench, head } from '../support/world.ts';

/** The view of a plan, saved and read again. */

const manifest = (image: string, more = '') => `${head}environments:
  production:
    redis: { cache: { dockerImage: "redis:${image}", databasePassword: correct-horse-1 } }${more}
`;

/** What is printed of a view, and of what was saved of it. */
function twice(view: PlanView) {
  const read = readView(saveView({ ...view, warnings: [] }));
  if (read === undefined) throw new Error('it cannot be read again');
  const print = (one: PlanView) => [renderPlan(one, { ...plainStyle, width: 80 }), JSON.stringify(planJson(one))];
  return { now: print(view), later: print(read) };
}

test('prints the same as before', async () => {
  const made = bench();
  const steps = [
    () => made.plan(manifest('7')),
    async () => {
      await made.apply(manifest('7'), { adoption: true });
      return made.plan(manifest('7'));
    },
    () => made.plan(manifest('8')),
    () => made.plan(`${head}environments: { production: {} }\n`),
  ];
  for (const step of steps) {
    const { now, later } = twice({ plan: await step(), counts: { reads: 3, writes: 0 } });
    expect(later).toEqual(now);
  }
});

test('holds nothing that is not shown', async () => {
  const made = bench();
  const text = saveView({ plan: await made.plan(manifest('7')), counts: { reads: 1, writes: 0 }, warnings: [] });
  expect(text).not.toContain('correct-horse-1');
  expect(Object.keys((JSON.parse(text) as { plan: object }).plan)).toEqual([
    'actions',
    'saved',
    'unmanaged',
    'diagnostics',
  ]);
});

test.each(['{}', '{"plan":{"actions":[{}]}}', '[]', '{"plan":null}'])('does not read %s', (text) => {
  expect(readView(text)).toBeUndefined();
});
