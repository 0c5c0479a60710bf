import type { ReadClient } from '../api/client.ts';
import { lacksRight } from '../api/platform-error.ts';
import { isUnlicensed } from '../api/failures.ts';
import { rightTo } from '../api/needed-rights.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../formats/json.ts';
import { type Kind, root } from '../kind/kind.ts';
import { kindsThere } from '../kind/kinds-on.ts';
import type { ParentLink } from '../kind/parent.ts';
import { valueAt } from '../kind/row-values.ts';
import { rowsIn } from '../observe/checked-answers.ts';
import { topIdOf } from '../observe/expected.ts';
import type { Place } from '../observe/observed.ts';
import { readTop } from '../observe/project-id.ts';
import { type NamedProject, type Reader, createReader } from '../observe/reader.ts';
import { learnPlatform } from '../workflow/learn-platform.ts';

/** One object of the platform with its whole row, which holds secrets in clear: it never prints. */
export interface Surveyed {
  readonly kind: Kind;
  readonly id: string;
  readonly row: Row;
  readonly link: ParentLink;
  readonly parent: Surveyed | undefined;
  /** The platform made it by itself. */
  readonly isProvided: boolean;
  readonly children: Surveyed[];
}

/** What a survey reads with, and the projects to choose from. */
interface Surroundings {
  readonly reader: Reader;
  readonly kinds: readonly Kind[];
  /** By their names; undefined where none are listed, or were not asked for. */
  readonly projects: readonly NamedProject[] | undefined;
  /** What may keep something from the survey. */
  readonly warnings: readonly Diagnostic[];
}

/** Everything that a project has, and the notes on what the key cannot read. */
export interface Survey {
  readonly place: Place;
  /** The objects at the top; all others stand below them. */
  readonly tops: readonly Surveyed[];
  readonly notes: readonly Diagnostic[];
}

/** Reads what there is to survey, with GETs only. What was read here is not read again. @throws {PlatformError} when a read fails. */
export async function lookAround(
  client: ReadClient,
  {
    kinds: all,
    discovers,
    lists,
  }: { readonly kinds: readonly Kind[]; readonly discovers: boolean; /** The projects too. */ readonly lists: boolean },
): Promise<Surroundings> {
  const { diagnostics: warnings } = await learnPlatform(undefined, { client, discovers });
  const kinds = kindsThere(all, client.contract);
  const reader = createReader(client);
  const caller = await reader.caller();
  const kind = kinds.find(({ parents }) => parents[root]?.projects !== undefined);
  const listed = !lists || kind === undefined ? undefined : await reader.projects(kind);
  const projects = listed?.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { reader: { ...reader, caller: () => Promise.resolve(caller) }, kinds, projects, warnings };
}

/**
 * Reads every object of a project and of its organization, with GETs only: the lists at the top, one read per service,
 * environment and git provider, and the lists that a service does not hold itself.
 *
 * @throws {Stop} `platform`, when the project lists no environment. @throws {PlatformError} when a read fails.
 */
export async function survey(reader: Reader, kinds: readonly Kind[], project: string): Promise<Survey> {
  const { organizationId, userId } = await reader.caller();
  const place = { projectId: project, organizationId: String(organizationId), userId: String(userId) };
  const notes: Diagnostic[] = [];
  const reading: Reading = { reader, kinds, place, notes };
  const tops = await Promise.all(
    kinds.map(async (kind) => {
      const link = kind.parents[root];
      return link === undefined ? [] : unlessHidden(reading, kind.section, () => surveyTop(reading, kind, link));
    }),
  );
  // Answers come in any order.
  return { place, tops: tops.flat(), notes: notes.toSorted((a, b) => (a.message < b.message ? -1 : 1)) };
}

/** The objects that some work reads; none, and a note, where the API key has no right to them. */
async function unlessHidden(
  { notes }: Reading,
  what: string,
  work: () => Promise<readonly Surveyed[]>,
): Promise<readonly Surveyed[]> {
  try {
    return await work();
  } catch (error) {
    if (!lacksRight(error)) throw error;
    // What needs a license is not there without one.
    if (isUnlicensed(error.status, error.serverMessage)) return [];
    const right = rightTo(error.operation);
    const needs = right === undefined ? '' : `; a member needs ${right}`;
    notes.push(diagnostic('not-exported', `${what}: the API key may not read it${needs}`));
    return [];
  }
}

