import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { ParentLink } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { rowId } from '../observe/answers.ts';
import type { NaturalKey } from '../observe/match.ts';
import { indexRows, naturalKey } from '../observe/match.ts';
import { readRow } from '../observe/read-row.ts';
import type { Action } from '../plan/action.ts';
import { lookUntil } from './look.ts';
import { isWhatWasMeant } from './read-back.ts';
import type { Run } from './run.ts';
import { readSiblings } from './siblings.ts';

/** Few looks over a minute: nearly everything that was carried out shows at once. Milliseconds. */
const pauses = { first: 200, growth: 10 };

/**
 * Looks for what a create made whose answer got lost, until its request cannot land any more, by the clock that only
 * grows: the object with the id that was ours to choose, or the one that is new, that nobody else has, and that bears
 * the key. Two of those stop it: neither is taken, and neither is deleted.
 */
export async function seek(
  run: Run,
  action: Action,
  { until, chosen }: { readonly until: number; readonly chosen: string | undefined },
): Promise<Row | undefined> {
  const { client, signal } = run.input;
  const look = () => (chosen === undefined ? lookAround(run, action) : readRow(client, action.kind, chosen));
  const made = await lookUntil(run, look, { isSeen: (row) => row !== undefined, until, pauses });
  if (made === undefined && signal?.aborted === true) throw interrupted(action);
  return made;
}

async function lookAround(run: Run, action: Action): Promise<Row | undefined> {
  const { kind, address } = action;
  const key = keyOf(run, action);
  if (key === undefined) return undefined;
  const siblings = await readSiblings(run, action);
  const fresh = [...siblings].filter(([id]) => !run.claimed.has(id));
  const ids = indexRows(fresh).find({ kind }, key);
  const rows = await Promise.all(ids.map((id) => wholeRow(run, action, id, siblings.get(id))));
  const found = rows.filter((row) => row !== undefined);
  // What the platform writes in another form is still ours when it is the only one.
  const made = found.length > 1 ? found.filter((row) => isWhatWasMeant(action, row, run.outputs)) : found;
  if (found.length > 0 && made.length !== 1) {
    throw stop(action, `somebody made the same at the same time: one of ${ids.join(', ')} is ${address}`);
  }
  const [one] = made;
  const id = one === undefined ? undefined : rowId(kind, one);
  // Two that are looked for at the same time cannot both be the same object.
  if (id === undefined || run.claimed.has(id)) return undefined;
  run.claimed.add(id);
  return one;
}

async function wholeRow(run: Run, action: Action, id: string, listed: Row | undefined): Promise<Row | undefined> {
  if (linkOf(run, action)?.rows === 'whole') return listed;
  return readRow(run.input.client, action.kind, id);
}

/** The natural key of what an action makes; undefined when it cannot be found by one. */
export function keyOf(run: Run, action: Action): NaturalKey | undefined {
  const link = linkOf(run, action);
  if (link === undefined) return undefined;
  const fields = Object.fromEntries(
    action.parts.flatMap(({ part, wanted }) =>
      wanted === undefined || part.key !== undefined ? [] : [[part.field, wanted] as const],
    ),
  );
  return naturalKey({ kind: action.kind, link, fields }, run.outputs);
}

function linkOf(run: Run, { kind, parent }: Action): ParentLink | undefined {
  return kind.parents[parent === undefined ? root : (run.actions.get(parent)?.kind.kind ?? root)];
}

/** What ends the search when the run is interrupted: the next one goes on with it. */
function interrupted({ address, position }: Action): Stop {
  const message = `the run was interrupted while ${address}, whose create got no answer, was looked for`;
  const remedy = 'Apply again: that looks for it first.';
  return new Stop('platform', [diagnostic('unverified', message, { address, position, remedy })]);
}

function stop({ address, position }: Action, message: string): Stop {
  const remedy = 'Write id: with the one that is meant, or remove the other on the platform.';
  return new Stop('platform', [diagnostic('ambiguous', message, { address, position, remedy })]);
}
