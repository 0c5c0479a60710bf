import { convertedFile, parseComposeFile, serviceNames } from './compose-text.ts';
import { checkRepository } from './clone-check.ts';
import { textOf, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';

/**
 * The compose file that a fetch brings: the text of a raw compose, and for a git source that is set up the text
 * in `composeFile` too, because no repository is ever reached.
 */
export function fetchSource(store: Store, row: Row): string {
  checkRepository(row);
  const text = textOf(row, 'composeFile');
  const appName = textOf(row, 'appName');
  if (store.update('composeFile', appName, { text }) === undefined) store.insert('composeFile', { appName, text });
  return text;
}

/** The compose file on disk; undefined before the first fetch or deployment. */
export function sourceOnDisk(store: Store, row: Row): string | undefined {
  const file = store.find('composeFile', row['appName']);
  return file === undefined ? undefined : textOf(file, 'text');
}

/** The services of a compose that runs, as docker knows them: by their names in the file, with the suffix. */
export function runningServices(store: Store, row: Row): string[] {
  const text = sourceOnDisk(store, row);
  const isRunning = store.find('container', row['appName'])?.['running'] === true;
  return text === undefined || !isRunning ? [] : serviceNames(convertedFile(parseComposeFile(text), row, []));
}

/** Whether the files of a compose come from a repository. */
export function isFromGit(row: Row): boolean {
  return row['sourceType'] !== 'raw';
}
