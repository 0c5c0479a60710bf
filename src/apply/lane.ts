import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { rowId } from '../observe/answers.ts';
import type { Action } from '../plan/action.ts';
import { isEffective, isMade } from '../plan/action.ts';
import { deploysOf, withDeploys } from '../state/pending.ts';
import { lookUntil } from './look.ts';
import type { LaneRow } from './read-back.ts';
import { findById, findMade, laneRow, readLane } from './read-back.ts';
import type { Outcome } from './result.ts';
import type { Run } from './run.ts';
import { complain, report } from './problems.ts';
import { recordOf, save } from './records.ts';
import { claim, laneRoot } from './run.ts';
import { sentPairs, settle } from './settle.ts';
import { isAtHome } from './took-effect.ts';

/** What reading back found of an action's object; `unread`: nothing could be read. */
type Found =
  | { readonly is: 'row'; readonly row: Row }
  | { readonly is: 'gone' }
  | { readonly is: 'unread'; readonly error?: unknown };

/** Reads a lane back once everything in it is over, and settles each of its resources. */
export async function settleLane(run: Run, lane: string): Promise<void> {
  const actions = run.lanes.get(lane) ?? [];
  const isTouched = actions.some((action) => run.sent.has(action.address));
  const after = isTouched ? await readBack(run, lane, actions) : undefined;
  const found = isTouched ? foundIn(run, lane, { actions, after }) : actions.map((action) => known(run, action));
  for (const [index, action] of actions.entries()) {
    const what = found[index] ?? { is: 'unread' };
    if (what.is === 'unread' && what.error !== undefined) complain(run, action, what.error);
    await settleAction(run, action, what).catch((error: unknown) => {
      complain(run, action, error);
      conclude(
        run,
        action,
        run.results.get(action.address) ?? (run.sent.has(action.address) ? 'unverified' : 'failed'),
      );
    });
  }
  if (after !== undefined && after !== 'gone') run.readBack.set(lane, after.row);
}

/** Reads a lane back: again, for a little while, when it does not show what was written. */
async function readBack(run: Run, lane: string, actions: readonly Action[]): Promise<LaneRow | 'gone' | undefined> {
  const id = run.ids.get(lane);
  if (id === undefined) return undefined;
  try {
    return await lookUntil(run, () => readLane(run.reader, laneRoot(run, lane), id), {
      isSeen: (after) => {
        const found = foundIn(run, lane, { actions, after });
        return actions.every((action, index) => isShown(run, action, found[index] ?? { is: 'unread' }));
      },
    });
  } catch (error) {
    complain(run, laneRoot(run, lane), error);
    return undefined;
  }
}

/** Whether what was sent for an action shows in what was read back. */
function isShown(run: Run, action: Action, found: Found): boolean {
  const { address } = action;
  if (!run.sent.has(address) || run.results.get(address) !== undefined || found.is === 'unread') return true;
  if (action.action === 'delete' || found.is === 'gone') return (action.action === 'delete') === (found.is === 'gone');
  return (
    isAtHome(run, action, found.row) && settleRow(run, action, { after: found.row, digest: (text) => text }).isKept
  );
}

/** What a lane as it was read shows of each of its actions. */
function foundIn(
  run: Run,
  lane: string,
  { actions, after }: { readonly actions: readonly Action[]; readonly after: LaneRow | 'gone' | undefined },
): Found[] {
  const claimed = new Set(actions.flatMap((action) => run.ids.get(action.address) ?? []));
  const earlier = earlierRows(run, lane);
  return actions.map((action) => {
    const found = lookFor(run, action, after, (id) => claimed.has(id) || earlier(action).has(id));
    if (found.is === 'row') claimed.add(rowId(action.kind, found.row) ?? '');
    return found;
  });
}

function earlierRows(run: Run, lane: string): (action: Action) => ReadonlyMap<string, Row> {
  const row = run.input.plan.observed.objects.get(lane)?.row;
  const root = laneRoot(run, lane);
  const before = row === undefined || root.action === 'replace' ? undefined : laneRow(root, row);
  return (action) => (before === undefined || action.address === lane ? new Map<string, Row>() : before.rowsOf(action));
}

function lookFor(
  run: Run,
  action: Action,
  after: LaneRow | 'gone' | undefined,
  isTaken: (id: string) => boolean,
): Found {
  if (after === undefined) return { is: 'unread' };
  if (after === 'gone') return { is: 'gone' };
  try {
    const id = run.ids.get(action.address);
    const row =
      id !== undefined
        ? findById(after, action, id)
        : isMade(action) && run.sent.has(action.address)
          ? findMade(run, after, action, isTaken)
          : undefined;
    return row === undefined ? { is: 'gone' } : { is: 'row', row };
  } catch (error) {
    return { is: 'unread', error };
  }
}

function known(run: Run, action: Action): Found {
  const row = run.input.plan.observed.objects.get(action.address)?.row;
  return row === undefined ? { is: 'unread' } : { is: 'row', row };
}

