import equal from 'fast-deep-equal';
import type { Json, Row } from '../../../src/formats/json.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import { idMember } from '../../../src/kind/row-values.ts';
import { kinds } from '../../../src/resources/index.ts';
import { deployByHand, isDeployOrder } from '../../support/deployments.ts';
import { look, rowsOf, steadyIds } from './platform.ts';
import type { Deed, Run } from './run.ts';
import { withIds } from './run.ts';

/** Something that somebody does on the platform. */
export interface Act {
  readonly operation: string;
  readonly input: Readonly<Record<string, Json>>;
}

/** Does something by hand; what the platform refuses is not done. */
export async function act(run: Run, { operation, input }: Act): Promise<void> {
  const members = withIds(run, input);
  const [table = '', verb] = operation.split('.');
  for (const value of Object.values(members)) if (typeof value === 'string') run.touched.add(value);
  run.isByHand = true;
  try {
    if (isDeployOrder(operation)) {
      const id = String(members[`${table}Id`]);
      await deployByHand(run.made, id, table as 'compose', verb as 'deploy');
      if (run.isHalfDone) run.doubtful.add(id);
      else run.doubtful.delete(id);
    } else await run.made.emulator.act(operation, members).catch(() => undefined);
  } finally {
    run.isByHand = false;
  }
}

/** What deletes an object, with an operation of the document or without; nothing where nobody may. */
export function removalOf(kind: Kind, id: string, row: Row): Act[] {
  if (steadyIds.has(id) || kind.kind === 'organization' || kind.kind === 'memberPermissions') return [];
  const { create, delete: operation } = kind.operations;
  if (operation === undefined || create === undefined) return [];
  const { gitProviderId } = row;
  // The record of a git provider is what its deletion names.
  const named = typeof gitProviderId === 'string' ? { gitProviderId } : { [idMember(kind, operation)]: id };
  return [{ operation, input: { ...named, deleteVolumes: false } }];
}

/** Does something by hand while a run goes on, and notes what came of it. */
export async function actMeanwhile(run: Run, one: Act, { isFirst }: { readonly isFirst: boolean }): Promise<void> {
  const before = look(run.made.emulator);
  await act(run, one);
  const after = look(run.made.emulator);
  const deeds: Deed[] = [];
  for (const kind of kinds) {
    const [old, now] = [rowsOf(before, kind), rowsOf(after, kind)];
    for (const id of new Set([...old.keys(), ...now.keys()])) {
      const [was, is] = [old.get(id), now.get(id)];
      if (was === undefined || is === undefined) deeds.push({ kind, id, column: undefined, was, value: is, isFirst });
      else {
        for (const [column, value] of Object.entries(is)) {
          if (!equal(was[column], value)) deeds.push({ kind, id, column, was: was[column], value, isFirst });
        }
      }
    }
  }
  run.deeds.push(...deeds);
}
