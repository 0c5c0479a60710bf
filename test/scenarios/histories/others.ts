import type { Kind } from '../../../src/kind/kind.ts';
import type { Plan } from '../../../src/plan/action.ts';
import { kinds } from '../../../src/resources/index.ts';
import type { Snapshot } from './platform.ts';
import { isDataMount, isLetGo, isOfThePlatform, look, parentIdOf, rowsOf } from './platform.ts';
import { isAsIntended, isMadeUnlisted, movedMemory } from './prediction.ts';
import type { Episode, Memories, Run } from './run.ts';
import { holds, same } from './same.ts';

/** Beside what is declared nothing came, went or changed, and what was ours and is declared no more is gone. */
export function expectOthers(run: Run, { before, declared, prediction, planned }: Episode, memory: Memories): void {
  const after = look(run.made.emulator);
  const mine = new Set([...memory.values()].map(({ id }) => id));
  const was = [...movedMemory(run.memory, declared)];
  const wasOurs = new Set(was.map(([, { id }]) => id));
  // What a run was about to make may stay when it is told of, or when people made something else of it.
  const mayStay = new Set(
    was.flatMap(([address, memory]) => {
      const row = rowsOf(before, memory.kind).get(memory.id);
      if (memory.intended === undefined || row === undefined) return [];
      return isTold(planned, address) || !isAsIntended(memory, row) ? [memory.id] : [];
    }),
  );
  const wasAdopted = (kind: Kind, id: string) =>
    [...prediction.adopted].some((address) => prediction.objects.get(address)?.[kind.identity.id] === id);
  for (const kind of kinds) {
    for (const [id, row] of rowsOf(after, kind)) {
      if (mine.has(id)) continue;
      const earlier = rowsOf(before, kind).get(id);
      if (earlier === undefined) {
        const isBrought = kind.kind === 'mount' && isDataMount(after, row);
        if (!isBrought) throw new Error(`${kind.kind} ${id} is one too many: ${JSON.stringify(row)}`);
        continue;
      }
      const goes = row.isDefault !== true && kind.operations.delete !== undefined && !mayStay.has(id);
      holds(!wasOurs.has(id) || !goes, `${kind.kind} ${id} was ours and is still there`);
      for (const [column, value] of Object.entries(row)) {
        if (isOfThePlatform(column) || isLetGo(after, kind, column, earlier[column], value)) continue;
        same(value, earlier[column], `${column} of ${kind.kind} ${id}, which is not ours`);
      }
    }
    for (const [id, row] of rowsOf(before, kind)) {
      if (rowsOf(after, kind).has(id) || wasOurs.has(id)) continue;
      if (was.some(([, one]) => one.kind === kind && isMadeUnlisted(one, row))) continue;
      const went = wentWithParent({ before, after }, id) && !wasAdopted(kind, id);
      holds(went, `${kind.kind} ${id}, which is not ours, is gone`);
    }
  }
}

/** Whether a plan says of something that it may be there without anybody knowing. */
export function isTold({ actions }: Plan, address: string): boolean {
  const notes = actions.find((action) => action.address === address)?.notes ?? [];
  return notes.some(({ code }) => code === 'unverified' || code === 'stays-there');
}

/** Whether what an object was below is gone too. */
export function wentWithParent({ before, after }: { before: Snapshot; after: Snapshot }, id: string): boolean {
  const kind = kinds.find((one) => rowsOf(before, one).has(id));
  const row = kind === undefined ? undefined : rowsOf(before, kind).get(id);
  if (kind === undefined || row === undefined) return false;
  const parentId = parentIdOf(kind, row) ?? '';
  const owner = kinds.find((other) => rowsOf(before, other).has(parentId));
  return owner !== undefined && !rowsOf(after, owner).has(parentId);
}
