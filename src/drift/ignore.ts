import { isWithin, normalAddress } from '../kind/address.ts';
import { matchesGlob } from '../formats/glob.ts';
import type { DriftSettings } from '../manifest/settings.ts';
import type { Found } from './finding.ts';

type Rule = NonNullable<DriftSettings['ignore']>[number];

/** A finding that a rule of the manifest leaves out. */
export interface Ignored {
  readonly found: Found;
  readonly because: string | undefined;
}

/**
 * Takes the findings that a rule leaves out from the others. A change of the manifest is never left out: of drift where the
 * manifest has a third value, that one stays, as not yet applied. Pure.
 */
export function withoutIgnored(
  all: readonly Found[],
  rules: readonly Rule[] = [],
): { readonly found: readonly Found[]; readonly ignored: readonly Ignored[] } {
  const ignored: Ignored[] = [];
  const found = all.flatMap((one): Found[] => {
    const rule = one.is === 'not yet applied' ? undefined : rules.find((candidate) => isMeant(one, candidate));
    if (rule === undefined) return [one];
    ignored.push({ found: one, because: rule.because });
    if (one.edited !== true) return [];
    const { edited: _, ...rest } = one;
    return [{ ...rest, is: 'not yet applied' }];
  });
  return { found, ignored };
}

function isMeant({ address = '', path }: Found, rule: Rule): boolean {
  const named = normalAddress(rule.address);
  const isHere = named === undefined ? matchesGlob(rule.address, address) : isWithin(address, named);
  if (!isHere || rule.field === undefined) return isHere;
  return path !== undefined && (matchesGlob(rule.field, path) || path.startsWith(`${rule.field}.`));
}
