import fc from 'fast-check';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Plan } from '../../src/plan/action.ts';
import { hasChanges, isLeftOut } from '../../src/plan/action.ts';
import { everything, readNarrowing } from '../../src/plan/narrow.ts';
import { obstacles } from '../../src/plan/safeguard.ts';
import { session } from '../../src/workflow/session.ts';
import { look, rowsOf } from '../scenarios/histories/platform.ts';
import { newRun } from '../scenarios/histories/run.ts';
import { everything as permitted } from '../support/faults.ts';
import { declareMentioned, modelOf } from '../support/random-blocks.ts';
import { twoManifests } from '../support/random-commands.ts';
import type { Model } from '../support/random-manifest.ts';
import { applyEdit } from '../support/random-edits.ts';
import { treeOf, yamlOf } from '../support/random-yaml.ts';
import { effort } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';

/**
 * Random manifests, random edits of them, and random words that narrow the plan of these. A narrowed plan leaves what it
 * leaves out as it is, on the platform and in the state; a whole plan after it comes to what a whole plan alone comes to.
 */

const words = fc.array(fc.nat(300), { maxLength: 2 });
const cases = fc.record({ manifests: twoManifests, targets: words, excludes: words });

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

const runs = effort({ fast: 20, full: 60, all: 150 });

/** Plans and applies; undefined when that is refused, or cannot be done in one go. */
async function apply(made: Bench, text: string, narrowing = everything): Promise<Plan | undefined> {
  const manifest = await made.manifest(text);
  const options = { purpose: 'apply', clock: made.clock };
  return session(manifest, made.platform(), options, async (run) => {
    const planned = await run.plan({ narrowing });
    if (obstacles(planned, permitted).length > 0) return undefined;
    const { outcomes } = await run.apply(planned, permitted);
    const failed = outcomes.flatMap(({ diagnostics }) => diagnostics).filter(({ severity }) => severity === 'error');
    if (failed.some(({ message, details = [] }) => takenOf.test([message, ...details].join('\n')))) throw new Taken();
    return outcomes.every(({ result }) => result === 'done') ? planned : undefined;
  });
}

/** A name or a port of the machine that another object has until the rest of the whole plan is applied. */
class Taken extends Error {}

const takenOf = /insert into "tag"|host-mode port already in use/;

/** A manifest without the blocks of objects that nothing creates: the plan of these is refused. */
function textOf(model: Model, recorded: readonly string[]): string {
  model.roots = model.roots.filter(({ kind }) => kind.operations.create !== undefined);
  declareMentioned(model);
  return yamlOf(treeOf(model, recorded));
}

/** What a manifest that is not valid, or a plan that cannot be made, comes to. */
async function orNothing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof Stop || error instanceof Taken) return undefined;
    throw error;
  });
}

const inWords = ({ actions }: Plan) =>
  actions.filter(({ action }) => action !== 'no-op').map(({ action, address }) => `${action} ${address}`);

/** What a world comes to, but for its ids: the addresses of the state, and how many objects of each kind there are. */
function endOf(made: Bench) {
  const counts = [...look(made.emulator)].map(([kind, rows]) => [kind.kind, rows.size]);
  return {
    addresses: Object.keys(made.store.state?.resources ?? {}).toSorted(),
    counts: Object.fromEntries(counts) as object,
  };
}

/** How often a case was worth something. */
const seen = { all: 0, narrowed: 0, leftOut: 0, done: 0, alongside: 0 };

async function check({ manifests, targets, excludes }: Case) {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-narrow-'));
  const [narrow, whole] = [newRun(folder).made, newRun(folder).made];
  const model = modelOf(manifests);
  const before = textOf(model, []);
  seen.all++;
  const isThere = model.roots.length > 1;
  if (isThere && (await orNothing(apply(whole, before))) === undefined) return;
  if (isThere) await apply(narrow, before);
  for (const edit of manifests.edits) applyEdit(model, edit);
  const after = textOf(model, Object.keys(narrow.store.state?.resources ?? {}));
  const planned = await orNothing(whole.plan(after));
  if (planned === undefined || obstacles(planned, permitted).length > 0) return;
  const addresses = [...new Set(planned.actions.map(({ block }) => block))];
  const changed = planned.actions.flatMap(({ action, block }) =>
    action === 'no-op' || action === 'deploy' ? [] : [block],
  );
  // An odd number names something that changes.
  const pick = (numbers: readonly number[]) =>
    numbers.flatMap((number) => {
      const from = number % 2 === 1 && changed.length > 0 ? changed : addresses;
      return from[Math.floor(number / 2) % from.length] ?? [];
    });
  const narrowing = readNarrowing({ target: pick(targets), exclude: pick(excludes) });

  const rows = look(narrow.emulator);
  const records = narrow.store.state?.resources ?? {};
  const part = await apply(narrow, after, narrowing).catch((error: unknown) => {
    if (error instanceof Taken) return 'taken' as const;
    throw error;
  });
  if (part === 'taken') return;
  if (part === undefined) throw new Error('the narrowed plan was refused, or not applied');
  seen.narrowed++;
  if ((part.narrowed?.leftOut.length ?? 0) > 0) seen.leftOut++;
  if (hasChanges(part)) seen.done++;
  const now = look(narrow.emulator);
  const deployed = new Set(part.actions.flatMap(({ action, block }) => (action === 'deploy' ? [block] : [])));
  for (const { address, kind, id, service, movedFrom } of part.actions.filter(isLeftOut)) {
    if (id !== undefined && !deployed.has(address)) {
      expect([address, rowsOf(now, kind).get(id)]).toEqual([address, rowsOf(rows, kind).get(id)]);
    }
    if (movedFrom !== undefined || service?.staleness !== undefined || deployed.has(address)) continue;
    const { dependsOn: _, ...record } = narrow.store.state?.resources[address] ?? { dependsOn: [] };
    const { dependsOn: _before, ...known } = records[address] ?? { dependsOn: [] };
    expect([address, record]).toEqual([address, known]);
  }
  const rest = await narrow.plan(after);
  const done = new Set(inWords(part));
  const expected = new Set(inWords(planned));
  // What is left is of the whole plan, but for deployments that a leaf or a variable makes due.
  for (const one of inWords(rest)) if (!one.startsWith('deploy ')) expect([...expected]).toContain(one);
  if (part.narrowed !== undefined && part.narrowed.leftOut.length === 0)
    expect(done.size).toBeGreaterThanOrEqual(expected.size);
  const last = await apply(narrow, after);
  const alone = await apply(whole, after);
  if (last === undefined || alone === undefined) return;
  const empty = await whole.plan(after);
  if (hasChanges(empty)) return;
  expect(inWords(await narrow.plan(after))).toEqual([]);
  expect(endOf(narrow)).toEqual(endOf(whole));
  seen.alongside++;
}

test('a narrowed plan and then the rest come to the whole; what is left out stays as it is', async () => {
  const seed = Number(process.env['TRUEUP_SEED'] ?? 7);
  await fc.assert(fc.asyncProperty(cases, check), {
    seed,
    endOnFailure: true,
    numRuns: Number(process.env['TRUEUP_RUNS'] ?? runs),
  });
  // The cases are worth something.
  expect(seen.alongside).toBeGreaterThan(seen.all / 4);
  expect(seen.leftOut).toBeGreaterThan(seen.all / 8);
  expect(seen.done).toBeGreaterThan(seen.all / 8);
}, 600_000);
