import fc from 'fast-check';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { kinds } from '../../src/resources/index.ts';
import { look } from '../scenarios/histories/platform.ts';
import { newRun } from '../scenarios/histories/run.ts';
import { actionsOf } from '../support/faults.ts';
import type { Death, Fault, Start } from '../support/histories.ts';
import { begin, failedAfter, failedBefore, faultAt, killedRun, lost, postsTo, run } from '../support/histories.ts';
import { declareMentioned, modelOf } from '../support/random-blocks.ts';
import { histories } from '../support/random-commands.ts';
import { applyEdit } from '../support/random-edits.ts';
import { treeOf, yamlOf } from '../support/random-yaml.ts';
import { effort } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';

/**
 * Random manifests, of which random objects are replaced on purpose by a run that is killed, or that loses an answer. The
 * next run replaces them again, or not: then there is as much of each kind as without that, no old object is left, and the
 * plan is empty.
 */

const deaths: Death['where'][] = ['before the POST', 'after the POST', 'before the save', 'after the save'];
const faults: Fault[] = [lost, failedBefore, failedAfter];

const cases = fc.record({
  history: histories,
  replaces: fc.array(fc.nat(300), { minLength: 1, maxLength: 2 }),
  isEdited: fc.boolean(),
  isAgain: fc.boolean(),
  kills: fc.array(fc.record({ at: fc.nat(300), how: fc.constantFrom(...deaths, ...faults) }), {
    minLength: 4,
    maxLength: 4,
  }),
});

/** No list shows them before a person connects them: when their create gets no answer, it is not sent again. */
const late = new Set(kinds.flatMap(({ kind, identity }) => (identity.listedOnce === undefined ? [] : [kind])));

const countsOf = (made: Bench) =>
  [...look(made.emulator)].flatMap(([{ kind }, rows]) => (late.has(kind) ? [] : [`${kind} ${rows.size}`]));

/** The failures of a run; undefined where it is refused. */
const tried = (...about: Parameters<typeof run>): Promise<string[] | undefined> =>
  run(...about).catch((error: unknown) => {
    if (error instanceof Stop) return undefined;
    throw error;
  });

/** How often a case was worth something. */
const seen = { all: 0, killed: 0 };

async function check({
  history,
  replaces,
  isEdited,
  isAgain,
  kills,
}: typeof cases extends fc.Arbitrary<infer C> ? C : never) {
  const world = newRun(mkdtempSync(join(tmpdir(), 'trueup-killed-'))).made.emulator.world;
  const first = begin({ tables: world, state: undefined, lacks: [] });
  const model = modelOf(history);
  declareMentioned(model);
  if ((await tried(first, yamlOf(treeOf(model, [])), { adoption: true }))?.length !== 0) return;
  const { resources = {} } = first.store.state ?? {};
  const known = Object.keys(resources).filter((address) => !late.has(resources[address]?.kind ?? ''));
  const replace = [...new Set(replaces.flatMap((number) => known[number % known.length] ?? []))];
  for (const one of history.commands)
    if (one.command === 'edit' && isEdited) for (const edit of one.edits) applyEdit(model, edit);
  declareMentioned(model);
  const text = yamlOf(treeOf(model, Object.keys(resources)));
  const start: Start = {
    tables: first.emulator.world,
    state: first.store.state,
    at: first.clock.wall() + 1,
    lacks: [],
  };
  const clean = begin(start);
  seen.all++;
  if ((await tried(clean, text, { adoption: true, replace }))?.length !== 0) return;
  for (const { at: number, how } of kills) {
    const at = 1 + (number % postsTo(clean));
    const made = begin(start);
    if (typeof how === 'string') await killedRun(made, text, { at, where: how }, { replace });
    else await run(made, text, { adoption: true, replace, send: faultAt(made, at, how).send });
    const next = isAgain ? await tried(made, text, { adoption: true, replace }) : undefined;
    const words = `${typeof how === 'string' ? how : how.name} ${at}, ${replace.join(', ')}`;
    expect(next ?? (await run(made, text, { adoption: true })), words).toEqual([]);
    expect(actionsOf(await made.plan(text)), words).toEqual([]);
    expect(countsOf(made), words).toEqual(countsOf(clean));
    const addresses = Object.keys(made.store.state?.resources ?? {});
    expect(
      addresses.filter((address) => address.endsWith(' (old)')),
      words,
    ).toEqual([]);
    seen.killed++;
  }
}

test('a replacement on purpose that is killed is finished by the next run, whether that is asked for it or not', async () => {
  await fc.assert(fc.asyncProperty(cases, check), {
    seed: Number(process.env['TRUEUP_SEED'] ?? 7),
    endOnFailure: true,
    numRuns: Number(process.env['TRUEUP_RUNS'] ?? effort({ fast: 3, full: 30, all: 200 })),
  });
  // The cases are worth something.
  expect(seen.killed).toBeGreaterThan(seen.all);
}, 600_000);
