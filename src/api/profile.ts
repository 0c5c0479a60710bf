import type { Profile } from './contract.ts';
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

function isRow(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
