import { documentOf } from '../support/documents.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { describe, expect, test } from 'vitest';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { bench, head } from '../support/world.ts';
import { shown } from './plans.ts';

/** The same change of many services is read once. */

const names = (count: number) => Array.from({ length: count }, (_, at) => `r${String(at + 10)}`);
const caches = (all: readonly string[], fields: (name: string) => string) =>
  `${head}environments:\n  production:\n    redis:\n${all.map((name) => `      ${name}: { databasePassword: secret-77, ${fields(name)} }\n`).join('')}`;
const image = (tag: number) => () => `dockerImage: "redis:${tag}"`;

async function applied(text: string) {
  const made = bench();
  await made.apply(text, { adoption: true });
  return made;
}

describe('equal changes', () => {
  test('of many services are one block, with the first addresses and the number of the others', async () => {
    const made = await applied(caches(names(12), () => 'command: a'));
    expect(shown(await made.plan(caches(names(12), () => 'command: b')))).toBe(
      `~ 12 services: update
    command: a -> b
  ^ deploy: restarts with command
    in production.redis.r10, production.redis.r11, production.redis.r12 and 9 more; --full shows each

Restarts 12 services: production.redis.r10, production.redis.r11, production.redis.r12, production.redis.r13, production.redis.r14, production.redis.r15, production.redis.r16, production.redis.r17, production.redis.r18, production.redis.r19 and 2 more (--full lists them).
Plan: 12 to update, 12 to deploy, 1 unchanged.
`,
    );
  });

  test('of two services are not, and another change stands by itself', async () => {
    const made = await applied(caches(names(5), () => 'command: a'));
    const text = shown(
      await made.plan(caches(names(5), (name) => `command: ${['r10', 'r11'].includes(name) ? 'c' : 'b'}`)),
    );
    expect(text).toContain('~ production.redis.r10: update\n    command: a -> c\n');
    expect(text).toContain('~ production.redis.r11: update\n    command: a -> c\n');
    expect(text).toContain('~ 3 services: update\n    command: a -> b\n');
    expect(text).toContain('    in production.redis.r12, production.redis.r13, production.redis.r14\n');
  });

  test('are shown each with --full, and every address is in the text then', async () => {
    const made = await applied(caches(names(12), () => 'command: a'));
    const plan = await made.plan(caches(names(12), () => 'command: b'));
    const text = renderPlan(planDocument({ plan, counts: { reads: 0, writes: 0 } }), { ...plainStyle, isFull: true });
    for (const name of names(12)) expect(text).toContain(`~ production.redis.${name}: update\n`);
    expect(text).not.toContain('12 services: update');
  });

  test.each([40, 80, 120])('fit %d columns', async (width) => {
    const made = await applied(caches(names(12), () => 'command: a'));
    const text = shown(await made.plan(caches(names(12), () => 'command: b')), { width });
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });
});

describe('every address is named', () => {
  test('of deletions', async () => {
    const made = await applied(caches(names(5), image(8)));
    const text = shown(await made.plan(`${head}environments:\n  production: { redis: {} }\n`));
    for (const name of names(5)) expect(text).toContain(`- production.redis.${name}: delete`);
    expect(text).toContain(
      `Data at risk: ${names(5)
        .map((name) => `production.redis.${name}`)
        .join(', ')}.\n`,
    );
  });

  test('of data at risk', async () => {
    const made = await applied(caches(names(5), image(8)));
    const text = shown(await made.plan(caches(names(5), image(7))));
    for (const name of names(5)) expect(text).toContain(`~ production.redis.${name}: update\n`);
  });

  test('of errors', async () => {
    const made = await applied(caches(names(5), image(8)));
    const text = shown(await made.plan(caches(names(5), () => 'dockerImage: "redis:8", appName: other')));
    for (const name of names(5))
      expect(text).toContain(`  production.redis.${name}: cannot be applied\n    error[cannot-change]`);
  });
});

describe('U11: the end of a long plan', () => {
  test('repeats the errors, and counts them', async () => {
    const made = await applied(caches(names(30), () => 'command: a'));
    const edited = caches(names(30), (name) => (name === 'r11' ? 'command: a, appName: other' : `command: ${name}`));
    const text = shown(await made.plan(edited));
    expect(text).toContain('This plan cannot be applied: 1 error above.\n');
    expect(text.trimEnd().split('\n\n').at(-1)).toMatch(
      /^error\[cannot-change\] trueup\.yaml:\d+:\d+ production\.redis\.r11\n/,
    );
    expect(text.match(/error\[cannot-change\]/g)).toHaveLength(2);
  });

  test('of a short one does not', async () => {
    const made = await applied(caches(names(1), image(8)));
    const text = shown(await made.plan(caches(names(1), () => 'dockerImage: "redis:8", appName: other')));
    expect(text.match(/error\[cannot-change\]/g)).toHaveLength(1);
  });

  test('explains the signs that occur, and no others', async () => {
    const made = await applied(caches(names(2), () => 'command: a'));
    const lines = async (text: string) => {
      const all = renderPlan(documentOf(await made.plan(text)), plainStyle);
      return all.split('\n').filter((line) => line.startsWith('Legend:'));
    };
    expect(await lines(caches(names(2), () => 'command: b'))).toEqual(['Legend: ~ update, ^ deploy']);
    expect(await lines(caches(names(1), () => 'command: a'))).toEqual(['Legend: - delete, ! take care']);
    expect(await lines(caches(names(2), () => 'command: a'))).toEqual([]);
  });
});

test('U11: many refusals of one kind are one, which names each resource', async () => {
  const made = await applied(caches(names(5), () => 'command: a'));
  const { state } = made.store;
  made.store.state = undefined;
  const refused = await made.apply(caches(names(5), () => 'command: a')).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    diagnostics: [
      {
        code: 'consent',
        message: '5 resources exist on the platform and are not ours yet',
        details: names(5).map(
          (name) => `production.redis.${name} (${state?.resources[`production.redis.${name}`]?.id ?? ''})`,
        ),
        remedy:
          'Take them over with --adopt, or pin each with id:. If a state had them and is lost: trueup state rebuild.',
      },
    ],
  });
});
