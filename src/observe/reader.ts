import type { ReadClient } from '../api/client.ts';
import type { ReadOperation } from '../api/contract.ts';
import { lacksRight, PlatformError, unlessOfThePlatform } from '../api/platform-error.ts';
import { Stop } from '../diagnostics/diagnostic.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { Row } from '../formats/json.ts';
import { type Kind, root } from '../kind/kind.ts';
import type { ContainerList } from '../kind/service.ts';
import { idMember, takes } from '../kind/row-values.ts';
import { asCaller, asRow, asRowOf, asRows, rowsIn } from './checked-answers.ts';
import { type Unit, containersIn, tasksIn } from './containers.ts';
import { type Place, fromContext } from './observed.ts';

/**
 * Reads rows and lists of the platform; plan, apply, status and output read through it and through nothing else.
 * Every method rejects with a PlatformError when the platform does not answer, and with a Stop when its answer is no
 * list, or not the row of the object that was asked for: neither proves that something is gone.
 */
export interface Reader {
  /** Who acts, and where: the answer to user.get. */
  caller(): Promise<Row>;
  /** The whole row of an object; undefined when the platform answers that it has none, which `failsWith` does not prove. */
  row(kind: Kind, id: string): Promise<Row | undefined>;
  /** The rows of a kind in one list, by id: that of a parent, or the one at the top. Undefined: the parent is not there. */
  rows(kind: Kind, list: ListOf): Promise<ReadonlyMap<string, Row> | undefined>;
  /** The projects that the key may see, in the list that a kind names for them; undefined: the platform has no such list. */
  projects(kind: Kind): Promise<readonly NamedProject[] | undefined>;
  /**
   * The end of the log of an object, without secrets; empty where the platform has none. One error of the platform is the
   * answer; `once`: it is sent once, and such an error counts as an empty log, because what it explains matters more.
   */
  log(kind: Kind, id: string, options: Readonly<Record<string, unknown>>, how?: 'once'): Promise<string>;
  /** The end of the log of a deployment in the same way. */
  deploymentLog(kind: Kind, input: DeploymentLog, how?: 'once'): Promise<string>;
  /** Why a deployment of an object fails, in the words of the platform; empty where it does not say. Asks once. */
  reason(kind: Kind, id: string): Promise<string>;
  /** The containers or tasks of a service, in one read that is sent once; those in no known form are left out. */
  units(list: ContainerList): Promise<readonly Unit[]>;
  /** The end of the log of one container of an object, as `log` gives it; empty where the platform has none. */
  containerLog(kind: Kind, id: string, options: Readonly<Record<string, unknown>>): Promise<string>;
  /** Replaces the secrets of the run in a text of the platform, before it becomes part of a sentence. */
  readonly redact: (text: string) => string;
  /** The same reader, with a request for each read: nothing counts as absent because of a bulk read alone. */
  readonly alone: Reader;
}

/** A deployment, and the number of lines from the end of its log. */
interface DeploymentLog {
  readonly deploymentId: string;
  readonly tail?: number | undefined;
}

/** A project as the list of projects shows it. */
export interface NamedProject {
  readonly id: string;
  readonly name: string;
  /** How many services it has, as far as the key may see them. */
  readonly services: number;
}

/** Names one list of the platform. */
interface ListOf {
  /** Who asks, and where: what a list at the top is asked with. */
  readonly place: Partial<Place>;
  /** The object whose list it is; undefined for the list at the top. */
  readonly parent?: { readonly kind: Kind; readonly id: string } | undefined;
}

/** Makes a reader; `in bulk`: rows and lists that are asked for at the same time are read together, where that is possible. Never throws. */
export function createReader(client: ReadClient, how?: 'in bulk'): Reader {
  const inBulk = how === 'in bulk';
  const row: Reader['row'] = async (kind, id) => {
    const { read: one, readMore } = kind.operations;
    try {
      const inList = { parse: (answer: unknown) => asRows(answer, one, kind) };
      if (!takes(one, idMember(kind, one))) return (await read({ client, inBulk }, one, {}, inList)).get(id);
      const shown = asRowOf(await client.invoke(one, { [idMember(kind, one)]: id }, { inBulk }), one, kind, id);
      if (readMore === undefined) return shown;
      const rows = await read({ client, inBulk }, readMore, {}, { parse: (answer) => asRows(answer, readMore, kind) });
      return { ...rows.get(id), ...shown };
    } catch (error) {
      if (error instanceof PlatformError && saysAbsent(kind, error)) return undefined;
      throw error;
    }
  };
  return {
    caller: () => read({ client, inBulk }, 'user.get', {}, { parse: asCaller }),
    row,
    redact: client.redact,
    get alone() {
      return createReader(client);
    },
    rows: async (kind, { place, parent }) => {
      const listed = kind.parents[parent?.kind.kind ?? root]?.listed;
      if (listed === undefined) return new Map();
      if ('call' in listed) {
        const { call, within } = listed;
        const listIn = (answer: unknown) => (within === undefined ? answer : asRow(answer, call)[within]);
        return read({ client, inBulk }, call, inputOf(listed, place, parent?.id), {
          parse: (answer) => asRows(listIn(answer), call, kind, { parentId: parent?.id }),
          fits: (rows) => !areOfAnother(kind, parent, rows),
        }).catch((error: unknown) => {
          // Some lists begin with a look for the parent.
          if (parent !== undefined && error instanceof PlatformError && error.failure === 'not found') return undefined;
          throw error;
        });
      }
      const above = parent === undefined ? undefined : await row(parent.kind, parent.id);
      return above === undefined || parent === undefined ? undefined : rowsIn(kind, parent.kind, above);
    },
    projects: (kind) => projectsOf(client, kind),
    log: (kind, id, options, how) => {
      const logs = kind.service?.logs;
      return logs === undefined
        ? Promise.resolve('')
        : readText(client, logs, { ...options, [idMember(kind, logs)]: id }, how);
    },
    deploymentLog: (kind, input, how) => {
      const log = kind.service?.deploymentLog;
      return log === undefined ? Promise.resolve('') : readText(client, log, { ...input }, how);
    },
    units: async ({ call, members, of }) => {
      const answer = await client.invoke(call, members, { inBulk, isDiagnostic: true });
      return of === 'containers' ? containersIn(answer) : tasksIn(answer);
    },
    containerLog: (kind, id, options) => {
      const { containerLog } = kind.service ?? {};
      if (containerLog === undefined) return Promise.resolve('');
      return readText(client, containerLog, { ...options, [idMember(kind, containerLog)]: id }, 'once');
    },
    reason: (kind, id) => reasonOf(client, kind, id),
  };
}

