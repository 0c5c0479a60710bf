import { someOf } from '../diagnostics/some-of.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { few, flags, safeguards, usual } from '../diagnostics/safeguards.ts';
import { groupBy } from '../kind/group.ts';
import type { Kind } from '../kind/kind.ts';
import { isOfProject } from '../observe/ownership.ts';
import { blockOf } from '../kind/address.ts';
import type { State } from '../state/state.ts';
import { type Action, deletesObject } from './action.ts';

const isTheManifestWhole = 'Look whether the manifest is whole: the folder, the branch, its includes.';

/**
 * What a plan deletes beyond what one edit usually means. A replacement counts as a deletion, and so does what goes
 * because its parent does. To delete all that the state holds is an error: a command of its own is there for it.
 */
export function massDeletions(
  actions: readonly Action[],
  state: State,
  isProvided: (address: string) => boolean,
): Diagnostic[] {
  const { resources } = state;
  const fates = new Map(actions.map(({ address, action }) => [address, action]));
  const isDeleted = (address: string) => fates.get(address) === 'delete';
  const areGone = (addresses: readonly string[]) =>
    addresses.every((address) => isDeleted(address) || fates.get(address) === 'forget');
  const known = Object.keys(resources);
  const deleted = blocksOf(known.filter(isDeleted));
  if (blocksOf(known).length > 1 && deleted.length > 0 && areGone(known)) {
    const message = `this plan deletes everything that the state holds, ${deleted.length} ${deleted.length === 1 ? 'resource' : 'resources'}: ${someOf(deleted)}`;
    const remedy = `${isTheManifestWhole} If all of it is to go, use trueup destroy; if blocks only got other keys, say so under moved:.`;
    return [diagnostic(safeguards.everything.code, message, { remedy })];
  }
  // What the platform has in each project, such as its default environment, stays for whoever wrote nothing else.
  const ours = known.filter((address) => !isProvided(address));
  const gone = blocksOf(ours.filter(isDeleted));
  const alone = gone.filter((address) => !isDeleted(resources[address]?.parent ?? ''));
  const kinds = new Map(actions.map(({ address, kind }) => [address, kind]));
  const judged = inProject(ours, (address) => kinds.get(address));
  if (alone.length <= few || !areGone(judged)) return tooMany(actions, state);
  const all = areGone(ours) ? 'all that was ever made' : 'all that was ever made in the project';
  const message = `this plan deletes ${all}, ${gone.length} resources: ${someOf(gone.toSorted())}`;
  const remedy = `${isTheManifestWhole} If it is meant, apply needs ${flags.massDeletion}.`;
  return [diagnostic(safeguards['all but provided'].code, message, { remedy }), ...tooMany(actions, state)];
}

function tooMany(actions: readonly Action[], { resources }: State): Diagnostic[] {
  const going = actions.filter(deletesObject);
  return [...groupBy(going.map(({ kind, address }) => [kind.kind, address]))].flatMap(([name, all]) => {
    const addresses = blocksOf(all);
    const count = addresses.length;
    const known = Object.entries(resources).filter(([, { kind, id }]) => kind === name && id !== null);
    const total = Math.max(count, blocksOf(known.map(([address]) => address)).length);
    if (!isMany(count, total)) return [];
    const share = Math.round((count / total) * 100);
    const those = `${count} of ${total} resources of the kind ${name} (${share} %)`;
    const message = `this plan deletes or replaces ${those}: ${someOf(addresses)}`;
    const remedy = `Look whether that is meant. If it is, apply needs ${flags.massDeletion}.`;
    return [diagnostic(safeguards['many of a kind'].code, message, { remedy })];
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

/** Whether so many of all of one kind are more than one edit, or one deletion by hand, usually explains. */
export function isMany(count: number, total: number): boolean {
  return count > usual.most || (total >= usual.of && count >= total * usual.share);
}

/** The addresses of the resources: the old object of a replacement and the new one are one. */
function blocksOf(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map(blockOf))];
}
