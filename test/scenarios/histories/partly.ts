import { parse as parseDotenv } from 'dotenv';
import equal from 'fast-deep-equal';
import type { Row } from '../../../src/formats/json.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import { kinds } from '../../../src/resources/index.ts';
import type { Snapshot } from './platform.ts';
import { columnOf, isDataMount, isLetGo, isOfThePlatform, look, rowsOf } from './platform.ts';
import { wentWithParent } from './others.ts';
import { bears, keyOf, movedMemory } from './prediction.ts';
import type { Deed, Episode, Run } from './run.ts';
import { holds, same } from './same.ts';
import { wantedFields } from './wanted.ts';

/**
 * What may have happened when a run is left half done: some of what it was to do, and what people did by hand. Of that
 * nothing is lost but what the plan said it would overwrite.
 */
export function expectPartly(run: Run, episode: Episode): void {
  const after = look(run.made.emulator);
  const { before } = episode;
  const columns = declaredColumns(episode);
  const deeds = new Map(run.deeds.map((deed) => [keyOfDeed(deed), deed]));
  const didWhole = new Set(run.deeds.flatMap(({ id, column }) => (column === undefined ? [id] : [])));
  for (const kind of kinds) {
    for (const [id, row] of rowsOf(after, kind)) {
      const earlier = rowsOf(before, kind).get(id);
      if (earlier === undefined) {
        const isKnown = didWhole.has(id) || (kind.kind === 'mount' && isDataMount(after, row));
        holds(isKnown || isDeclared(episode, kind, row), `${kind.kind} ${id} is made, and not declared`);
        continue;
      }
      for (const [column, value] of Object.entries(row)) {
        if (equal(value, earlier[column]) || isOfThePlatform(column)) continue;
        const deed = deeds.get(keyOfDeed({ kind, id, column }));
        if (isLetGo(after, kind, column, earlier[column], value) || columns.get(id)?.has(column) === true) continue;
        same(
          value,
          deed === undefined ? earlier[column] : deed.value,
          `${column} of ${kind.kind} ${id}, which is not declared`,
        );
      }
    }
    for (const id of rowsOf(before, kind).keys()) {
      if (rowsOf(after, kind).has(id) || didWhole.has(id)) continue;
      holds(mayGo(run, episode, after, id), `${kind.kind} ${id} is gone`);
    }
  }
  for (const deed of deeds.values()) expectKept(run, episode, deed, after);
}

const keyOfDeed = ({ kind, id, column }: Pick<Deed, 'kind' | 'id' | 'column'>) => `${kind.kind} ${id} ${column ?? ''}`;

/** The columns of objects that a manifest says something of, by their id. */
function declaredColumns({ declared, prediction }: Episode): Map<string, Set<string>> {
  return new Map(
    declared.blocks.flatMap((block) => {
      const row = prediction.objects.get(block.address);
      if (row === undefined) return [];
      const names = Object.keys(wantedFields(declared, block, () => undefined));
      const read = names.map((name) => columnOf(block.kind, name, row));
      const place = block.kind.operations.move === undefined ? [] : ['environmentId'];
      return [
        [
          String(row[block.kind.identity.id]),
          new Set([...read, ...place, ...(block.env === undefined ? [] : ['env'])]),
        ],
      ];
    }),
  );
}

/** Whether a new object is what a block declares. */
function isDeclared({ declared }: Episode, kind: Kind, row: Row): boolean {
  return declared.blocks.some((block) => {
    if (block.kind !== kind) return false;
    const wanted = wantedFields(declared, block, () => undefined);
    // What is not known yet may be anything.
    const isOpen = Object.values(wanted).includes(undefined);
    return isOpen || bears(kind, row, keyOf(block, wanted));
  });
}

/** Whether an object may go: it was ours and is declared no more, or another takes its place or its parent's, or that goes. */
function mayGo(run: Run, episode: Episode, after: Snapshot, id: string): boolean {
  const { is, declared, before, prediction } = episode;
  const ours = [...movedMemory(run.memory, declared)].find(([, memory]) => memory.id === id);
  if (wentWithParent({ before, after }, id)) return true;
  if (ours === undefined) return false;
  const [address] = ours;
  const replaced = [...prediction.replaced, ...doubtedOf(episode)];
  const isReplaced = replaced.some((one) => address === one || address.startsWith(`${one}.`));
  return is === 'destroy' || !declared.byAddress.has(address) || isReplaced;
}

/** What the plan makes anew because the platform answered an error when it stored the object. */
function doubtedOf({ planned }: Episode): string[] {
  const doubted = planned.actions.filter(
    ({ action, changes }) => action === 'replace' && changes.every(({ cause }) => cause === 'unproven'),
  );
  return doubted.map(({ address }) => address);
}

/**
 * What was done by hand is still so, unless the plan said that it would be overwritten. What was done before anything
 * was sent was seen, and nothing that the plan did not know of is overwritten then.
 */
function expectKept(run: Run, { planned }: Episode, deed: Deed, after: Snapshot): void {
  const { kind, id, column, was, value, isFirst } = deed;
  if (column === undefined || isOfThePlatform(column)) return;
  const row = rowsOf(after, kind).get(id);
  if (row === undefined || equal(row[column], value) || isLetGo(after, kind, column, value, row[column])) return;
  const steps = planned.actions.flatMap((action) => (action.id === id ? action.steps : []));
  const isShown = steps.some(({ members }) =>
    Object.keys(members).some((name) => columnOf(kind, name, row) === column),
  );
  const words = `${column} of ${kind.kind} ${id}, which was changed by hand`;
  if (!isShown || (isFirst && kind.fields[column]?.map === undefined)) same(row[column], value, words);
  if (!isFirst) return;
  const [before, theirs, now] = [was, value, row[column]].map((text) => parseDotenv(String(text ?? '')));
  for (const key of Object.keys({ ...before, ...theirs }))
    if (before?.[key] !== theirs?.[key]) same(now?.[key], theirs?.[key], `${key} in ${words}`);
}
