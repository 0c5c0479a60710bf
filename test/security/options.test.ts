import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { importObject } from '../../src/workflow/import-object.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { folder as corpus, forms } from '../state/corpus.ts';
import { project, trueup } from '../cli/process.ts';
import { actionsOf, byHand, everything, notesOf, plansNothing, rowsIn } from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** What protects data shows in the plan, and stays until somebody lifts it. */

const main = 'production.postgres.main';
const shop = 'production.compose.shop';

const counts = { reads: 0, writes: 0 };
const style = { ...plainStyle, width: 100 };

/** Plans and applies an edit of options alone: it shows as a change, sends nothing, and is over with that. */
async function edits(after = '', ...before: readonly string[]) {
  const made = bench();
  for (const text of before) await made.apply(text, everything);
  const plan = await made.plan(after);
  made.requests('POST');
  await made.apply(after);
  expect(made.requests('POST')).toEqual([]);
  await plansNothing(made, after);
  return {
    made,
    plan,
    text: renderPlan(planDocument({ plan, counts }), style),
    document: planDocument({ plan, counts }),
  };
}

const options = (made: Bench, address: string) => made.store.state?.resources[address]?.options;

const value = (of: Json) => ({ is: 'value', value: of });
const absent = { is: 'absent' };
const one = { atDeploy: false, forcesReplacement: false };

