import type { Json } from './json.ts';

/** A YAML value with its place, in the form that the caller gives to places. */
export type YamlNode<P> = YamlScalar<P> | YamlList<P> | YamlMap<P>;

interface Noted<P> {
  /** It has the tag `!reset`. */
  readonly isReset?: true;
  /** The value as it stands in the file, where the id of a preview was written into it. */
  readonly written?: YamlNode<P>;
}

export interface YamlScalar<P> extends Noted<P> {
  readonly is: 'scalar';
  readonly value: string | number | boolean | null;
  /** The value as it was written, without quotes: `0755`, `1e3`, `yes`. */
  readonly source: string;
  readonly at: P;
  /** The parts of its text that a parameter with the name of a secret gave, in their order. */
  readonly secretParts?: readonly SecretPart[] | undefined;
}

interface SecretPart {
  /** The name of the parameter. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

interface YamlList<P> extends Noted<P> {
  readonly is: 'list';
  readonly items: readonly YamlNode<P>[];
  readonly at: P;
}

export interface YamlMap<P> extends Noted<P> {
  /** The keys that a `!reset` took out, each with its place. */
  readonly resets?: ReadonlyMap<string, P> | undefined;
  readonly is: 'map';
  readonly entries: ReadonlyMap<string, YamlEntry<P>>;
  readonly at: P;
}

export interface YamlEntry<P> {
  readonly keyAt: P;
  readonly node: YamlNode<P>;
}

/** A value as plain JSON. With `known`, what an anchor and its aliases stand for is the same object. */
export function toJson<P>(node: YamlNode<P>, known?: Map<YamlNode<P>, Json>): Json {
  if (node.is === 'scalar') return node.value;
  const found = known?.get(node);
  if (found !== undefined) return found;
  const json: Json =
    node.is === 'list'
      ? node.items.map((item) => toJson(item, known))
      : Object.fromEntries(Array.from(node.entries, ([key, entry]) => [key, toJson(entry.node, known)]));
  known?.set(node, json);
  return json;
}
