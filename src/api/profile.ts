import type { Profile } from './contract.ts';
import { contracts, profiles } from './contract.ts';
import type { Names } from './names.ts';

/** Members of the answer of `user.get` that have a word of their own in each profile. */
const marks: readonly (readonly [member: string, profile: Profile])[] = [
  ['canAccessToProxyFiles', 'standard'],
  ['billingCustomerId', 'standard'],
  ['canAccessToTraefikFiles', 'dokploy'],
  ['stripeCustomerId', 'dokploy'],
];

/**
 * The profile whose words an answer of `user.get` shows; undefined: it shows none of them. Never throws.
 *
 * @param answer as a client gave it
 * @param names the words of the contract of that client, which may be that of another profile
 */
export function recogniseProfile(answer: unknown, names: Names | undefined): Profile | undefined {
  const sent = names === undefined ? answer : names.data(answer);
  const user = isRow(sent) ? sent['user'] : undefined;
  const shown = (member: string): boolean => [sent, user].some((row) => isRow(row) && Object.hasOwn(row, member));
  return marks.find(([member]) => shown(member))?.[1];
}

/** An operation without members that each profile has another word for, and that every key may call. */
export const renamedOperation = 'hubgit.hubgitProviders';

/** The profile whose words the OpenAPI document of a platform has; undefined: those of none, or of several. Never throws. */
export function profileInDocument(document: unknown): Profile | undefined {
  const paths = isRow(document) ? document['paths'] : undefined;
  if (!isRow(paths)) return undefined;
  const spoken = profiles.filter((profile) => {
    const path = `/${contracts[profile].names?.operation(renamedOperation) ?? renamedOperation}`;
    return Object.hasOwn(paths, path) && isRow(paths[path]);
  });
  return spoken.length === 1 ? spoken[0] : undefined;
}

function isRow(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
