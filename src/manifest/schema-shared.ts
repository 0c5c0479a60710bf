import { type Schema, mapInner } from './schema-expressions.ts';

/** The size in characters from which a schema that repeats is defined once. */
const minShared = 100;

/** The same schema, with what repeats in it once below `$defs`, by the key where it stands first. */
export function shareRepeated(schema: Schema): Schema {
  const repeated = repeatedIn(schema);
  const own = schema.$defs as Readonly<Record<string, Schema>>;
  const names = new Map<string, string>();
  const taken = new Set(Object.keys(own));
  const shared: Record<string, Schema> = {};
  const share = (node: Schema, near: string): Schema => {
    const text = JSON.stringify(node);
    const within = () => mapNamed(node, near, share);
    if (!repeated.has(text)) return within();
    const known = names.get(text);
    const name = known ?? freeName(near, taken);
    if (known === undefined) {
      names.set(text, name);
      taken.add(name);
      shared[name] = within();
    }
    return { $ref: `#/$defs/${name}` };
  };
  const { $defs, ...rest } = mapNamed(schema, '', (node, key) => mapNamed(node, key, share));
  return { ...rest, $defs: { ...($defs as Schema), ...shared } };
}

/** The texts of the schemas that stand in more than one place; what stands in one of these only counts once. */
function repeatedIn(schema: Schema): ReadonlySet<string> {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  const visit = (node: Schema): Schema => {
    const text = JSON.stringify(node);
    if (!seen.has(text)) {
      seen.add(text);
      mapInner(node, visit);
    } else if (text.length >= minShared) repeated.add(text);
    return node;
  };
  // The definitions have names already.
  mapInner(schema, (node) => mapInner(node, visit));
  return repeated;
}

/** Maps the schemas that stand in one, each with the key of the property around it. */
function mapNamed(schema: Schema, near: string, map: (schema: Schema, near: string) => Schema): Schema {
  const named = (of: unknown) =>
    Object.fromEntries(Object.entries(of as Record<string, Schema>).map(([name, node]) => [name, map(node, name)]));
  return Object.fromEntries(
    Object.keys(schema).map((key) => {
      if (key === 'properties' || key === '$defs') return [key, named(schema[key])];
      return [key, mapInner({ [key]: schema[key] }, (node) => map(node, near))[key]];
    }),
  );
}

function freeName(near: string, taken: ReadonlySet<string>): string {
  const name = near.replaceAll(/[^A-Za-z0-9-]/g, '') || 'shared';
  for (let number = 2; ; number++) {
    const free = number === 2 && !taken.has(name) ? name : `${name}-${number}`;
    if (!taken.has(free)) return free;
  }
}