async function settleAction(run: Run, action: Action, found: Found): Promise<void> {
  if (action.isHeld === true) run.results.set(action.address, 'done');
  else if (action.action === 'forget') {
    await save(run, action.address, null, 'with the rest');
    run.results.set(action.address, 'done');
  } else if (run.results.get(action.address) !== 'skipped') {
    if (action.action === 'delete') await settleDeletion(run, action, found);
    else await settleObject(run, action, found);
  }
}

async function settleDeletion(run: Run, action: Action, found: Found): Promise<void> {
  const { address } = action;
  const failed = run.results.get(address);
  if (found.is === 'gone') {
    await save(run, address, null);
    conclude(run, action, 'done');
  } else if (found.is === 'unread') {
    conclude(run, action, failed ?? 'unverified');
  } else {
    if (failed === undefined) {
      report(
        run,
        action,
        diagnostic('platform-answer', `${address} was to be deleted and is still there`, {
          address,
          remedy: 'Apply again.',
        }),
      );
    }
    await takeBack(run, address);
    conclude(run, action, 'failed');
  }
}

/** What was not carried out is as it was before; of what may still be, the pending operation stays. */
async function takeBack(run: Run, address: string): Promise<void> {
  const before = run.input.plan.base.resources[address];
  if (before === undefined || run.lost.has(address)) return;
  // A variable that it mentions may have been written all the same.
  const through = run.actions.get(address)?.service?.debt?.through ?? [];
  const owes = through.some((other) => other !== address && run.written.has(other));
  const deploys = owes ? run.deployed.get(address) : deploysOf(before);
  if (deploys === undefined) run.deployed.delete(address);
  else run.deployed.set(address, deploys);
  await save(run, address, deploys === undefined ? before : withDeploys(before, deploys));
}

async function settleObject(run: Run, action: Action, found: Found): Promise<void> {
  const { address } = action;
  const failed = run.results.get(address);
  const id = run.ids.get(address) ?? (found.is === 'row' ? rowId(action.kind, found.row) : undefined);
  if (id === undefined && action.kind.identity.listedOnce !== undefined && failed === undefined) {
    const message = `${address} was created and is listed only once ${action.kind.identity.listedOnce}`;
    report(run, action, diagnostic('pending', message, { address, remedy: 'Apply again after that.' }));
    await save(run, address, recordOf(run, action, null, sentPairs(action, run.outputs, run.input.digest)));
    conclude(run, action, 'done');
    return;
  }
  if (id === undefined || found.is === 'gone') {
    // Nothing is where something was to be made or changed. The record stays, so that the next run looks again.
    if (failed === undefined) {
      report(
        run,
        action,
        diagnostic('unverified', `${address} was sent, and the platform does not have it`, {
          address,
          remedy: 'Plan again.',
        }),
      );
    }
    conclude(run, action, failed ?? (run.sent.has(address) ? 'failed' : 'unverified'));
    return;
  }
  if (failed !== undefined && action.action === 'replace' && id === action.id) {
    await takeBack(run, address); // the old object is still there, and what is known of it still holds
    conclude(run, action, failed);
    return;
  }
  if (found.is === 'row' && failed === undefined && action.action === 'move' && !isAtHome(run, action, found.row)) {
    const message = `${address} was to be moved and is still where it was`;
    report(run, action, diagnostic('platform-answer', message, { address, remedy: 'Apply again.' }));
    conclude(run, action, 'failed');
    return;
  }
  claim(run, address, id);
  const { digest } = run.input;
  const settled = settleRow(run, action, { after: found.is === 'row' ? found.row : undefined, digest });
  for (const note of settled.notes) report(run, action, note);
  const isUnsure = found.is === 'unread' && run.sent.has(address);
  const result = failed ?? (isUnsure ? 'unverified' : settled.isKept ? 'done' : 'not kept');
  const record = recordOf(run, action, id, settled.pairs);
  // What it was to let go of, it may still use.
  const former = result === 'done' ? [] : (run.input.plan.base.resources[address]?.dependsOn ?? []);
  const dependsOn = [...new Set([...record.dependsOn, ...former])];
  // A request of which nobody knows what became of it may still land.
  const pending = run.lost.has(address) ? run.records.get(address)?.pending : undefined;
  const kept = { ...record, id, dependsOn, ...(pending === undefined ? {} : { pending }) };
  await save(run, address, kept, run.sent.has(address) ? undefined : 'with the rest');
  conclude(run, action, result);
}

function settleRow(
  run: Run,
  action: Action,
  about: { readonly after: Row | undefined; digest: (text: string) => string },
) {
  return settle({
    action,
    made: isMade(action) ? run.rows.get(action.address) : undefined,
    wasSent: run.results.get(action.address) === undefined,
    outputs: run.outputs,
    ...about,
  });
}

function conclude(run: Run, action: Action, result: Outcome['result']): void {
  const isFresh = run.results.get(action.address) === undefined;
  run.results.set(action.address, result);
  if (isFresh && (isEffective(action) || action.action === 'delete')) {
    const event = result === 'done' ? 'done' : 'failed';
    run.input.onEvent?.({ event, address: action.address, action: action.action });
  }
}
