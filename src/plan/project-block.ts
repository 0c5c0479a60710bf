import type { Kind } from '../kind/kind.ts';
import { topAddress, topOf, withTop } from '../kind/top.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Settings } from '../manifest/settings.ts';
import type { StateRecord } from '../state/record.ts';
import type { State } from '../state/state.ts';

/** Whether a state has the object that the top of the manifest stands for. Never throws. */
function hasTop(state: State | undefined, kinds: readonly Kind[]): boolean {
  const top = topOf(kinds);
  return top !== undefined && state?.resources[topAddress(top)]?.kind === top.kind;
}

/**
 * A state whose records stand where the manifest has their blocks: below the block that the top stands for, or at the top.
 * A manifest without that block knows no record of it: the object stays on the platform. `kinds` have the block. Never throws.
 */
export function placed(state: State | undefined, kinds: readonly Kind[], isDeclared: boolean): State | undefined {
  const top = topOf(kinds);
  if (state === undefined || top === undefined) return state;
  const address = topAddress(top);
  const below = new Set(kinds.flatMap(({ kind, parents }) => (parents[top.kind] === undefined ? [] : [kind])));
  const parent = isDeclared ? address : null;
  const isMoved = (record: StateRecord) => below.has(record.kind) && record.parent !== parent;
  const records = Object.entries(state.resources);
  const kept = isDeclared ? records : records.filter(([at, { kind }]) => at !== address || kind !== top.kind);
  if (kept.length === records.length && !records.some(([, record]) => isMoved(record))) return state;
  const resources = kept.map(([at, record]) => [at, isMoved(record) ? { ...record, parent } : record] as const);
  return { ...state, resources: Object.fromEntries(resources) };
}

/** The resources of a manifest that declares its project for the first time: the block means the project of the state. */
export function pinnedToState(
  resources: readonly Resource[],
  state: State | undefined,
  kinds: readonly Kind[],
): readonly Resource[] {
  const { projectId = '' } = state ?? {};
  if (projectId === '' || hasTop(state, kinds)) return resources;
  return resources.map((one) => (one.kind.isTop === true ? { ...one, pinned: one.pinned ?? projectId } : one));
}

/**
 * Whether a plan has the project as one of its objects. What was never taken over is not destroyed; where the state holds
 * nothing, or is that of no project, there may be no project to read. `kinds` are without the top. Never throws.
 */
export function isTopOwned(
  { ownsProject }: Settings,
  saved: State | undefined,
  kinds: readonly Kind[],
  destroys: boolean,
): boolean {
  const isEmpty = saved === undefined || saved.projectId === '' || Object.keys(saved.resources).length === 0;
  return ownsProject === true && (!destroys || isEmpty || hasTop(saved, withTop(kinds)));
}
