import type { ServedOperation } from './contract.ts';

/** The members of an input by their names on the wire; what stands inside of a member is the user's. Never throws. */
export function onWire(
  { memberNames }: Pick<ServedOperation, 'memberNames'>,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (memberNames === undefined) return input;
  const names = new Map(Object.entries(memberNames));
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** An answer with its members by their names in Trueup, wherever they stand. Never throws. */
export function inTrueup({ memberNames }: Pick<ServedOperation, 'memberNames'>, answer: unknown): unknown {
  if (memberNames === undefined) return answer;
  const names = new Map(Object.entries(memberNames).map(([ours, theirs]) => [theirs, ours]));
  const translate = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(translate);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [names.get(name) ?? name, translate(inner)]),
    );
  };
  return translate(answer);
}
