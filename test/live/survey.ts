import { createHash } from 'node:crypto';
import { isMarked } from './mark.ts';
import { objectIds, services, topLists } from './places.ts';
import type { Direct, Row } from './platform.ts';
import { Refused, rowsIn, textIn } from './platform.ts';

/** An object of the platform: digests of its members, and no value. */
interface Surveyed {
  readonly title: string;
  readonly members: ReadonlyMap<string, string>;
}

/** Everything that the key can see and that is not of a run of these tests. */
export interface Survey {
  /** By operation and id. */
  readonly objects: ReadonlyMap<string, Surveyed>;
  /** Every id in it, of parts of objects too. */
  readonly ids: ReadonlySet<string>;
  /** Lists that the platform lacks, or the key has no right to. */
  readonly unseen: readonly string[];
}

/** What changes while nobody changes anything: statuses, deployments, counters, tokens that are renewed, other objects. */
const restless = new Set([
  'applicationStatus',
  'composeStatus',
  'serverStatus',
  'status',
  'deployments',
  'previewDeployments',
  'environments',
  'environment',
  'project',
  'accessToken',
  'refreshToken',
  'expiresAt',
  'lastAuthenticatedAt',
  'updatedAt',
  'lastRequest',
  'requestCount',
  'remaining',
  'accessedServices',
  'accessedProjects',
  'accessedEnvironments',
  'totalSum',
  'user',
]);

/** Reads everything that the key can see. `projectId`: the one project that is looked at where the platform has no list. */
export async function survey(platform: Direct, projectId: string | undefined): Promise<Survey> {
  const objects = new Map<string, Surveyed>();
  const ids = new Set<string>();
  const unseen: string[] = [];
  const read = async (operation: string, input: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    try {
      return await platform.get(operation, input);
    } catch (error) {
      if (error instanceof Refused && error.isRight) return undefined;
      throw error;
    }
  };
  const add = (operation: string, id: string, row: Row, name: string) => {
    objects.set(`${operation} ${id}`, {
      title: `${operation.split('.')[0] ?? ''} ${name} (${id})`,
      members: digests(row),
    });
    collectIds(row, ids);
  };
  for (const { list, id, name } of topLists) {
    const rows = await read(list);
    if (rows === undefined) unseen.push(list);
    for (const row of rowsIn(rows))
      if (!isMarked(textIn(row, name))) add(list, textIn(row, id), row, textIn(row, name));
  }
  const projects = await read('project.all');
  if (projects === undefined) unseen.push('project.all');
  const known = rowsIn(projects).filter((row) => !isMarked(textIn(row, 'name')));
  const all = known.map((row) => textIn(row, 'projectId'));
  if (projects === undefined && projectId !== undefined) all.push(projectId);
  for (const project of all) {
    const row = (await read('project.one', { projectId: project })) as Row | undefined;
    if (row !== undefined) add('project.one', project, row, textIn(row, 'name'));
    for (const listed of rowsIn(await read('environment.byProjectId', { projectId: project }))) {
      const environmentId = textIn(listed, 'environmentId');
      if (isMarked(textIn(listed, 'name'))) continue;
      const environment = (await read('environment.one', { environmentId })) as Row | undefined;
      if (environment === undefined) continue;
      const own = Object.fromEntries(
        Object.entries(environment).filter(([name]) => !services.some((service) => service.listed === name)),
      );
      add('environment.one', environmentId, own, textIn(environment, 'name'));
      for (const service of services) {
        for (const short of rowsIn(environment[service.listed])) {
          const serviceId = textIn(short, service.id);
          const whole = (await read(service.read, { [service.id]: serviceId })) as Row | undefined;
          if (whole !== undefined) add(service.read, serviceId, whole, textIn(whole, 'name'));
        }
      }
    }
  }
  return { objects, ids, unseen };
}

/** What differs between two surveys, in sentences without any value. */
export function differences(before: Survey, after: Survey): string[] {
  const found: string[] = [];
  for (const [key, { title, members }] of before.objects) {
    const now = after.objects.get(key);
    if (now === undefined) found.push(`${title} is gone`);
    else {
      const names = [...new Set([...members.keys(), ...now.members.keys()])];
      const changed = names.filter((name) => members.get(name) !== now.members.get(name));
      if (changed.length > 0) found.push(`${title} has another ${changed.join(', ')}`);
    }
  }
  for (const [key, { title }] of after.objects) if (!before.objects.has(key)) found.push(`${title} is new`);
  return found;
}

function digests(row: Row): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(row)
      .filter(([name]) => !restless.has(name))
      .map(([name, value]) => [
        name,
        createHash('sha256')
          .update(JSON.stringify(ordered(value)))
          .digest('base64'),
      ]),
  );
}

/** A value whose order of members, and of rows in lists, says nothing; without what is restless. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(ordered);
    return items.every((item) => typeof item === 'object' && item !== null)
      ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !restless.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, ordered(inner)]),
  );
}

/**
 * The ids of objects that rows have. Other members end in `Id` too: the chat of a channel, or the application that a git
 * provider is registered as, whose name is that of a service.
 */
function collectIds(value: unknown, ids: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectIds(item, ids);
  else if (typeof value === 'object' && value !== null) {
    const isProvider =
      'gitProviderId' in value || (!('sourceType' in value) && ('gitlabId' in value || 'labgitId' in value));
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'string') collectIds(inner, ids);
      else if (inner !== '' && objectIds.has(name) && !(isProvider && name === 'applicationId')) ids.add(inner);
    }
  }
}
