import { childAddress, isWithin, normalAddress } from '../../kind/address.ts';
import { resolveAddress, resolveSection } from '../../kind/aliases.ts';
import type { Kind } from '../../kind/kind.ts';
import type { Settings } from '../settings.ts';
import { type OwnEnvironment, holderOf } from './environment.ts';

/** What the moves of a manifest depend on. */
interface About {
  readonly own: OwnEnvironment | undefined;
  readonly kinds: readonly Kind[];
  /** The name of the root file. */
  readonly rootFile: string;
  /** The addresses of what `changes:` takes out, and of what previews do not have. */
  readonly removed: readonly string[];
}

/**
 * The entries of `moved:` as if written out: an address that begins with a section is in the environment of the root file. An
 * entry of a file that stages share says nothing to a stage that takes its block out. Pure.
 */
export function movesIn(moved: Settings['moved'], { own, kinds, rootFile, removed }: About): Settings['moved'] {
  if (own === undefined) return moved;
  const sections = holderOf(kinds)?.sections ?? new Set();
  const whole = (address: string) => {
    const [first = ''] = address.split(/[.[]/, 1);
    const isShort = first !== own.name && sections.has(resolveSection(first));
    return isShort ? `${childAddress(undefined, undefined, own.name)}.${address}` : address;
  };
  const isRemoved = (address: string) => {
    const written = normalAddress(resolveAddress(address)) ?? address;
    return removed.some((one) => isWithin(written, one));
  };
  const entries = moved.map(({ from, to, at }) => ({ from: whole(from), to: whole(to), at }));
  const next = new Map(entries.map(({ from, to }) => [from, to]));
  /** Where a chain of entries ends; one that is a circle is reported elsewhere. */
  const endOf = (address: string, left = entries.length): string => {
    const to = left === 0 ? undefined : next.get(address);
    return to === undefined ? address : endOf(to, left - 1);
  };
  return entries.filter(({ to, at }) => at.file === rootFile || !isRemoved(endOf(to)));
}
