import type { Emulator } from '../../../src/emulator/emulator.ts';
import type { Json, Row } from '../../../src/formats/json.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import { root } from '../../../src/kind/kind.ts';
import { observedValue } from '../../../src/kind/row-values.ts';
import { kinds } from '../../../src/resources/index.ts';
import { kindNamed, kindsBelow, steady } from '../../support/random-manifest.ts';

/** The platform, seen without the engine. */

/** The objects of a kind by their id. */
export type Rows = ReadonlyMap<string, Row>;

/** Everything on the platform at one moment. */
export type Snapshot = ReadonlyMap<Kind, Rows>;

/** The kinds that can be deployed. */
export const services: readonly Kind[] = [...new Set(kindsBelow(kindNamed('environment')))];

/** Objects that nothing here changes or deletes. */
export const steadyIds: ReadonlySet<string> = new Set([
  'user_1',
  ...Object.values(steady).flatMap((those) => those.map(({ id }) => id)),
]);

const tables: Readonly<Record<string, string>> = {
  customRole: 'organizationRole',
  fileMount: 'mount',
  machineSchedule: 'schedule',
  memberPermissions: 'member',
  platformBackup: 'backup',
  forwardAuth: 'forwardAuthSettings',
  webServer: 'webServerSettings',
};

/** The table of the platform that holds the objects of a kind. */
export const tableOf = (kind: Kind) => (tables[kind.kind] ?? kind.kind) as 'compose';

function isOfKind(kind: Kind, row: Row): boolean {
  if (kind.kind === 'fileMount') return typeof row.composeId === 'string' && row.type === 'file';
  if (kind.kind === 'mount') return typeof row.composeId !== 'string';
  const isOfMachine = typeof row.applicationId !== 'string' && typeof row.composeId !== 'string';
  if (kind.kind === 'machineSchedule') return isOfMachine;
  if (kind.kind === 'schedule') return !isOfMachine;
  if (kind.kind === 'backup') return typeof row.userId !== 'string';
  if (kind.kind === 'platformBackup') return typeof row.userId === 'string';
  if (kind.kind === 'memberPermissions') return row.userId !== 'user_1';
  return kind.kind !== 'environment' || row.projectId === 'prj_1';
}

/** Looks at everything that a manifest can declare. */
export function look({ world: { tables: all } }: Emulator): Snapshot {
  return new Map(
    kinds.map((kind) => {
      const rows = Object.values(all[tableOf(kind)] as Record<string, Row>).filter((row) => isOfKind(kind, row));
      const whole = rows.map((row) => ({
        ...copyOf(row),
        ...(kind.kind === 'memberPermissions' ? { user: { email: all.user[String(row.userId)]?.email } } : {}),
        ...(typeof row.gitProviderId === 'string' ? { gitProvider: { ...all.gitProvider[row.gitProviderId] } } : {}),
        ...(kind.kind === 'customRole'
          ? { ids: row.id, permissions: JSON.parse(String(row.permission)) as Row, permission: '' }
          : {}),
        ...(kind.kind === 'forwardAuth' ? { target: 'platform' } : {}),
        ...(kind.kind === 'notification' ? channelOf(row) : {}),
      }));
      return [kind, new Map(whole.map((row: Row) => [String(row[kind.identity.id]), row]))];
    }),
  );
}

/** The channel of a notification, as the platform answers it. */
function channelOf({ notificationType: type, channel, channelId }: Row): Row {
  return { channel: null, [`${String(type)}Id`]: channelId, [String(type)]: channel };
}

/** A row as it is now: most of its members are no objects, and those cost nothing. */
function copyOf(row: Row): Row {
  const objects = Object.entries(row).filter(([, value]) => typeof value === 'object' && value !== null);
  return { ...row, ...(objects.length === 0 ? {} : structuredClone(Object.fromEntries(objects))) };
}

/** The objects of a kind. */
export const rowsOf = (snapshot: Snapshot, kind: Kind): Rows => snapshot.get(kind) ?? new Map();

/** Whether the platform shows an object in its list: git providers only once they are complete. */
export function isListed(kind: Kind, row: Row): boolean {
  if (kind.kind === 'gitlab') return row.accessToken !== null && row.refreshToken !== null;
  return kind.kind !== 'gitea' || (row.clientId !== null && row.clientSecret !== null);
}

/** What a field is on the platform. */
export function valueIn(kind: Kind, name: string, row: Row): Json {
  return observedValue(kind, name, row) ?? null;
}

/** The column of a row that holds a field. */
export function columnOf(kind: Kind, name: string, row: Row): string {
  const [first = ''] = (kind.fields[name]?.readAt ?? name).split('.');
  return first.startsWith('{') ? String(row[first.slice(1, -1)]) : first;
}

/** The id of what an object is below; undefined at the top. */
export function parentIdOf(kind: Kind, row: Row): string | undefined {
  for (const [parent, link] of Object.entries(kind.parents)) {
    const id = parent === root ? undefined : row[link.idAt];
    if (typeof id === 'string') return id;
  }
  return undefined;
}

/** The volume that a database brings along. */
export function isDataMount(snapshot: Snapshot, row: Row): boolean {
  return services.some((kind) => {
    const owner = rowsOf(snapshot, kind).get(String(row[kind.identity.id]));
    return row.type === 'volume' && row.volumeName === `${String(owner?.appName)}-data`;
  });
}

/** What the platform writes by itself: when a source is saved, a provider connected, a service deployed. */
export function isOfThePlatform(column: string): boolean {
  return ['applicationStatus', 'composeStatus', 'accessToken', 'refreshToken', 'updatedAt'].includes(column);
}

/** Whether a reference is null now because what it referred to is gone. */
export function isLetGo(after: Snapshot, kind: Kind, column: string, before: unknown, now: unknown): boolean {
  const target = kind.fields[column]?.refersTo;
  return target !== undefined && now === null && !rowsOf(after, kindNamed(target)).has(String(before));
}

/** The ids in a set. */
export const idsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
