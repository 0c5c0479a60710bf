import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import type { Expected, IdentifyInput } from './expected.ts';
import { positionOf, topIdOf } from './expected.ts';
import { lacksRight } from './hidden.ts';
import type { ObservedObject, Place } from './observed.ts';
import { parentIn } from './read-object.ts';
import type { Reader } from './reader.ts';

/** An address, and the object that its record or its `id:` leads to. */
interface Tied {
  readonly item: Pick<Expected, 'address' | 'kind' | 'resource'>;
  readonly object: Pick<ObservedObject, 'id' | 'row' | 'foundBy'>;
}

/** The facts that decide whether an object is inside the project. */
interface Boundary {
  readonly kinds: readonly Kind[];
  readonly reader: Reader;
  /** The project and the organization that the run acts in. */
  readonly caller: Place;
  /** Whether a list of this project or organization shows an object, or the object was proved to be inside. */
  readonly isInside: (kind: string, id: string) => boolean;
}

/**
 * The objects that the platform does not show inside this project, or at the top of this organization. Reports each: an id
 * in the state or in `id:` proves nothing, because other people can write both. Reads objects above those that no list
 * shows.
 */
export async function reportForeign(input: IdentifyInput, tied: readonly Tied[]): Promise<ReadonlySet<Tied['object']>> {
  const judged = await Promise.all(tied.map(async (one) => ({ ...one, problem: await foreignObject(input, one) })));
  const foreign = judged.filter(({ problem }) => problem !== undefined);
  input.diagnostics.push(...foreign.flatMap(({ problem }) => problem ?? []));
  return new Set(foreign.map(({ object }) => object));
}

/** The error for an object outside the project, which shows no value of it but ids; undefined for an object inside. */
async function foreignObject(boundary: Boundary, { item, object }: Tied): Promise<Diagnostic | undefined> {
  const { kind, address } = item;
  const { isOurs, places } = await climb(boundary, kind, object.id, object.row);
  if (isOurs) return undefined;
  const ours = topWith(topIdOf(kind, boundary.caller) ?? boundary.caller.projectId, kind);
  const where = places.length === 0 ? 'does not show what it is below' : `shows it below ${places.join(', ')}`;
  const message = `${address} (${object.id}) is not in ${ours}: the platform ${where}`;
  const remedy =
    object.foundBy === 'pin'
      ? 'Correct id:.'
      : 'Find out who changed the state, and restore a copy of it. If somebody moved the object there, move it back.';
  return diagnostic('foreign-object', message, { ...positionOf(item), remedy });
}

/** Reads upwards from an object to the first place that proves whose it is. Gives the places in between, by kind and id. */
async function climb(
  boundary: Boundary,
  kind: Kind,
  id: string,
  row: Row,
): Promise<{ readonly isOurs: boolean; readonly places: readonly string[] }> {
  const { kinds, reader, caller, isInside } = boundary;
  const named = parentIn(kind, row);
  if (named === undefined) {
    if (isInside(kind.kind, id)) return { isOurs: true, places: [] };
    const list = kind.parents[root] === undefined ? undefined : await reader.rows(kind, { place: caller });
    return { isOurs: list?.has(id) === true, places: [] };
  }
  if (named.above === root) {
    return { isOurs: named.id === topIdOf(kind, caller), places: [topWith(named.id, kind)] };
  }
  if (isInside(named.above, named.id)) return { isOurs: true, places: [] };
  const above = kinds.find((one) => one.kind === named.above);
  const parent = above === undefined ? undefined : await readUnlessHidden(reader, above, named.id);
  const further =
    above === undefined || parent === undefined ? undefined : await climb(boundary, above, named.id, parent);
  return { isOurs: further?.isOurs === true, places: [`${named.above} ${named.id}`, ...(further?.places ?? [])] };
}

/** The row of an object; undefined when it does not exist, or when the key may not read it. */
async function readUnlessHidden(reader: Reader, kind: Kind, id: string): Promise<Row | undefined> {
  return reader.row(kind, id).catch((error: unknown) => {
    if (lacksRight(error)) return undefined;
    throw error;
  });
}

/** Names the project or organization with an id that objects of a kind are in. Kinds with a parent are in a project. */
function topWith(id: string, { parents: { [root]: link } }: Kind): string {
  const from = link?.set[link.idAt];
  const isOfProject = link === undefined || (from !== undefined && 'context' in from && from.context === 'projectId');
  return isOfProject ? `project ${id}` : `organization ${id}`;
}