/** A read without an id to compare. A batch may have two answers in each other's places: what does not fit is read alone. */
async function read<T>(
  { client, inBulk }: { readonly client: ReadClient; readonly inBulk: boolean },
  call: ReadOperation,
  members: Readonly<Record<string, unknown>>,
  { parse, fits = () => true }: { readonly parse: (answer: unknown) => T; readonly fits?: (parsed: T) => boolean },
): Promise<T> {
  const alone = async () => parse(await client.invoke(call, members));
  if (!inBulk) return alone();
  const answer = await client.invoke(call, members, { inBulk });
  try {
    const parsed = parse(answer);
    return fits(parsed) ? parsed : await alone();
  } catch (error) {
    if (error instanceof Stop) return alone();
    throw error;
  }
}

/** A text of the platform, redacted as a whole: a secret may have several lines. */
async function readText(
  client: ReadClient,
  operation: ReadOperation,
  input: Readonly<Record<string, unknown>>,
  how: 'once' | undefined,
): Promise<string> {
  const asked = client.invoke(operation, input, { maxErrors: 1, isDiagnostic: how === 'once' });
  const answer = await (how === undefined ? asked : asked.catch(unlessOfThePlatform));
  return typeof answer === 'string' ? client.redact(answer) : '';
}

async function reasonOf(client: ReadClient, kind: Kind, id: string): Promise<string> {
  const explains = kind.service?.explains;
  if (explains === undefined) return '';
  try {
    await client.invoke(explains, { [idMember(kind, explains)]: id }, { isDiagnostic: true });
    return '';
  } catch (error) {
    if (error instanceof PlatformError) return error.code === undefined ? '' : error.serverMessage;
    throw error;
  }
}

async function projectsOf(client: ReadClient, kind: Kind): Promise<readonly NamedProject[] | undefined> {
  const { projects } = kind.parents[root] ?? {};
  if (projects === undefined) return undefined;
  const listed = await client.invoke(projects.call, {}).catch((error: unknown) => {
    if (error instanceof PlatformError && isUnserved(error)) return undefined;
    throw error;
  });
  if (listed === undefined) return undefined;
  const rows = Array.isArray(listed) ? (listed as readonly unknown[]).map((one) => asRow(one, projects.call)) : [];
  return rows.map((row) => ({
    id: String(row[projects.id]),
    name: client.redact(String(row[projects.name])),
    services: projects.services(row),
  }));
}

/** Whether a platform has no such operation, or none for this key. */
export function isUnserved(error: PlatformError): boolean {
  if (error.status === undefined) return error.failure === 'invalid';
  return (error.failure === 'unreadable' && error.status === 404) || lacksRight(error);
}

/** Whether the error of a read says that there is no such object, or may say so. */
function saysAbsent({ operations: { failsWith } }: Kind, { failure, serverMessage }: PlatformError): boolean {
  return failure === 'not found' || (failure === 'invalid' && serverMessage !== '' && serverMessage === failsWith);
}

/** Whether rows say that they are below another object than the one that they were asked for. */
function areOfAnother(kind: Kind, parent: ListOf['parent'], rows: ReadonlyMap<string, Row>): boolean {
  const idAt = kind.parents[parent?.kind.kind ?? root]?.idAt ?? '';
  return parent !== undefined && [...rows.values()].some((row) => (row[idAt] ?? parent.id) !== parent.id);
}

/** The members that a list is asked with. */
function inputOf(
  { with: members = {} }: Extract<ParentLink['listed'], { call: unknown }>,
  place: Partial<Place>,
  parentId: string | undefined,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, from]) => {
      const value = 'value' in from ? from.value : (fromContext(from, place) ?? parentId);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
