import type { ComposeModel } from '../../compose/model.ts';
import { mapOf } from '../../compose/service-parts.ts';
import type { CheckedResource } from '../../kind/checks.ts';
import { type Finding, filesOf, isBeside } from './compose-reach.ts';
import { pathOf } from './env-files.ts';
import { resolvedPath } from './own-folder.ts';

/**
 * The folders beside a compose file that a container may put a link into, where Docker or compose follows it on the host. What
 * lies below ../files stays for the next deployment, which may name more; the folder of the compose file is made anew.
 */
export function folderFills(
  content: ComposeModel['content'],
  services: ComposeModel['services'],
  children: readonly CheckedResource[],
): readonly Finding[] {
  const written = new Set(
    children.flatMap(({ kind, values: { filePath } }) =>
      kind === 'fileMount' && typeof filePath === 'string' ? [pathOf(filePath)] : [],
    ),
  );
  const mounts = [...services.values()].flatMap(({ name, mounts: all }) =>
    all.flatMap(({ type, source, isReadOnly }) =>
      type === 'bind' && source !== undefined && isBeside(source)
        ? [{ service: name, source, path: resolvedPath(source), isReadOnly }]
        : [],
    ),
  );
  const named = [...ofCompose, ...pathsIn(content), ...mounts.map(({ path }) => path)];
  const above = new Set(named.flatMap(foldersAbove));
  const isFollowed = (path: string) =>
    path.startsWith('../') ? !written.has(path) : ofCompose.includes(path) || above.has(path);
  return mounts.flatMap(({ service, source, path, isReadOnly }): Finding[] => {
    if (isReadOnly || !isFollowed(path)) return [];
    const message = `the service ${service} may write into ${source}, and what a container puts there may lead anywhere on the host`;
    const remedy = 'Use a named volume, or add :ro. A file under files: may be mounted by its own path.';
    return [{ message, remedy }];
  });
}

/** What the platform writes beside the compose file. */
const ofCompose = ['docker-compose.yml', '.env'];

/** The files and folders that a compose file names beside its mounts. */
function pathsIn({ services, configs, secrets }: ComposeModel['content']): readonly string[] {
  const ofServices = Object.values(mapOf(services)).flatMap((definition) => {
    const { files, contexts, dockerfile } = filesOf(mapOf(definition));
    return [...files, ...contexts, dockerfile];
  });
  const ofSections = [configs, secrets].flatMap((section) =>
    Object.values(mapOf(section)).map((definition) => String(mapOf(definition).file ?? '')),
  );
  return [...ofServices, ...ofSections].map(resolvedPath);
}

function foldersAbove(path: string): readonly string[] {
  const parts = path === '' ? [] : path.split('/');
  return parts.map((_, index) => parts.slice(0, index).join('/'));
}
