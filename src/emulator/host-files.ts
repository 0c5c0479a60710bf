import { posix } from 'node:path';
import { withoutSlash } from '../api/slash.ts';
import { textOf, textOr, type Row } from './json-rows.ts';
import { whyUnreachable } from './reach.ts';
import { serviceTables } from './service-tables.ts';
import type { Store } from './table-store.ts';

/** The files of mounts on their servers. A file has the content of its row, unless `hostFile` says otherwise. */

/** Bytes of the longest argument that Linux hands to a program, the zero behind it included. Measured: MAX_ARG_STRLEN. */
const longestArgument = 131_072;

/** The content of the file of a mount; undefined: there is no such file. */
export function contentOnHost(store: Store, mount: Row): string | undefined {
  const differing = store.find('hostFile', mount['mountId']);
  if (differing === undefined) return textOr(mount, 'content');
  return typeof differing['content'] === 'string' ? differing['content'] : undefined;
}

/** Writes the file of a new mount; gives the reason, in the words of Node.js, when that fails. */
export function createFile(store: Store, row: Row): string | undefined {
  const problem = whyNoFile(store, row) ?? whyNotSent(store, row);
  if (problem !== undefined) store.insert('hostFile', { mountId: textOf(row, 'mountId'), content: null });
  return problem;
}

/** Writes the file of a mount whose row was updated. The platform swallows the failure, and makes no folder. */
export function updateFile(store: Store, before: Row, row: Row): void {
  const content = contentOnHost(store, before) ?? null;
  const path = pathOf(row);
  const hasFolder =
    content !== null ||
    !path.includes('/') ||
    siblings(store, row).some((file) => file.startsWith(`${posix.dirname(path)}/`));
  const isWritten = hasFolder && whyNoFile(store, row) === undefined && !isTooLong(writing(store, row));
  store.remove('hostFile', row['mountId']);
  if (!isWritten) store.insert('hostFile', { mountId: textOf(row, 'mountId'), content });
}

/** Deletes the file of a mount with all that is below its path; on its own server the platform does so without quotes around it. */
export function deleteFile(store: Store, row: Row): void {
  const { owner, service } = ownerOf(store, row);
  if (owner === undefined || whyUnreachable(store, service?.['serverId']) !== undefined) return;
  const [word = ''] = typeof service?.['serverId'] === 'string' ? [pathOf(row)] : pathOf(row).split(/\s/);
  const isOther = word !== pathOf(row);
  const isDeleted = (path: string) => path.startsWith(`${word}/`) || (isOther && path === word);
  for (const mount of othersOf(store, row).filter((other) => isDeleted(pathOf(other)))) {
    store.remove('hostFile', mount['mountId']);
    store.insert('hostFile', { mountId: textOf(mount, 'mountId'), content: null });
  }
}

function ownerOf(store: Store, row: Row) {
  const owner = serviceTables.find((table) => typeof row[`${table}Id`] === 'string');
  return { owner, service: owner === undefined ? undefined : store.find(owner, row[`${owner}Id`]) };
}

/** The other file mounts of the same service. */
function othersOf(store: Store, row: Row): Row[] {
  const { owner } = ownerOf(store, row);
  if (owner === undefined) return [];
  return store
    .children('mount', `${owner}Id`, row[`${owner}Id`])
    .filter((other) => other['type'] === 'file' && other['mountId'] !== row['mountId']);
}

/** The paths of the other files of the same service that are there. */
function siblings(store: Store, row: Row): string[] {
  return othersOf(store, row)
    .filter((other) => contentOnHost(store, other) !== undefined)
    .map(pathOf);
}

function folderOf(store: Store, row: Row): string {
  const { owner, service } = ownerOf(store, row);
  return `/etc/dokploy/${owner === 'compose' ? 'compose' : 'applications'}/${textOr(service ?? {}, 'appName')}/files/`;
}

/** Why the file of a mount cannot be written, in the words of Node.js; undefined when it can. */
function whyNoFile(store: Store, row: Row): string | undefined {
  if (textOr(row, 'filePath') === '') return 'EISDIR: illegal operation on a directory';
  const { service } = ownerOf(store, row);
  if (service === undefined) return undefined;
  const unreachable = whyUnreachable(store, service['serverId']);
  if (unreachable !== undefined) return unreachable;
  const files = siblings(store, row);
  const folder = folderOf(store, row);
  const above = files.find((file) => pathOf(row).startsWith(`${file}/`));
  if (above !== undefined) return `EEXIST: file already exists, mkdir '${folder}${above}'`;
  const isFolder = files.some((file) => file.startsWith(`${pathOf(row)}/`));
  return isFolder ? `EISDIR: illegal operation on a directory, open '${folder}${pathOf(row)}'` : undefined;
}

/** Why a new file does not reach another server, which gets it in a command. The platform writes those of its own server itself. */
function whyNotSent(store: Store, row: Row): string | undefined {
  const { service } = ownerOf(store, row);
  if (typeof service?.['serverId'] !== 'string') return undefined;
  const path = `${folderOf(store, row)}${pathOf(row)}`;
  const command = `\n\t\tmkdir -p ${posix.dirname(path)};\n\t\t${writing(store, row)};\n\t`;
  return isTooLong(command) ? 'Argument list too long' : undefined;
}

/** The command that writes a file. */
function writing(store: Store, row: Row): string {
  const encoded = Buffer.from(textOr(row, 'content')).toString('base64');
  return `echo "${encoded}" | base64 -d > ${folderOf(store, row)}${pathOf(row)}`;
}

function isTooLong(command: string): boolean {
  return Buffer.byteLength(command) >= longestArgument;
}

function pathOf(row: Row): string {
  return withoutSlash(posix.normalize(textOr(row, 'filePath')).replace(/^\/+/, ''));
}
