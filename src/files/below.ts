import { sep } from 'node:path';

/** Whether a real path is below a real folder. The folder itself is not. */
export function isBelowFolder(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
