import type { Code } from '../diagnostics/codes.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { type Place, position } from './tree.ts';

/** Reports one thing about a place of a manifest. */
export type Report = (code: Code, message: string, at: Place, remedy?: string) => void;

/** Reports into a list. `address`: the resource that all of it is about. */
export function reportInto(diagnostics: Diagnostic[], address?: string): Report {
  return (code, message, at, remedy) =>
    void diagnostics.push(diagnostic(code, message, { remedy, address, position: position(at) }));
}

const severities: readonly Diagnostic['severity'][] = ['error', 'warning', 'note'];

/** Errors first; then as they stand in the files, in the order of `files`. */
export function inOrderOfFiles<T extends Diagnostic>(diagnostics: readonly T[], files: readonly string[]): T[] {
  const orders = new Map(files.map((file, index) => [file, index]));
  const rank = ({ severity, position }: Diagnostic): readonly number[] => [
    severities.indexOf(severity),
    (position === undefined ? undefined : orders.get(position.file)) ?? -1,
    position?.line ?? 0,
    position?.column ?? 0,
  ];
  const ranked = diagnostics.map((item) => ({ item, rank: rank(item) }));
  const compare = (a: readonly number[], b: readonly number[]) =>
    a.map((one, index) => one - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return ranked.toSorted((a, b) => compare(a.rank, b.rank)).map(({ item }) => item);
}

/** Most further addresses that a merged diagnostic names. */
const maxAddresses = 5;

/** Makes one of the diagnostics about one place of a file: a fragment that many blocks take has a mistake once. */
export function oncePerPlace(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const places = new Map<string, { readonly item: Diagnostic; readonly others: string[] }>();
  for (const [index, item] of diagnostics.entries()) {
    const { code, message, remedy, position, address } = item;
    const isShared = position !== undefined && (address !== undefined || position.uses !== undefined);
    const place = isShared ? [position.file, position.line, position.column] : index;
    const key = JSON.stringify([place, code, message, remedy]);
    const known = places.get(key);
    if (known === undefined) places.set(key, { item, others: [] });
    else if (address !== undefined && address !== known.item.address) known.others.push(address);
  }
  return [...places.values()].map(({ item, others }) => {
    if (others.length === 0) return item;
    return { ...item, details: [...(item.details ?? []), `also in ${someOf(others, maxAddresses)}`] };
  });
}
