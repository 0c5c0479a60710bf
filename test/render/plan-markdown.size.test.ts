import { describe, expect, it } from 'vitest';
import type { Action, Plan } from '../../src/plan/action.ts';
import { compose, markdown, planOf, redis } from './markdown-plans.ts';

describe('a long plan as Markdown', () => {
  /** A plan with copies of an action, each at an address of its own. */
  const copies = (plan: Plan, of: Action['action'], count: number, width = 4): Plan => {
    const one = plan.actions.find(({ action }) => action === of);
    if (one === undefined) throw new Error(`no ${of}`);
    const actions = Array.from({ length: count }, (_none, at) => ({
      ...one,
      address: `${one.address}-${String(at).padStart(width, '0')}`,
      // Equal changes would be one block.
      changes: one.changes.map((change) => ({ ...change, path: `${change.path}.k${at}` })),
    }));
    return { ...plan, actions };
  };
  const bytes = (all: string) => Buffer.byteLength(all);

  it.each([200, 5_000])('of %i services takes at most 65,536 bytes, and says what it cuts', async (count) => {
    const plan = await planOf(compose('nginx:1', 'A: "1", B: "2"'), compose('nginx:2', 'A: "3"'));
    const all = markdown(copies(plan, 'update', count));
    expect(bytes(all)).toBeLessThanOrEqual(65_536);
    expect(bytes(all)).toBeGreaterThan(30_000);
    expect(all).toContain(`### Trueup plan: ${count} to update`);
    expect(all).toMatch(
      /\*\*Cut to 65536 bytes\*\*: the places of changes in the manifest(?:; lines of \d+ changes)?(?:; \d+ changes left out)?. To see all: `trueup plan --full`/,
    );
  });

  it('names every deletion, with its reasons while there is room, else by section', async () => {
    const plan = await planOf(redis, '    redis: {}\n');
    const [few, many] = [150, 2_000].map((count) => markdown(copies(plan, 'delete', count)));
    const name = (at: number) => `old-${String(at).padStart(4, '0')}`;
    for (let at = 0; at < 150; at++) expect(few).toContain(`**delete** \`production.redis.${name(at)}\``);
    const names = /\n {2}delete production\.redis: (.*)\n/.exec(many ?? '')?.[1]?.split(', ');
    const risks = /\n {2}data at risk production\.redis: (.*)\n/.exec(many ?? '')?.[1]?.split(', ');
    expect(names).toEqual(Array.from({ length: 2_000 }, (_none, at) => name(at)));
    expect(risks).toEqual(names);
    expect(many).toContain('the ids, parts and reasons of what is deleted or at risk');
    expect([few, many].map((all) => bytes(all ?? '')).every((size) => size <= 65_536)).toBe(true);
  });

  it('is refused when not even the names of all deletions fit', async () => {
    const plan = await planOf(redis, '    redis: {}\n');
    expect(() => markdown(copies(plan, 'delete', 5_000, 12))).toThrow(
      /the names of all that the plan deletes or puts at risk take \d+ bytes, and a comment holds 65536/,
    );
  });

  it('cuts one huge hunk, also with --full', async () => {
    const file = (word: string) =>
      Array.from({ length: 4_000 }, (_none, at) => `            # ${word} ${at}\n`).join('');
    const plan = await planOf(
      compose('nginx:1', 'A: "1"').replace('            services:', `${file('one')}            services:`),
      compose('nginx:1', 'A: "1"').replace('            services:', `${file('two')}            services:`),
    );
    const all = markdown(plan, { isFull: true });
    expect(bytes(all)).toBeLessThanOrEqual(65_536);
    expect(all).toMatch(/\n {2}… [\d,]+ lines cut\n```\n/);
  });
});
