import fc from 'fast-check';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { everything, readNarrowing } from '../../src/plan/narrow.ts';
import { obstacles } from '../../src/plan/safeguard.ts';
import { session } from '../../src/workflow/session.ts';
import { look } from '../scenarios/histories/platform.ts';
import { newRun } from '../scenarios/histories/run.ts';
import { everything as permitted } from '../support/faults.ts';
import { declareMentioned, modelOf } from '../support/random-blocks.ts';
import type { History } from '../support/random-commands.ts';
import { histories } from '../support/random-commands.ts';
import { applyEdit } from '../support/random-edits.ts';
import { treeOf, yamlOf } from '../support/random-yaml.ts';
import { effort } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';

/**
 * Random manifests, of which random objects are replaced on purpose, some with edits in the same apply. Either nothing is
 * sent, or one apply does all of it: then there is what was there before, the replaced objects are new, and the next plan
 * is empty.
 */

const cases = fc.record({
  history: histories,
  replaces: fc.array(fc.nat(300), { minLength: 1, maxLength: 2 }),
  edits: fc.boolean(),
});

/** Plans and applies. Gives the plan with the results; undefined where that is refused, and then nothing was sent. */
async function apply(made: Bench, text: string, narrowing = everything) {
  const manifest = await made.manifest(text);
  made.requests('POST');
  try {
    return await session(manifest, made.platform(), { purpose: 'apply', clock: made.clock }, async (run) => {
      const planned = await run.plan({ narrowing });
      if (obstacles(planned, { ...permitted, massRecreation: true }).length > 0) return undefined;
      const { outcomes } = await run.apply(planned, { ...permitted, massRecreation: true });
      const failed = outcomes.filter(({ result }) => result !== 'done');
      return {
        planned,
        failed: failed.map(({ action, result, diagnostics }) => ({
          address: action.address,
          result,
          said: diagnostics.map(({ message }) => message),
        })),
      };
    });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    expect(made.requests('POST')).toEqual([]);
    return undefined;
  }
}

const inWords = (actions: readonly { readonly action: string; readonly address: string }[]) =>
  actions.filter(({ action }) => action !== 'no-op').map(({ action, address }) => `${action} ${address}`);

const countsOf = (made: Bench) =>
  Object.fromEntries([...look(made.emulator)].map(([kind, rows]) => [kind.kind, rows.size]));
const idsOf = (made: Bench) =>
  new Map(Object.entries(made.store.state?.resources ?? {}).map(([address, { id }]) => [address, id]));

/** How often a case was worth something. */
const seen = { all: 0, refused: 0, done: 0 };

async function check({
  history,
  replaces,
  edits: isEdited,
}: {
  history: History;
  replaces: readonly number[];
  edits: boolean;
}) {
  const { made } = newRun(mkdtempSync(join(tmpdir(), 'trueup-replace-')));
  const model = modelOf(history);
  declareMentioned(model);
  const before = yamlOf(treeOf(model, []));
  const first = await apply(made, before);
  if (first === undefined || first.failed.length > 0 || inWords((await made.plan(before)).actions).length > 0) return;
  seen.all++;
  const edits = history.commands.flatMap((one) => (one.command === 'edit' && isEdited ? one.edits : []));
  for (const edit of edits) applyEdit(model, edit);
  declareMentioned(model);
  const text = yamlOf(treeOf(model, Object.keys(made.store.state?.resources ?? {})));
  const known = [...idsOf(made).keys()];
  const addresses = [...new Set(replaces.map((number) => known[number % known.length] ?? ''))];
  const [ids, counts] = [idsOf(made), countsOf(made)];
  const result = await apply(made, text, readNarrowing({ replace: addresses }));
  if (result === undefined) {
    seen.refused++;
    return;
  }
  expect({ addresses, failed: result.failed }).toEqual({ addresses, failed: [] });
  expect(inWords((await made.plan(text)).actions)).toEqual([]);
  if (edits.length === 0) expect(countsOf(made)).toEqual(counts);
  const now = idsOf(made);
  // Without an id the platform does not list it yet: then there is nothing to replace.
  // A single object has the id of the one before it.
  const isNew = (one: string) => now.has(one) && ids.get(one) !== null && one !== 'forwardAuth';
  for (const address of addresses.filter(isNew))
    expect([address, now.get(address)]).not.toEqual([address, ids.get(address)]);
  seen.done++;
}

test('what is replaced on purpose is new after one apply, and nothing else is lost', async () => {
  const runs = effort({ fast: 20, full: 40, all: 300 });
  await fc.assert(fc.asyncProperty(cases, check), {
    seed: Number(process.env['TRUEUP_SEED'] ?? 11),
    endOnFailure: true,
    numRuns: Number(process.env['TRUEUP_RUNS'] ?? runs),
  });
  // The cases are worth something.
  expect(seen.done).toBeGreaterThan(seen.all / 4);
  expect(seen.refused).toBeGreaterThan(0);
}, 600_000);
