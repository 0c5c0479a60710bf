import type { Row } from '../../../src/formats/json.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import { kinds } from '../../../src/resources/index.ts';
import { isLetGo, isOfThePlatform, look, parentIdOf, rowsOf, services } from './platform.ts';
import type { Episode, Run } from './run.ts';
import { holds, same } from './same.ts';

/** After a destruction all that was ours is gone, and everything else is as it was. */
export function expectDestroyed(run: Run, { before }: Episode): void {
  // Where nothing was ever applied there is no state.
  const { resources = {}, deployments = {} } = run.made.store.state ?? {};
  same({ ...resources, ...deployments }, {}, 'what the state has after a destruction');
  const was = [...run.memory.values()];
  const ours = new Set(was.map(({ id }) => id));
  const unsure = new Set(was.flatMap(({ id, intended }) => (intended === undefined ? [] : [id])));
  const after = look(run.made.emulator);
  const goes = (kind: Kind, id: string, row: Row) => {
    const parentId = parentIdOf(kind, row);
    const goesAlong =
      parentId !== undefined && ours.has(parentId) && kind.kind !== 'environment' && !services.includes(kind);
    return goesAlong || (ours.has(id) && row.isDefault !== true && kind.operations.delete !== undefined);
  };
  for (const kind of kinds) {
    for (const [id, row] of rowsOf(before, kind)) {
      const left = rowsOf(after, kind).get(id);
      if (unsure.has(id) && left !== undefined) continue;
      same(left === undefined, goes(kind, id, row), `whether ${kind.kind} ${id} is gone`);
      for (const [column, value] of Object.entries(left ?? {})) {
        if (isOfThePlatform(column) || isLetGo(after, kind, column, row[column], value)) continue;
        same(value, row[column], `${column} of ${kind.kind} ${id} stays as it was`);
      }
    }
    for (const id of rowsOf(after, kind).keys())
      holds(rowsOf(before, kind).has(id), `${kind.kind} ${id} came with a destruction`);
  }
}
