import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { ParentLink } from '../kind/parent.ts';
import { root } from '../kind/kind.ts';
import { fieldPath } from '../kind/wire.ts';
import { rowId } from '../observe/answers.ts';
import { differencesFromCreate, isCreated } from '../observe/lost-create.ts';
import type { NaturalKey } from '../observe/match.ts';
import { indexRows, naturalKey } from '../observe/match.ts';
import type { Action } from '../plan/action.ts';
import { pendingCreate } from '../state/pending.ts';
import { lookUntil } from './look.ts';
import { recordNow } from './records.ts';
import type { Run } from './run.ts';
import { readSiblings } from './siblings.ts';

/** Few looks over a minute: nearly everything that was carried out shows at once. Milliseconds. */
const pauses = { first: 200, growth: 10 };

/** What a look showed: what the create made, if it is there, and what bears its key and is something else. */
interface Seen {
  readonly made: Row | undefined;
  readonly others: readonly Row[];
}

/**
 * Looks for what a create made whose answer got lost, until its request cannot land any more, by the clock that only
 * grows: the object with the id that was ours to choose, or the one that is new, that nobody else has, that bears the
 * key and is what the create said. Two of those stop it: neither is taken, and neither is deleted. So does one that is
 * something else, when nothing else comes: beside it no second one of its key is made.
 */
export async function seek(
  run: Run,
  action: Action,
  { until, chosen }: { readonly until: number; readonly chosen: string | undefined },
): Promise<Row | undefined> {
  const { signal } = run.input;
  const look = async (): Promise<Seen> =>
    chosen === undefined ? lookAround(run, action) : { made: await run.reader.row(action.kind, chosen), others: [] };
  const { made, others } = await lookUntil(run, look, { isSeen: (seen) => seen.made !== undefined, until, pauses });
  if (made === undefined && signal?.aborted === true) throw interrupted(action);
  if (made === undefined && others.length > 0) throw somebodys(run, action, others);
  return made;
}

async function lookAround(run: Run, action: Action): Promise<Seen> {
  const { kind, address } = action;
  const key = keyOf(run, action);
  if (key === undefined) return { made: undefined, others: [] };
  const siblings = await readSiblings(run, action);
  const fresh = [...siblings].filter(([id]) => !run.claimed.has(id));
  const ids = indexRows(fresh).find({ kind }, key);
  const rows = await Promise.all(ids.map((id) => wholeRow(run, action, id, siblings.get(id))));
  const found = rows.filter((row) => row !== undefined);
  const record = recordNow(run, address);
  const made = found.filter((row) => record !== undefined && isCreated(kind, row, record, run.input.digest));
  if (made.length > 1) {
    throw stop(action, `somebody made the same at the same time: one of ${ids.join(', ')} is ${address}`);
  }
  const [one] = made;
  const id = one === undefined ? undefined : rowId(kind, one);
  // Two that are looked for at the same time cannot both be the same object.
  if (id === undefined) return { made: undefined, others: found };
  if (run.claimed.has(id)) return { made: undefined, others: [] };
  run.claimed.add(id);
  return { made: one, others: [] };
}

async function wholeRow(run: Run, action: Action, id: string, listed: Row | undefined): Promise<Row | undefined> {
  if (linkOf(run, action)?.rows === 'whole') return listed;
  return run.reader.row(action.kind, id);
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

/** What ends the search when somebody else made something under the key meanwhile, and nothing of ours came. */
function somebodys(run: Run, action: Action, others: readonly Row[]): Stop {
  const { kind, address } = action;
  const pending = pendingCreate(recordNow(run, address));
  const each = others.map((row) => {
    const names = pending === undefined ? [] : differencesFromCreate(kind, row, pending, run.input.digest);
    const paths = names.map((name) => fieldPath(kind, name));
    return `${rowId(kind, row)} bears its key and is something else (${paths.join(', ')})`;
  });
  return stop(action, `the create of ${address} got no answer, and ${each.join(', and ')}: it is not taken`);
}

function stop({ address, position }: Action, message: string): Stop {
  const remedy = 'Write id: with the one that is meant, or remove the other on the platform.';
  return new Stop('platform', [diagnostic('ambiguous', message, { address, position, remedy })]);
}
