import { itemsOf, mapOf } from '../../compose/service-parts.ts';
import type { Row } from '../../formats/json.ts';
import { type Risk, dataLeft, keepersOf } from './compose-data.ts';
import { contentOf } from './compose-model.ts';
import { pathOf } from './env-files.ts';
import { mountRows } from './mounted-volumes.ts';
import { resolvedPath } from './own-folder.ts';

/**
 * Data that the services of a compose look for elsewhere by another text of a file that they take variables from.
 *
 * @param next undefined: the file is deleted. A service that needs it does not start, and leaves nothing.
 */
export function leftByFile(compose: Row, file: Row, next: Row | undefined): Risk | undefined {
  const path = pathOf(String(file.filePath ?? ''));
  if (next === undefined && !isOptional(compose, path)) return undefined;
  const others = mountRows(compose).filter((row) => pathOf(String(row.filePath ?? '')) !== path);
  const [before, after] = [file, next ?? { ...file, content: '' }].map((one) =>
    keepersOf({ ...compose, mounts: [...others, one] }),
  );
  return dataLeft(before ?? [], after ?? []);
}

/** Whether a service takes a file only where it is there. */
function isOptional({ composeFile }: Row, path: string): boolean {
  return Object.values(mapOf(contentOf(composeFile)?.services)).some((definition) =>
    itemsOf(mapOf(definition).env_file).some((item) => {
      const { path: named, required } = mapOf(item);
      return required === false && resolvedPath(String(named)) === path;
    }),
  );
}
