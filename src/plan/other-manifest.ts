import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { flags, safeguards } from '../diagnostics/safeguards.ts';
import { holdersOfServices } from '../kind/kind.ts';
import type { PlanInput } from './input.ts';
import { inProject, someOf } from './mass-deletion.ts';

/**
 * The warning that the state may be that of another manifest, because the two share no address. Environments do not count:
 * two repositories with one project both have production. Nor does what an organization has, beside what is in the project.
 *
 * A state has no other identity: the manifest cannot hold a random one, since it is written before the state exists, and
 * the name or path of a repository changes with every fork, move and checkout. `state.name` is the one that users choose.
 */
export function otherManifest({
  kinds,
  resources,
  state,
}: Pick<PlanInput, 'kinds' | 'resources' | 'state'>): Diagnostic[] {
  const holding = holdersOfServices(kinds);
  const kindOf = new Map(kinds.map((kind) => [kind.kind, kind]));
  const records = Object.entries(state.resources).flatMap(([address, { kind, id }]) =>
    id === null || holding.has(kind) ? [] : [{ address, kind: kindOf.get(kind) }],
  );
  const blocks = resources.filter(({ kind }) => !holding.has(kind.kind));
  const held = inProject(records, ({ kind }) => kind).map(({ address }) => address);
  const declared = inProject(blocks, ({ kind }) => kind).map(({ address }) => address);
  const isShared = declared.some((address) => Object.hasOwn(state.resources, address));
  if (held.length === 0 || declared.length === 0 || isShared) return [];
  const message =
    `the state holds nothing that this manifest declares: it holds ${someOf(held.toSorted())}; ` +
    `the manifest declares ${someOf(declared.toSorted())}`;
  const remedy =
    'If the state is that of another manifest, give this one a state of its own: another name: or prefix: under ' +
    'state:, or a folder of its own. If the blocks only got other keys, say so under moved:. If all of them are to go, ' +
    `apply needs ${flags.massDeletion}.`;
  return [diagnostic(safeguards['other manifest'].code, message, { remedy })];
}
