import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { attributeName } from '../kind/attribute.ts';
import { groupBy } from '../kind/group.ts';
import type { Digests } from '../secrets/digest.ts';
import type { Action, AttributeChange, Narrowed, OldSecret } from './action.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { serviceOf, usersOf, writesValue } from './rotations.ts';
import { isEdited } from './standing.ts';
import { type SecretPart, secretParts } from './template.ts';

/**
 * The services that keep the old value of a secret, because a narrowed plan writes its new value elsewhere and leaves their
 * change out. Everything is judged in the whole plan; `isDone` tells what the narrowed one does.
 */
export function oldSecrets(
  whole: readonly Action[],
  isDone: (address: string) => boolean,
  digests: Digests,
): readonly OldSecret[] {
  const written = whole
    .filter(({ address }) => isDone(address))
    .flatMap((action) => rotatedIn(action, digests).map(({ part }) => ({ part, address: action.address })));
  if (written.length === 0) return [];
  const kept = whole
    .filter(({ address }) => !isDone(address))
    .flatMap((action) =>
      rotatedIn(action, digests).flatMap(({ part, planned }) => {
        const same = written.filter((other) => isSame(part, other.part));
        const services = same.length === 0 ? [] : servicesWith(action, planned, whole, part.name);
        return services.map((service) => [service, { part, same }] as const);
      }),
    );
  return [...groupBy(kept)].map(([address, secrets]) => ({
    address,
    secrets: [...new Set(secrets.flatMap(({ part }) => part.name ?? []))],
    writtenAt: [...new Set(secrets.flatMap(({ same }) => same.map((other) => other.address)))],
  }));
}

/** Names the services that keep an old value, and how they get the new one. */
export function oldSecretNotes({ oldSecrets: old = [], targets }: Narrowed): Diagnostic[] {
  if (old.length === 0) return [];
  const names = [...new Set(old.flatMap(({ secrets }) => secrets))];
  const addresses = old.map(({ address }) => address);
  const what = names.length > 1 ? `new values of ${someOf(names)}` : `a new value of ${names[0] ?? 'a secret'}`;
  const one = names.length > 1 ? 'the old ones' : 'the old one';
  const keep = addresses.length === 1 ? `keeps ${one} until it is` : `keep ${one} until they are`;
  const message = `this plan writes ${what}; ${someOf(addresses)} ${keep} applied too`;
  const remedy =
    targets.length === 0
      ? `Do not exclude ${someOf(addresses)}, or run trueup apply for the rest right after.`
      : `Add ${addresses.map((address) => `--target ${address}`).join(' ')}, or run trueup apply for the rest right after.`;
  return [diagnostic('old-secret', message, { remedy })];
}

/** The secrets of which an action writes a new value in place of another one, each with its attribute. */
function rotatedIn({ address, attributes }: Action, digests: Digests) {
  return attributes.flatMap((planned): { readonly part: SecretPart; readonly planned: AttributeChange }[] => {
    const { attribute, wanted, pair, standing } = planned;
    if (wanted?.isSecret !== true || pair === undefined || !writesValue(planned)) return [];
    return secretParts(wanted, pair.wanted, digests(address, attributeName(attribute)))
      .filter(({ isRotated }) => isRotated ?? isEdited(standing.declared))
      .map((part) => ({ part, planned }));
  });
}

/**
 * Whether what is left out and what is written have the same secret. One of which the state does not tell whether it
 * changed counts only where it is all of the written value: else the text around it may be what changed.
 */
function isSame(left: SecretPart, written: SecretPart): boolean {
  if (written.isRotated === undefined && !written.isWhole) return false;
  return left.value === written.value;
}

/** The service that an action is of; of variables above services, those that are deployed with them. */
function servicesWith(
  action: Action,
  planned: AttributeChange,
  whole: readonly Action[],
  secret: string | undefined,
): readonly string[] {
  if (action.kind.service !== undefined) return [action.address];
  const own = serviceOf(action, whole);
  if (own !== undefined) return [own.address];
  const users = usersOf(action, planned, whole, secret);
  return users.length === 0 ? [action.address] : users;
}
