import { someOf } from '../diagnostics/some-of.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { few, flags, safeguards, usual } from '../diagnostics/safeguards.ts';
import { groupBy } from '../kind/group.ts';
import type { Kind } from '../kind/kind.ts';
import { isOfProject } from '../observe/ownership.ts';
import type { State } from '../state/state.ts';
import { movedEntry } from './moved-addresses.ts';
import { type Action, deletesObject, isDeletion, leavesState } from './action.ts';
import { actionsByAddress, isAt } from './relations.ts';

const isTheManifestWhole = 'Look whether the manifest is whole: the folder, the branch, its includes.';
const ifAllIsToGo = `${isTheManifestWhole} If all of it is to go, use trueup destroy; if blocks only got other keys, say so under moved:.`;

/**
 * What a plan deletes beyond what one edit usually means. A replacement counts as a deletion, and so does what goes
 * because its parent does. To delete all that the state holds is an error: a command of its own is there for it. `own`: the
 * environment that the root file names.
 */
export function massDeletions(
  actions: readonly Action[],
  state: State,
  isProvided: (address: string) => boolean,
  own?: string,
): Diagnostic[] {
  const { resources } = state;
  const byAddress = actionsByAddress(actions);
  const isDeleted = (address: string) => isAt({ byAddress }, address, isDeletion);
  const areGone = (addresses: readonly string[]) => addresses.every((one) => isAt({ byAddress }, one, leavesState));
  const known = Object.keys(resources);
  // The old object of a replacement and the new one are one resource.
  const blocksOf = (addresses: readonly string[]) => [...new Set(addresses.map((one) => blockIn(byAddress, one)))];
  const deleted = blocksOf(known.filter(isDeleted));
  if (blocksOf(known).length > 1 && deleted.length > 0 && areGone(known)) {
    const message = `this plan deletes everything that the state holds, ${deleted.length} ${deleted.length === 1 ? 'resource' : 'resources'}: ${someOf(deleted)}`;
    return [diagnostic(safeguards.everything.code, message, { remedy: renamed(state, own) ?? ifAllIsToGo })];
  }
  // What the platform has in each project, such as its default environment, stays for whoever wrote nothing else.
  const ours = known.filter((address) => !isProvided(address));
  const gone = blocksOf(ours.filter(isDeleted));
  const alone = gone.filter((address) => !isDeleted(resources[address]?.parent ?? ''));
  const judged = inProject(ours, (address) => byAddress.get(address)?.kind);
  if (alone.length <= few || !areGone(judged)) return tooMany(actions, state);
  const all = areGone(ours) ? 'all that was ever made' : 'all that was ever made in the project';
  const message = `this plan deletes ${all}, ${gone.length} resources: ${someOf(gone.toSorted())}`;
  const remedy = `${isTheManifestWhole} If it is meant, apply needs ${flags.massDeletion}.`;
  return [diagnostic(safeguards['all but provided'].code, message, { remedy }), ...tooMany(actions, state)];
}

/** The remedy where the root file names an environment that the state does not have, and the state has one other. */
function renamed({ resources }: State, own: string | undefined): string | undefined {
  if (own === undefined || Object.hasOwn(resources, own)) return undefined;
  const parents = Object.values(resources).flatMap(({ parent }) => parent ?? []);
  const [former, ...others] = new Set(parents.filter((address) => (resources[address]?.parent ?? null) === null));
  if (former === undefined || others.length > 0) return undefined;
  return `If the environment got another name, write ${movedEntry(former, own)}. ${isTheManifestWhole}`;
}

/** What a plan deletes of the environment that the root file still names: all of its services mean that an include is lost. */
export function emptiedEnvironment(
  actions: readonly Action[],
  { resources }: State,
  environment: string | undefined,
): Diagnostic[] {
  const byAddress = actionsByAddress(actions);
  const services = Object.keys(resources).filter((address) => resources[address]?.parent === environment);
  const deleted = services.filter((address) => isAt({ byAddress }, address, isDeletion));
  const stays = environment !== undefined && !isAt({ byAddress }, environment, leavesState);
  const areGone = services.every((address) => isAt({ byAddress }, address, leavesState));
  if (!stays || !areGone || deleted.length < few) return [];
  const message = `this plan deletes all ${deleted.length} services of ${environment}, which the root file still names: ${someOf(deleted)}`;
  return [diagnostic(safeguards['all of the environment'].code, message, { remedy: ifAllIsToGo })];
}

function tooMany(actions: readonly Action[], { resources }: State): Diagnostic[] {
  const byAddress = actionsByAddress(actions);
  const known = Object.entries(resources).flatMap(([address, { kind, id }]) =>
    id === null ? [] : [[kind, blockIn(byAddress, address)] as const],
  );
  const going = actions.filter(deletesObject).map(({ kind, block }) => [kind.kind, block] as const);
  return manyOfOneKind(going, known).map(({ those, addresses }) => {
    const message = `this plan deletes or replaces ${those}: ${someOf(addresses)}`;
    const remedy = `Look whether that is meant. If it is, apply needs ${flags.massDeletion}.`;
    return diagnostic(safeguards['many of a kind'].code, message, { remedy });
  });
}

/** Addresses of one kind that are more than one edit, or one deletion by hand, usually explains, and words for them. */
export function manyOfOneKind(
  some: readonly (readonly [kind: string, address: string])[],
  all: readonly (readonly [kind: string, address: string])[],
): { readonly those: string; readonly addresses: readonly string[] }[] {
  const totals = groupBy(all);
  return [...groupBy(some)].flatMap(([kind, found]) => {
    const addresses = [...new Set(found)];
    const count = addresses.length;
    const total = Math.max(count, new Set(totals.get(kind)).size);
    if (count <= usual.most && (total < usual.of || count < total * usual.share)) return [];
    const share = Math.round((count / total) * 100);
    return [{ addresses, those: `${count} of ${total} resources of the kind ${kind} (${share} %)` }];
  });
}

/**
 * What is in the project; everything, where nothing is. An organization and its keys, which many manifests may declare, say
 * nothing of whether the rest is theirs.
 */
export function inProject<T>(all: readonly T[], kindOf: (one: T) => Kind | undefined): readonly T[] {
  const inside = all.filter((one) => {
    const kind = kindOf(one);
    return kind === undefined || isOfProject(kind);
  });
  return inside.length > 0 ? inside : all;
}

/** The block of a record, by its action. */
function blockIn(byAddress: ReadonlyMap<string, Action>, address: string): string {
  return byAddress.get(address)?.block ?? address;
}