describe('S2: an option alone', () => {
  test.each([
    ['', 'protect: true', '+ protect: true', { cause: 'edit', before: absent, after: value(true) }],
    ['', 'protect: false', '+ protect: false', { cause: 'edit', before: absent, after: value(false) }],
    [
      'protect: true',
      'protect: false',
      'protect: true -> false',
      { cause: 'edit', before: value(true), after: value(false) },
    ],
    [
      'protect: false',
      'protect: true',
      'protect: false -> true',
      { cause: 'edit', before: value(false), after: value(true) },
    ],
    [
      'protect: false',
      '',
      '- protect: false (no longer in the manifest)',
      { cause: 'removed', before: value(false), after: absent },
    ],
    [
      'deploy: never',
      '',
      'deploy: never -> onChange',
      { cause: 'edit', before: value('never'), after: value('onChange') },
    ],
    [
      '',
      'deploy: never',
      'deploy: onChange -> never',
      { cause: 'edit', before: value('onChange'), after: value('never') },
    ],
  ])('S2: "%s" -> "%s" of a database is a change', async (before, after, line, change) => {
    const { plan, text, document } = await edits(...[after, '', before].map((more) => production(database(more))));
    expect(actionsOf(plan)).toEqual([`update ${main}`]);
    expect(hasChanges(plan)).toBe(true);
    const sign = line.startsWith('+') ? ', + added' : line.startsWith('-') ? ', - removed' : '';
    expect(text).toBe(
      `~ ${main}: update: in the state only, nothing is sent\n    ${line}\n\nLegend: ~ update${sign}\nPlan: 1 to update, 1 unchanged.\nplanned with 0 reads, 0 writes\n`,
    );
    expect(document.summary).toEqual({ update: 1, 'no-op': 1 });
    const path = line.includes('deploy') ? 'deploy' : 'protect';
    expect(document.actions.find(({ address }) => address === main)).toMatchObject({
      action: 'update',
      changes: [{ path, ...one, ...change }],
    });
  });

  test.each([
    ['', 'deleteVolumes: true', 'deleteVolumes: false -> true'],
    ['deleteVolumes: true', '', 'deleteVolumes: true -> false'],
    ['deleteVolumes: true', 'deleteVolumes: false', 'deleteVolumes: true -> false'],
  ])('S2: "%s" -> "%s" of a compose is a change', async (before, after, line) => {
    const { plan, text } = await edits(production(stack(after)), production(stack(before)));
    expect(actionsOf(plan)).toEqual([`update ${shop}`]);
    expect(text).toContain(`    ${line}\n`);
  });

  test.each([
    ['deleteVolumes: false', ''],
    ['', 'deploy: onChange'],
  ])('S2: "%s" -> "%s" means the same, and is no change', async (before, after) => {
    const { plan } = await edits(production(stack(after)), production(stack(before)));
    expect(actionsOf(plan)).toEqual([]);
  });

  test('S2: has exit code 2 of trueup plan, and needs no request', async () => {
    const manifest = (more: string) => ({ 'trueup.yaml': `${head}environments: { production: { ${more} } }\n` });
    const folder = project(manifest(''));
    await trueup(['apply', '--auto-approve', '-C', folder]);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${folder}/trueup.yaml`, manifest('protect: true')['trueup.yaml']);
    const planned = await trueup(['plan', '--detailed-exitcode', '-C', folder]);
    expect(planned).toMatchObject({ code: 2 });
    expect(planned.out).toContain('    + protect: true\n');
    const file = `${folder}/plan.trueup`;
    expect(await trueup(['plan', '--out', file, '-C', folder])).toMatchObject({ code: 0 });
    expect((await trueup(['apply', file, '--auto-approve', '-C', folder])).out).toContain(', 0 writes');
    expect(await trueup(['plan', '--detailed-exitcode', '-C', folder])).toMatchObject({ code: 0 });
  });

  test('S2: shows with the fields that change beside it, and of a new object', async () => {
    const made = bench();
    const first = await made.plan(production(database('protect: true')));
    expect(renderPlan(planDocument({ plan: first, counts }), style)).toContain('    + protect: true\n');
    await made.apply(production(database('protect: true')));
    const next = production(database('protect: false, description: Books.'));
    expect(renderPlan(planDocument({ plan: await made.plan(next), counts }), style)).toContain(
      `~ ${main}: update\n    + description: Books.\n    protect: true -> false\n`,
    );
    await made.apply(next);
    await plansNothing(made, next);
  });

  test('S2: shows when an object is adopted', async () => {
    const made = bench();
    await made.apply(production(database()), everything);
    made.store.state = undefined;
    const text = production(database('protect: true'));
    const [, change] = planDocument({ plan: await made.plan(text), counts }).actions.map(({ changes }) => changes);
    expect(change).toMatchObject([{ path: 'protect', cause: 'first managed' }]);
    await made.apply(text, everything);
    expect(options(made, main)).toEqual({ protect: true });
    await plansNothing(made, text);
  });
});

describe('S2: protect: true', () => {
  test('S2: stays when its line is removed, and the plan says so', async () => {
    const { made, plan, text } = await edits(production(database()), production(database('protect: true')));
    expect(actionsOf(plan)).toEqual([]);
    expect(notesOf(plan)).toMatchObject([{ code: 'still-protected', severity: 'note', address: main }]);
    expect(text).toContain('No changes.');
    expect(options(made, main)).toEqual({ protect: true });
    const gone = await made.plan(production('    description: x\n'));
    expect(notesOf(gone).map(({ code }) => code)).toContain('protected');
    await expect(made.destroy(production(database()))).rejects.toThrow(`${main} is protected and would be deleted`);
  });

  test('S2: stays for an object that is created again, and for one that is renamed', async () => {
    const made = bench();
    await made.apply(production(database('protect: true')), everything);
    const [{ postgresId } = {}] = rowsIn(made, 'postgres');
    await made.emulator.act('postgres.remove', { postgresId });
    await made.apply(production(database()), everything);
    expect(options(made, main)).toEqual({ protect: true });
    const renamed = `${production(database('', 'next'))}moved: [{ from: ${main}, to: production.postgres.next }]\n`;
    await made.apply(renamed, everything);
    expect(options(made, 'production.postgres.next')).toEqual({ protect: true });
    await plansNothing(made, renamed);
  });

  test('S2: stays when the object of a create without an answer is imported', async () => {
    const made = bench();
    await made.apply(production(stack()), everything);
    const { state } = made.store;
    if (state === undefined) throw new Error('nothing was applied');
    const protect = { protect: true };
    const record = { kind: 'postgres', id: null, parent: 'production', dependsOn: [], pairs: {}, options: protect };
    made.store.state = { ...state, resources: { ...state.resources, [main]: record } };
    const text = production(database() + stack());
    await importObject(await made.manifest(text), made.world(), main, await byHand(made));
    expect(options(made, main)).toEqual(protect);
  });

  test('S2: is lifted by protect: false in an apply of its own', async () => {
    const made = bench();
    await made.apply(production(database('protect: true') + stack()), everything);
    await made.apply(production(database('protect: false') + stack()));
    await made.apply(production(stack()));
    expect(rowsIn(made, 'postgres')).toEqual([]);
    await plansNothing(made, production(stack()));
  });
});

describe('S2: a state that an earlier version wrote', () => {
  const forget = (made: Bench, address: string, known: StateRecord['options']) => {
    const { state } = made.store;
    const record = state?.resources[address];
    if (state === undefined || record === undefined) throw new Error(`nothing is at ${address}`);
    made.store.state = { ...state, resources: { ...state.resources, [address]: { ...record, options: known } } };
  };

  test('S2: without an option shows it as a change once', async () => {
    const made = bench();
    const text = production(database('protect: true, deploy: never'));
    await made.apply(text, everything);
    forget(made, main, {});
    expect(actionsOf(await made.plan(text))).toEqual([`update ${main}`]);
    await made.apply(text);
    await plansNothing(made, text);
  });

  test('S2: with options that the kind does not have shows nothing', async () => {
    const made = bench();
    const text = production(database());
    await made.apply(text, everything);
    forget(made, main, { deleteVolumes: true, colour: 'red' });
    await plansNothing(made, text);
    expect(options(made, main)).toEqual({});
  });

  test.each(forms.filter((form) => stateOf(form).formatVersion === 2))(
    'S2: %s plans no change for ever',
    async (form) => {
      const { resources } = stateOf(form);
      const known = resources.production;
      if (known === undefined) throw new Error('it has no environment');
      const made = bench();
      const text = production('    description: x\n');
      await made.apply(text, everything);
      forget(made, 'production', known.options);
      const plan = await made.plan(text);
      expect(actionsOf(plan)).toEqual([]);
      expect(notesOf(plan).map(({ code }) => code)).toEqual(['still-protected']);
      await plansNothing(made, text);
      expect(options(made, 'production')).toEqual({ protect: true });
    },
  );
});

interface WrittenState {
  readonly formatVersion: number;
  readonly resources: Readonly<Record<string, StateRecord>>;
}

/** The state of a form, as it lies on the disk. */
function stateOf(form: string): WrittenState {
  return JSON.parse(readFileSync(new URL(`${form}/state.json`, corpus), 'utf8')) as WrittenState;
}
