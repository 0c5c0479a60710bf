import { defined } from '../formats/json.ts';
import { type AcceptedDrift, acceptedLimit, acceptedName, acceptedText, parseAccepted } from '../manifest/accepted.ts';
import { type Diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { readFileOf } from './memory-file.ts';
import type { ProjectFolder } from '../project/folder.ts';
import { writeFiles } from '../project/write-files.ts';

/**
 * Adds entries to the file of accepted drift of a manifest. Gives the name of the file.
 *
 * @throws {Stop} `manifest`, when the file cannot be used; `refused`, when it cannot be written
 */
export async function writeAccepted(
  { folder, file }: Pick<ProjectFolder, 'folder' | 'file'>,
  added: readonly AcceptedDrift[],
): Promise<string> {
  const path = acceptedName(file);
  const before = await readFileOf(folder, path, { limit: acceptedLimit, code: 'accepted-drift' });
  const mistakes: Diagnostic[] = [];
  if (before !== undefined) parseAccepted(path, before, mistakes);
  if (mistakes.length > 0) throw new Stop('manifest', mistakes);
  const content = acceptedText(before, added);
  await writeFiles(folder, [{ path, content, ...defined({ replaces: before }) }]);
  return path;
}
