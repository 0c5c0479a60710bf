import { keptIn } from '../api/once.ts';
import { lacksRight } from '../api/platform-error.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../formats/json.ts';
import { type Kind, root } from '../kind/kind.ts';
import { idsBelow } from '../kind/row-values.ts';
import { type Expected, type IdentifyInput, positionOf, topIdOf } from './expected.ts';
import type { ObservedObject, Place } from './observed.ts';
import { parentIn } from './read-object.ts';
import { idOfProject } from './project-id.ts';
import type { Reader } from './reader.ts';

/** The source of an id: the state, `id:` in a block, or `--id` on the command line. */
export type IdSource = 'id' | 'pin' | 'option';

/** The object that a record, an `id:` or `--id` leads to. */
interface NamedObject extends Pick<Expected, 'address' | 'kind'>, Partial<Pick<Expected, 'resource'>> {
  readonly id: string;
  readonly foundBy: ObservedObject['foundBy'] | IdSource;
  /** Its row, where it was read already. */
  readonly row?: Row | undefined;
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
export async function reportForeign(
  input: IdentifyInput,
  tied: readonly { readonly item: Expected; readonly object: ObservedObject }[],
): Promise<ReadonlySet<ObservedObject>> {
  // Almost all: to wait for each takes longer than to look.
  const open = tied.filter(({ item: { kind }, object }) => !isShownInside(input, kind, object));
  const judged = open.map(async ({ item, object }) => {
    const problem = await foreignObject(input, { ...item, ...object, row: object.row });
    return problem === undefined ? [] : [{ problem, object }];
  });
  const foreign = (await Promise.all(judged)).flat();
  input.diagnostics.push(...foreign.map(({ problem }) => problem));
  return new Set(foreign.map(({ object }) => object));
}

/** Whether the lists that were read show an object inside, or what it is below. */
function isShownInside(
  { isInside }: Boundary,
  kind: Kind,
  { id, row }: { readonly id: string; readonly row: Row },
): boolean {
  const named = parentIn(kind, row);
  return named === undefined ? isInside(kind.kind, id) : named.above !== root && isInside(named.above, named.id);
}

/** A project as its own lists show it. Reads each list once, when it is needed for the first time. */
export interface ProjectLists {
  /** The rows of a kind at the top of the project; undefined when the key may not read the list. */
  readonly rows: (kind: Kind) => Promise<ReadonlyMap<string, Row> | undefined>;
  /**
   * The errors for objects that the platform does not show inside the project, for commands that make no plan. An object
   * that does not exist has none. Reads only objects that neither a list shows nor the caller read.
   */
  readonly foreignAmong: (objects: readonly NamedObject[]) => Promise<readonly Diagnostic[]>;
}

/** Makes the lists of a project, which is known by its id or, where no state knows that, by its name. Sends nothing yet. */
export function projectLists(about: Pick<Boundary, 'kinds' | 'reader'> & { readonly projectId: string }): ProjectLists {
  const { kinds, reader } = about;
  let { projectId } = about;
  const known = new Map<string, ReturnType<ProjectLists['rows']>>();
  const listed = async (kind: Kind): ReturnType<ProjectLists['rows']> => {
    const read = (id: string) => unlessHidden(reader.rows(kind, { place: { projectId: id } }));
    const found = await read(projectId);
    if (found !== undefined && found.size > 0) return found;
    const projects = await reader.projects(kind);
    const id = projects === undefined ? undefined : idOfProject(projects, projectId, undefined);
    if (id === undefined || id === projectId) return found;
    projectId = id;
    return read(id);
  };
  const rows: ProjectLists['rows'] = (kind) => keptIn(known, kind.kind, () => listed(kind));
  const foreignAmong: ProjectLists['foreignAmong'] = async (objects) => {
    const inProject = objects.filter(({ kind }) => isOfProject(kind));
    const tops = inProject.length === 0 ? [] : kinds.filter((kind) => kind.parents[root] && isOfProject(kind));
    const inside = new Set((await Promise.all(tops.map(async (top) => idsIn(kinds, top, await rows(top))))).flat());
    const isInside = (kind: string, id: string) => inside.has(`${kind} ${id}`);
    const open = objects.filter(({ kind, id }) => !isInside(kind.kind, id));
    const who = inProject.length === objects.length ? {} : await reader.caller();
    const organizationId = String(who['organizationId'] ?? '');
    const caller = { projectId, organizationId, userId: String(who['userId'] ?? '') };
    const problems = await Promise.all(
      open.map(async (object) => {
        const row = object.row ?? (await reader.row(object.kind, object.id));
        return row && foreignObject({ kinds, reader, caller, isInside }, { ...object, row });
      }),
    );
    return problems.filter((problem) => problem !== undefined);
  };
  return { rows, foreignAmong };
}

/** The objects that a list at the top shows, and those inside its rows, each as its kind and its id. */
function idsIn(kinds: readonly Kind[], top: Kind, rows: ReadonlyMap<string, Row> | undefined): string[] {
  return [...(rows ?? [])].flatMap(([id, row]) => [
    `${top.kind} ${id}`,
    ...kinds.flatMap((kind) => idsBelow(top, row, kind).map((below) => `${kind.kind} ${below}`)),
  ]);
}

/** The error for an object outside the project, which shows no value of it but ids; undefined for an object inside. */
async function foreignObject(
  boundary: Boundary,
  { address, kind, resource, id, foundBy, row }: NamedObject & { readonly row: Row },
): Promise<Diagnostic | undefined> {
  const { isOurs, places } = await climb(boundary, kind, id, row);
  if (isOurs) return undefined;
  const ours = topWith(topIdOf(kind, boundary.caller) ?? boundary.caller.projectId, kind);
  const where = places.length === 0 ? 'does not show what it is below' : `shows it below ${places.join(', ')}`;
  const message = `${address} (${id}) is not in ${ours}: the platform ${where}`;
  const remedy =
    foundBy === 'pin'
      ? 'Correct id:.'
      : foundBy === 'option'
        ? 'Correct --id.'
        : 'Find out who changed the state, and restore a copy of it. If a person moved the object there, move it back.';
  return diagnostic('foreign-object', message, { ...positionOf({ address, resource }), remedy });
}

/** Reads upwards from an object to the first place that proves whose it is. Gives the places in between, by kind and id. */
async function climb(
  boundary: Boundary,
  kind: Kind,
  id: string,
  row: Row,
): Promise<{ readonly isOurs: boolean; readonly places: readonly string[] }> {
  const { kinds, reader, caller } = boundary;
  if (isShownInside(boundary, kind, { id, row })) return { isOurs: true, places: [] };
  const named = parentIn(kind, row);
  if (named === undefined) {
    const list = kind.parents[root] === undefined ? undefined : await reader.rows(kind, { place: caller });
    return { isOurs: list?.has(id) === true, places: [] };
  }
  if (named.above === root) {
    return { isOurs: named.id === topIdOf(kind, caller), places: [topWith(named.id, kind)] };
  }
  const above = kinds.find((one) => one.kind === named.above);
  if (above?.isTop === true) return { isOurs: false, places: [`${named.above} ${named.id}`] };
  const parent = above === undefined ? undefined : await unlessHidden(reader.row(above, named.id));
  const further =
    above === undefined || parent === undefined ? undefined : await climb(boundary, above, named.id, parent);
  return { isOurs: further?.isOurs === true, places: [`${named.above} ${named.id}`, ...(further?.places ?? [])] };
}

/** The result of a read; undefined when the key may not make it. */
async function unlessHidden<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (lacksRight(error)) return undefined;
    throw error;
  }
}

/** Names the project or organization with an id that objects of a kind are in. */
function topWith(id: string, kind: Kind): string {
  return isOfProject(kind) ? `project ${id}` : `organization ${id}`;
}

/** Whether objects of a kind are in a project; others stand at the top of an organization. */
export function isOfProject({ parents: { [root]: link } }: Kind): boolean {
  const from = link?.set[link.idAt];
  return link === undefined || (from !== undefined && 'context' in from && from.context === 'projectId');
}
