import { type Diagnostic, diagnostic } from './diagnostic.ts';
import { systemCode } from './system-code.ts';

/** Describes why the system did not do something with a file or a folder. */
export function reasonOf(error: unknown): string {
  const code = systemCode(error);
  const words = reasons[code];
  return words === undefined ? code : `${code}: ${words}`;
}

/** The next step after such an error, as a sentence; undefined: its code shows none. */
export function remedyForDisk(error: unknown): string | undefined {
  return remedies[systemCode(error)];
}

/** The diagnostic of an error of the system that the disk or the rights to it are to blame for; undefined: it is another error. */
export function diskProblem(error: unknown): Diagnostic | undefined {
  const remedy = remedyForDisk(error);
  if (remedy === undefined || !(error instanceof Error && 'path' in error)) return undefined;
  const isOfWrite = ['EDQUOT', 'ENOSPC', 'EROFS'].includes(systemCode(error));
  const message = `cannot use ${String(error.path)}: ${reasonOf(error)}`;
  return diagnostic(isOfWrite ? 'file-unwritable' : 'file-unreadable', message, { remedy });
}

const moreRoom = 'Make room on the disk, or allow this user more of it.';
const moreFiles = 'Allow more open files (ulimit -n).';
const ofUser = 'Allow this user to read and write there (ls -ld shows its owner), or run as the user who made it.';
const remedies: Readonly<Record<string, string>> = {
  EACCES: ofUser,
  EDQUOT: moreRoom,
  EIO: 'Check the disk.',
  ELOOP: 'Correct the link.',
  EMFILE: moreFiles,
  ENFILE: moreFiles,
  ENOSPC: moreRoom,
  EPERM: ofUser,
  EROFS: 'Run in a folder on a file system that can be written.',
};

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EDQUOT: 'the quota is used up',
  EIO: 'the disk fails',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOSPC: 'the disk is full',
  ENOTFILE: 'it is a pipe or a device',
  ENOTDIR: 'a part of its path is no folder',
  EPERM: 'the file system or its owner does not allow it',
  EROFS: 'the file system can only be read',
};
