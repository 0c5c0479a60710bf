import { PlatformError } from '../api/platform-error.ts';
import { type Diagnostic, type Position, diagnostic, stop } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import type { Row } from '../formats/json.ts';
import { type Kind, root } from '../kind/kind.ts';
import { isBoundTo } from '../state/bound.ts';
import type { State } from '../state/state.ts';
import type { NamedProject, Reader } from './reader.ts';

/** A list at the top of a project, and the id of that project. */
export interface TopList {
  readonly kind: Kind;
  readonly rows: ReadonlyMap<string, Row> | undefined;
  readonly projectId: string;
}

/**
 * Reads the list of a kind at the top of the project that a manifest names by its id or its name. An id needs no further
 * request: only when the platform has nothing under it, and a list of projects, is it taken for a name.
 *
 * @throws {Stop} `platform`, when nothing has the name, or several projects do. @throws {PlatformError} when a read fails.
 */
export async function readTop(
  reader: Reader,
  kind: Kind,
  { named, at }: { readonly named: string; readonly at?: Position | undefined },
): Promise<TopList> {
  const rowsOf = async (projectId: string): Promise<TopList> => ({
    kind,
    rows: await reader.rows(kind, { place: { projectId } }),
    projectId,
  });
  const listed = kind.parents[root]?.listed;
  const whenEmpty = listed !== undefined && 'call' in listed ? listed.whenEmpty : undefined;
  const first = await rowsOf(named).catch((error: unknown) => {
    if (whenEmpty === undefined || !isRefusal(error)) throw error;
    return error;
  });
  if (whenEmpty === undefined && 'rows' in first) return first;
  if ('rows' in first && first.rows?.size !== 0) return first;
  const projects = await reader.projects(kind);
  const id = projects === undefined ? undefined : idOfProject(projects, named, at);
  const found = id === undefined || id === named ? first : await rowsOf(id);
  const isAbsent = projects !== undefined && id === undefined;
  if (!('rows' in found) && !isAbsent) throw found;
  if ('rows' in found && found.rows?.size !== 0) return found;
  // Every project has something in that list.
  const message =
    projects === undefined || isAbsent
      ? `there is no project ${named}, or the API key may not see it`
      : `project ${named} lists no ${kind.section}: ${whenEmpty}`;
  const remedy = remedyWith(projects, at !== undefined);
  throw stop('platform', 'platform-answer', message, { remedy, position: at });
}

/**
 * The id of the project with this id or, where there is none, with this name; undefined when no project has either.
 *
 * @throws {Stop} `refused`, when several projects have the name.
 */
export function idOfProject(
  projects: readonly NamedProject[],
  named: string,
  at: Position | undefined,
): string | undefined {
  if (projects.some(({ id }) => id === named)) return named;
  const [only, ...others] = projects.filter(({ name }) => name === named);
  if (only === undefined || others.length === 0) return only?.id;
  const ids = [only, ...others].map(({ id }) => id).join(', ');
  const message = `${others.length + 1} projects are called ${named}: ${ids}`;
  const remedy = 'Write project: with the id of the one that is meant.';
  throw stop('refused', 'ambiguous', message, { remedy, position: at });
}

/**
 * Warns where a manifest names its project otherwise than the platform does: the state knows which one it is, and a run without
 * that state would look for the other name.
 */
export function otherName(
  { named, at }: { readonly named: string; readonly at?: Position | undefined },
  { projectId: id, projectName: name }: { readonly projectId: string; readonly projectName?: string | undefined },
): Diagnostic[] {
  if (name === undefined || [id, name].includes(named)) return [];
  const message = `the project of this state (${id}) is called ${name} on the platform, and project: says ${named}`;
  const remedy = `Write project: ${name}, or its id: a run without this state looks for a project called ${named}.`;
  return [diagnostic('project-renamed', message, { remedy, position: at })];
}

/** An answer that says that there is no such project, or none for this key. */
function isRefusal(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError) || error.isKeyRefused) return false;
  return ['not found', 'forbidden', 'authentication', 'invalid'].includes(error.failure);
}

/** The remedy for a project that is not there: the projects that are, or where its id stands. `isWritten`: in a manifest. */
function remedyWith(projects: readonly NamedProject[] | undefined, isWritten: boolean): string {
  if (projects === undefined) {
    return `${isWritten ? 'Write project: with' : 'Give'} the id of a project that the API key may see; this platform has no list of projects to find a name in. The id is in the address of its page on the platform; more ways: docs/bring-your-server.md.`;
  }
  if (projects.length === 0) return 'The API key may see no project: give its owner access to one, or use another key.';
  const named = projects.map(({ id, name }) => `${name} (${id})`);
  const names = someOf(named, 20);
  return isWritten
    ? `Write project: with the name or id of a project that the API key may see: ${names}.`
    : `The API key may see these: ${names}.`;
}

/**
 * The project that a run reads: the one of its state, where the manifest means that; else what the manifest says, which is
 * looked for in the list of projects when a state belongs to another one.
 *
 * @throws {Stop} `refused`, when several projects have the name.
 */
export async function projectToRead(
  saved: State | undefined,
  { named, at }: { readonly named: string; readonly at?: Position | undefined },
  { reader, kinds }: { readonly reader: Reader; readonly kinds: readonly Kind[] },
): Promise<string> {
  if (saved === undefined) return named;
  if (isBoundTo(saved, named)) return saved.projectId;
  const kind = kinds.find(({ parents: { [root]: link } }) => link?.projects !== undefined);
  const projects = kind === undefined ? undefined : await reader.projects(kind);
  return (projects === undefined ? undefined : idOfProject(projects, named, at)) ?? named;
}
