import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { flags, safeguards } from '../diagnostics/safeguards.ts';
import { type Kind, holdersOfServices } from '../kind/kind.ts';
import type { ObservedObject } from '../observe/observed.ts';
import { isOfProject } from '../observe/ownership.ts';
import { type Action, isDeletion, leavesState } from './action.ts';
import type { PlanInput } from './input.ts';
import { someOf } from '../diagnostics/some-of.ts';

/** A record or a block that shows which manifest a state belongs to. */
interface Counted {
  readonly address: string;
  /** undefined: no kind of this version. */
  readonly kind: Kind | undefined;
}

/**
 * The warning that the state may be that of another manifest: the two share no address, and the plan deletes something that
 * the state holds, or removes from the state what stays on the platform. Environments and objects that nothing creates, such
 * as the organization itself, do not count: two repositories with one project have them both. Where both sides have
 * something in the project, only that counts; else all of both.
 *
 * A state has no other identity: the manifest cannot hold a random one, since it is written before the state exists, and
 * the name or path of a repository changes with every fork, move and checkout. `state.name` is the one that users choose.
 *
 * @param deletesEverything the plan leaves nothing of the state, which no flag permits.
 */
export function otherManifest(
  { kinds, resources, state }: Pick<PlanInput, 'kinds' | 'resources' | 'state'>,
  {
    actions,
    objects,
    deletesEverything,
  }: {
    readonly actions: readonly Action[];
    readonly objects: ReadonlyMap<string, ObservedObject>;
    readonly deletesEverything: boolean;
  },
): Diagnostic[] {
  const holding = holdersOfServices(kinds);
  const kindOf = new Map(kinds.map((kind) => [kind.kind, kind]));
  const counts = (kind: Kind | undefined) => kind === undefined || kind.operations.create !== undefined;
  const records = Object.entries(state.resources).flatMap(([address, { kind, id }]) =>
    id === null || holding.has(kind) || !counts(kindOf.get(kind)) ? [] : [{ address, kind: kindOf.get(kind) }],
  );
  const blocks = resources.filter(({ kind }) => !holding.has(kind.kind) && counts(kind));
  const isInside = ({ kind }: Counted) => kind === undefined || isOfProject(kind);
  const areBothInside = records.some(isInside) && blocks.some(isInside);
  const comparedOf = (all: readonly Counted[]) =>
    all.flatMap((one) => (areBothInside && !isInside(one) ? [] : [one.address]));
  const declared = comparedOf(blocks);
  const held = comparedOf(records);
  const compared = new Set(held);
  const isLosing = actions.some(
    (one) => compared.has(one.address) && leavesState(one) && (isDeletion(one) || objects.has(one.address)),
  );
  const isShared = declared.some((address) => Object.hasOwn(state.resources, address));
  if (!isLosing || declared.length === 0 || isShared) return [];
  const message =
    `the state holds nothing that this manifest declares: it holds ${someOf(held.toSorted())}; ` +
    `the manifest declares ${someOf(declared.toSorted())}`;
  const meant = deletesEverything ? 'use trueup destroy' : `apply needs ${flags.massDeletion}`;
  const remedy =
    'If the state is that of another manifest, give this one a state of its own: another name: or prefix: under ' +
    'state:, or a folder of its own. If the blocks only got other keys, say so under moved:. If all of them are to go, ' +
    `${meant}.`;
  return [diagnostic(safeguards['other manifest'].code, message, { remedy })];
}
