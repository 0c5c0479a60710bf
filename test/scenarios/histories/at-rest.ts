import type { Diagnostic } from '../../../src/diagnostics/diagnostic.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import type { Plan } from '../../../src/plan/action.ts';
import { applyPlan } from '../../../src/workflow/apply-plan.ts';
import { plan as makePlan } from '../../../src/workflow/make-plan.ts';
import { calm } from './disturbance.ts';
import type { Declared } from './declared.ts';
import type { Rows } from './platform.ts';
import { look, rowsOf, services } from './platform.ts';
import { bears, keyOf } from './prediction.ts';
import { planFrugally, waitForRest } from './requests.ts';
import type { Episode, Run } from './run.ts';
import { idAt } from './run.ts';
import { holds, same } from './same.ts';
import { wantedFields } from './wanted.ts';

/** And then nothing is planned, and an apply of that changes nothing. */
export async function expectRest(run: Run, { declared, manifest }: Episode): Promise<void> {
  const { made } = run;
  await waitForRest(run);
  const before = look(made.emulator);
  const stateBefore = JSON.stringify(made.store.state);
  const again = await planFrugally(run, manifest, () => makePlan(manifest, calm(run)));
  same(
    again.actions
      .filter((action) => action.action !== 'no-op')
      .map((action) => `${action.action} ${action.address} ${JSON.stringify(action.changes)}`),
    [],
    'the plan after',
  );
  const usual = new Set(['drift-left', 'left-alone', 'not-deployed', 'still-protected']);
  const notes = [...again.diagnostics, ...again.actions.flatMap((action) => action.notes)];
  const told = notes.filter(
    (note) =>
      !usual.has(note.code) &&
      !isTaken(run, note) &&
      !isDoubted(declared, note) &&
      !isRightDuplicate(run, declared, note),
  );
  same(
    told.map(({ code, message }) => `${code} ${message}`),
    [],
    'notes of the plan after',
  );
  expectDeployed(run, declared, again);
  const { log } = made.emulator;
  const start = log.length;
  const permissions = { dataLoss: false, adoption: false };
  await applyPlan(again, calm(run), { permissions, connections: 4, clock: made.clock });
  const sent = log.slice(start).filter(({ method }) => method === 'POST');
  same(sent, [], 'what an apply of nothing sends');
  same(JSON.stringify(made.store.state), stateBefore, 'the state after an apply of nothing');
  same(
    [...look(made.emulator)].flatMap(contentOf),
    [...before].flatMap(contentOf),
    'the platform after an apply of nothing',
  );
  run.seen = log.length;
}

const contentOf = ([kind, rows]: readonly [Kind, Rows]) => [...rows].map(([id, row]) => [kind.kind, id, row]);

/** Whether it is about what was changed by hand while it was written. */
function isTaken({ memory }: Run, { code, address = '' }: Diagnostic): boolean {
  return code === 'ignored' && Object.keys(memory.get(address)?.taken ?? {}).length > 0;
}

/** Whether it is about an object that the platform stored with an error, and that no request can write again. */
function isDoubted({ byAddress }: Declared, { code, address = '' }: Diagnostic): boolean {
  return code === 'stored-anyway' && byAddress.get(address)?.kind.operations.update === undefined;
}

/** Whether it is about an object that bears the key of ours and is not ours. */
function isRightDuplicate(run: Run, declared: Declared, { code, address = '' }: Diagnostic): boolean {
  const block = declared.byAddress.get(address);
  if (code !== 'duplicate' || block === undefined) return false;
  const wanted = wantedFields(declared, block, () => undefined);
  const key = keyOf(block, wanted);
  const ours = new Set([...run.memory.values()].map(({ id }) => id));
  return [...rowsOf(look(run.made.emulator), block.kind)].some(
    ([id, row]) => !ours.has(id) && bears(block.kind, row, key),
  );
}

/** Every service runs with what was written to it, unless people deploy it; the plan says of which they have to. */
function expectDeployed(run: Run, { blocks }: Declared, again: Plan): void {
  const stale = new Set(run.watch.stale());
  for (const { kind, address, options, fields } of blocks) {
    if (!services.includes(kind)) continue;
    const isLeft = options.deploy === 'never';
    const isFromGit = kind.kind === 'application' && fields.sourceType !== 'docker';
    const notes = again.actions.find((action) => action.address === address)?.notes ?? [];
    const isTold = notes.some(({ code }) => code === 'not-deployed');
    const id = idAt(run, address) ?? '';
    const isStale = stale.has(id);
    const mayBeTold = isStale || run.doubtful.has(id);
    if (isFromGit) holds(isTold ? !isLeft && mayBeTold : isLeft || !isStale, `of ${address} it is told: ${isTold}`);
    else if (!isLeft) same([isStale, isTold], [false, false], `whether ${address} is not deployed, and that is told`);
  }
}

/** What goes wrong once may cost one deployment more. */
export function expectFewOrders(run: Run, { ordersBefore, hits }: Episode): void {
  for (const [id, orders] of run.watch.orders()) {
    const count = orders - (ordersBefore.get(id) ?? 0);
    holds(count <= 1 + hits, `${id} was deployed ${count} times, and ${hits} times something went wrong`);
  }
}
