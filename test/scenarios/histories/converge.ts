import { declareMentioned } from '../../support/random-blocks.ts';
import type { Drift, Meanwhile, Trouble } from '../../support/random-commands.ts';
import { blocksOf, forgetHome } from '../../support/random-manifest.ts';
import { readdressed, treeOf } from '../../support/random-yaml.ts';
import type { Ending } from './applying.ts';
import { removalOf } from './by-hand.ts';
import { readDeclared } from './declared.ts';
import { actsFor, connections } from './drift.ts';
import { remedy } from './heal.ts';
import type { StepThat } from './history.ts';
import type { Life } from './life.ts';
import { byHand, drift, go } from './life.ts';
import { look, rowsOf, services } from './platform.ts';
import type { Prediction } from './prediction.ts';
import { movedMemory } from './prediction.ts';
import { recorded, withoutIds } from './run.ts';

/** What people do until the platform is what the manifest says: they heed what they are told, and run it again. */

type Tree = StepThat<'apply'>['manifest'];

const none: Trouble = { faults: [], again: [], isLeft: false };

/** Applies the manifest until it is refused no more, and then until nothing is left to do. */
export async function converge(life: Life, trouble = none, meanwhile: readonly Meanwhile[] = []): Promise<void> {
  const { run, model } = life;
  const acts = meanwhile.flatMap(({ before, drift: one }) =>
    actsFor(run, model, one).map((act) => ({ before, ...act, input: withoutIds(run, act.input) })),
  );
  const { ending, tree } = await untilAccepted(life, (manifest) =>
    go(life, { do: 'apply', manifest, faults: [...trouble.faults], meanwhile: acts }),
  );
  if (acts.length > 0) {
    await leave(life, tree);
    if (!trouble.isLeft) await converge(life);
  } else await finish(life, { ending, tree, trouble });
}

/** Does something with the manifest until it is refused no more, and gives what came of it. */
async function untilAccepted(
  life: Life,
  work: (tree: Tree) => Promise<Ending>,
): Promise<{ readonly ending: Ending; readonly tree: Tree }> {
  for (let attempt = 0; ; attempt++) {
    const tree = await manifestNow(life);
    const ending = await work(tree);
    if (ending.is !== 'refused') return { ending, tree };
    if (attempt > 4) await go(life, { do: 'expect the end' });
    await heed(life, ending.prediction);
  }
}

/** Runs it again until nothing is left to do, and looks at what came of it. */
async function finish(
  life: Life,
  { ending, tree, trouble }: { ending: Ending; tree: Tree; trouble: Trouble },
  verb: 'apply' | 'destroy' = 'apply',
): Promise<void> {
  if (trouble.isLeft && ending.is !== 'over') {
    await leave(life, tree);
    return;
  }
  let last = ending;
  for (let again = 0; last.is !== 'over' && again < 5; again++) {
    if (last.is === 'refused') {
      keepHomes(life, tree);
      await heed(life, last.prediction);
      await (verb === 'apply' ? converge(life) : destroy(life));
      return;
    }
    await unblock(life);
    const faults = again === 0 ? [...trouble.again] : [];
    last = await go(life, {
      ...(verb === 'apply' ? { do: verb, meanwhile: [] } : { do: verb }),
      manifest: tree,
      faults,
    });
  }
  await go(life, { do: 'expect the end' });
  for (const { block, address } of blocksOf(life.model)) block.home = verb === 'apply' ? address : undefined;
}

/** The manifest as it is now, when nothing stands in the way of it. */
async function manifestNow(life: Life): Promise<Tree> {
  const { run, model } = life;
  declareMentioned(model);
  const tree = structuredClone(treeOf(model, recorded(run)));
  await emptyDoomed(life, tree);
  return tree;
}

