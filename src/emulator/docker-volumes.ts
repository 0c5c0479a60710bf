import type { Context } from './context.ts';
import type { DatabaseTable } from './service-tables.ts';
import { pick, textOf, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';
import type { World } from './world.ts';

const initialSettings = ['databaseName', 'databaseUser', 'databasePassword', 'databaseRootPassword'] as const;

/** Writes down what a database's data volume is initialised with, at the first deployment that finds it empty. */
export function initialiseVolume({ store, now }: Context, table: DatabaseTable, row: Row): void {
  const key = `${table}Id`;
  for (const mount of store.children('mount', key, row[key])) {
    const volumeName = mount['volumeName'];
    if (mount['type'] !== 'volume' || typeof volumeName !== 'string') continue;
    if (store.find('volume', volumeName) !== undefined) continue;
    const settings = pick(row, ['dockerImage', ...initialSettings]);
    store.insert('volume', { volumeName, ...settings, initialisedAt: now() });
  }
}

/** Removes the volumes behind volume mounts, with all data in them. */
export function forgetVolumes(store: Store, mounts: readonly Row[]): void {
  for (const mount of mounts) {
    if (mount['type'] === 'volume') store.remove('volume', mount['volumeName']);
  }
}

/** One setting of a database whose row says something else than its volume was initialised with. */
export interface StaleSetting {
  readonly appName: string;
  readonly setting: string;
}

/**
 * The settings that a row shows and the running database does not have: an update writes the row only.
 * The platform itself cannot tell; this looks behind the curtain.
 */
export function staleSettings(world: World): StaleSetting[] {
  const { mariadb, mongo, mysql, postgres } = world.tables;
  return [mariadb, mongo, mysql, postgres].flatMap(Object.values<Row>).flatMap((row) => {
    const appName = textOf(row, 'appName');
    const volume = world.tables.volume[`${appName}-data`];
    if (volume === undefined) return [];
    return initialSettings
      .filter((setting) => row[setting] !== undefined && row[setting] !== volume[setting])
      .map((setting) => ({ appName, setting }));
  });
}
