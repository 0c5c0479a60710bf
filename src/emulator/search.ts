import { callerOf, maySee, ownRows } from './caller.ts';
import type { Context, Handler } from './context.ts';
import type { ServiceTable } from './service-tables.ts';
import { pick, textOr, type Json, type Row } from './json-rows.ts';
import { newestFirst } from './newest-first.ts';
import type { Store } from './table-store.ts';

/** How the rows of a table are searched. */
interface Searched {
  /** The rows that the caller can find. */
  readonly rows: (context: Context) => Row[];
  /** Columns of texts: `q` looks into all of them, a member of the input with the name of a column into that one. */
  readonly texts: readonly string[];
  /** The columns of an item; undefined: all. */
  readonly shown?: readonly string[];
}

/** Finds rows by their texts and places, newest first, a page at a time. */
function search({ rows, texts, shown }: Searched): Handler {
  return (context, input) => {
    const found = newestFirst(rows(context).filter((row) => matches(context.store, row, { input, texts })));
    const offset = Number(input['offset']);
    const page = found.slice(offset, offset + Number(input['limit']));
    return { items: shown === undefined ? page : page.map((row) => pick(row, shown)), total: found.length };
  };
}

/** Searches projects: those in the list of a member. */
export const searchProjects = search({ rows: projects, texts: ['name', 'description'] });

/** Searches environments: those in the list of a member, in whatever project. */
export const searchEnvironments = search({
  texts: ['name', 'description'],
  rows(context) {
    const caller = callerOf(context);
    return ownRows(context, 'project')
      .flatMap(({ projectId }) => context.store.children('environment', 'projectId', projectId))
      .filter(({ environmentId }) => maySee(caller, 'accessedEnvironments', environmentId));
  },
});

/** Searches services of one table: only those in the caller's own list, an owner's too. */
export function searchServices(table: ServiceTable): Handler {
  const isSourced = table === 'application' || table === 'compose';
  return search({
    texts: [
      'name',
      'appName',
      'description',
      ...(table === 'application' ? ['repository', 'owner', 'dockerImage'] : []),
    ],
    shown: [
      `${table}Id`,
      'name',
      'appName',
      'description',
      'environmentId',
      table === 'compose' ? 'composeStatus' : 'applicationStatus',
      ...(isSourced ? ['sourceType'] : []),
      'createdAt',
    ],
    rows(context) {
      const { store } = context;
      const { accessedServices: ids, organizationId } = callerOf(context);
      const listed = Array.isArray(ids) ? ids.map((id) => store.find(table, id)) : [];
      return listed
        .filter((row) => row !== undefined)
        .filter((row) => projectOf(store, row)?.['organizationId'] === organizationId);
    },
  });
}

/** The projects of the organization that the caller sees. */
export function projects(context: Context): Row[] {
  const caller = callerOf(context);
  return ownRows(context, 'project').filter(({ projectId }) => maySee(caller, 'accessedProjects', projectId));
}

/** The project of a service or environment, or the row itself if it is a project. */
function projectOf(store: Store, row: Row): Row | undefined {
  return store.find('project', row['projectId'] ?? store.find('environment', row['environmentId'])?.['projectId']);
}

function matches(
  store: Store,
  row: Row,
  { input, texts }: { readonly input: Row; readonly texts: readonly string[] },
): boolean {
  const holds = (column: string, member: string): boolean => {
    const wanted = textOr(input, member).trim();
    return wanted === '' || isLike(row[column], `%${wanted}%`);
  };
  return (
    texts.every((column) => holds(column, column)) &&
    texts.some((column) => holds(column, 'q')) &&
    ['environmentId', 'projectId'].every((member) => {
      const place = member === 'projectId' ? projectOf(store, row) : row;
      return textOr(input, member) === '' || place?.[member] === input[member];
    })
  );
}

/** `ilike` of PostgreSQL: `%` stands for any text and `_` for any letter, unless a backslash is before them. */
function isLike(value: Json | undefined, pattern: string): boolean {
  if (typeof value !== 'string') return false;
  const source = pattern.replaceAll(/\\?[^]/g, (part) => {
    if (part === '%') return '.*';
    return part === '_' ? '.' : part.slice(-1).replace(/[^\w\s]/, String.raw`\$&`);
  });
  return new RegExp(`^${source}$`, 'is').test(value);
}