/** An environment with services that nobody declared cannot be deleted; somebody takes them away first. */
async function emptyDoomed(life: Life, tree?: Tree): Promise<void> {
  const { made, memory: known } = life.run;
  const declared = tree === undefined ? undefined : readDeclared(tree);
  const memory = declared === undefined ? known : movedMemory(known, declared);
  const doomed = [...memory].filter(
    ([address, { kind }]) => kind.kind === 'environment' && declared?.byAddress.has(address) !== true,
  );
  if (doomed.length === 0) return;
  const seen = look(made.emulator);
  const ours = new Set([...memory.values()].map(({ id }) => id));
  const going = doomed.map(([, { kind, id }]) => rowsOf(seen, kind).get(id)).filter((row) => row?.isDefault !== true);
  const ids = new Set(going.map((row) => row?.environmentId));
  for (const kind of services) {
    for (const [id, row] of rowsOf(seen, kind))
      if (ids.has(row.environmentId) && !ours.has(id)) await byHand(life, removalOf(kind, id, row));
  }
}

/** Does what the messages of a refusal ask for. */
async function heed(life: Life, prediction: Prediction): Promise<void> {
  const { acts, lifts, destroys } = remedy(life.run, life.model, prediction);
  if (lifts) await go(life, { do: 'lift protection' });
  await byHand(life, acts);
  if (destroys) await destroyNow(life);
}

/** Does what a git provider waits for: somebody connects it, or its block is removed, as it never was, and put back. */
async function unblock(life: Life): Promise<void> {
  const { run } = life;
  const waiting = Object.entries(run.made.store.state?.resources ?? {}).filter(
    ([, { kind, id }]) => kind === 'gitlab' && id === null,
  );
  if (waiting.length === 0) return;
  await go(life, { do: 'wait' });
  const acts = connections(look(run.made.emulator));
  if (acts.length > 0) await byHand(life, acts, true);
  else await go(life, { do: 'forget', addresses: waiting.map(([address]) => address) });
}

/** Leaves a run half done. */
async function leave(life: Life, tree: Tree): Promise<void> {
  await go(life, { do: 'leave' });
  keepHomes(life, tree);
}

/** Blocks bear the addresses that they have in the state. */
function keepHomes(life: Life, tree: Tree): void {
  const { moved } = readDeclared(tree);
  const known = new Set(recorded(life.run));
  for (const { block, address } of blocksOf(life.model)) {
    const before =
      block.home === undefined ? [] : [block.home, moved.reduce((at, one) => readdressed(at, one), block.home)];
    block.home = [address, ...before].find((one) => known.has(one));
  }
}

/** Makes what is there what is declared, and then destroys all of it. */
export async function destroy(life: Life, drifts: readonly Drift[] = [], trouble = none): Promise<void> {
  for (const { block } of blocksOf(life.model)) block.options = { protect: false };
  await converge(life);
  await drift(life, drifts);
  await destroyNow(life, trouble);
}

async function destroyNow(life: Life, trouble = none): Promise<void> {
  await emptyDoomed(life);
  const tree = structuredClone(treeOf(life.model, recorded(life.run)));
  const ending = await go(life, { do: 'destroy', manifest: tree, faults: [...trouble.faults] });
  await finish(life, { ending, tree, trouble }, 'destroy');
}

/** Puts a plan into a file, and applies it after something happened; when it is not the plan any more, plans again. */
export async function review(
  life: Life,
  { meanwhile, trouble }: { readonly meanwhile: () => Promise<void>; readonly trouble: Trouble },
): Promise<void> {
  await untilAccepted(life, (manifest) => go(life, { do: 'plan', manifest }));
  await meanwhile();
  const tree = await manifestNow(life);
  const ending = await go(life, { do: 'apply the plan', manifest: tree, faults: [...trouble.faults] });
  if (ending.is === 'outdated' || ending.is === 'refused') await converge(life, trouble);
  else await finish(life, { ending, tree, trouble });
}

/** The state is lost. */
export async function loseState(life: Life): Promise<void> {
  await go(life, { do: 'lose the state' });
  for (const { block } of blocksOf(life.model)) forgetHome(block);
}

/** The state is rebuilt, after what stands in the way of that. */
export async function rebuild(life: Life): Promise<void> {
  await untilAccepted(life, (manifest) => go(life, { do: 'rebuild the state', manifest }));
  const known = new Set(recorded(life.run));
  for (const { block, address } of blocksOf(life.model)) block.home = known.has(address) ? address : undefined;
}