/** An object and all below it, parents first. */
export function* withChildren(object: Surveyed): Generator<Surveyed> {
  yield object;
  for (const child of object.children) yield* withChildren(child);
}

interface Reading {
  readonly reader: Reader;
  readonly kinds: readonly Kind[];
  readonly place: Place;
  readonly notes: Diagnostic[];
}

async function surveyTop(reading: Reading, kind: Kind, link: ParentLink): Promise<readonly Surveyed[]> {
  const { reader, place } = reading;
  const listed = await readTop(reader, kind, { named: place.projectId });
  const own = topIdOf(kind, { ...place, projectId: listed.projectId });
  const rows = [...(listed.rows ?? new Map<string, Row>())].filter(([, row]) => {
    const above = valueAt(row, link.idAt);
    return typeof above !== 'string' || above === own;
  });
  return surveyAll(reading, rows, { kind, link, parent: undefined });
}

/** Reads listed objects, without those that the key may see in the list only, and those that were deleted since. */
async function surveyAll(
  reading: Reading,
  rows: Iterable<readonly [id: string, row: Row]>,
  about: Pick<Surveyed, 'kind' | 'link' | 'parent'>,
): Promise<readonly Surveyed[]> {
  const read = await Promise.all(
    [...rows].map(([id, listed]) =>
      unlessHidden(reading, `${about.kind.kind} ${id}`, async () => {
        const object = await surveyObject(reading, { ...about, id, listed });
        return object === undefined ? [] : [object];
      }),
    ),
  );
  return read.flat();
}

async function surveyObject(
  reading: Reading,
  about: Pick<Surveyed, 'kind' | 'link' | 'id' | 'parent'> & { readonly listed: Row },
): Promise<Surveyed | undefined> {
  const { kind, link, id, parent, listed } = about;
  const isPart = link.rows === 'summary' || (link.rows !== 'whole' && link.rows.without.length > 0);
  const rest = isPart ? await reading.reader.row(kind, id) : {};
  if (rest === undefined) {
    const message = `${kind.kind} ${id}: the platform listed it, and answered then that there is no such object`;
    reading.notes.push(diagnostic('not-exported', message));
    return undefined;
  }
  const row = { ...listed, ...rest };
  const isProvided = kind.lifecycle?.provided?.is(row, parent?.row ?? {}) === true;
  const object: Surveyed = { kind, link, id, parent, isProvided, children: [], row: {} };
  // Neither JSON nor an inspection shows the row.
  Object.defineProperty(object, 'row', { value: row, enumerable: false });
  const below = await Promise.all(reading.kinds.map((child) => surveyBelow(reading, object, child)));
  object.children.push(...below.flat());
  return object;
}

async function surveyBelow(reading: Reading, parent: Surveyed, kind: Kind): Promise<readonly Surveyed[]> {
  const link = kind.parents[parent.kind.kind];
  if (link === undefined) return [];
  const list = async () =>
    ('at' in link.listed
      ? rowsIn(kind, parent.kind, parent.row)
      : await reading.reader.rows(kind, { place: reading.place, parent })) ?? [];
  const about = { kind, link, parent };
  const what = `${kind.section} of ${parent.kind.kind} ${parent.id}`;
  const all = await unlessHidden(reading, what, async () => surveyAll(reading, await list(), about));
  return all.filter(({ isProvided }) => !isProvided || kind.lifecycle?.provided?.allows !== 'nothing');
}

/** How many objects of each section there are, in the order of the kinds. */
export function countKinds({ tops }: Survey): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const ofProject = ({ kind }: (typeof tops)[number]) => kind.identity.addressedByKey === true;
  for (const top of tops.toSorted((a, b) => Number(ofProject(b)) - Number(ofProject(a)))) {
    for (const { kind } of withChildren(top)) counts.set(kind.section, (counts.get(kind.section) ?? 0) + 1);
  }
  return counts;
}
