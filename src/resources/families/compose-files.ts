import { onceFor } from '../../api/once.ts';
import { closest } from '../../diagnostics/closest.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import { folderTree } from '../../compose/folder-tree.ts';
import { isOpen } from '../../compose/interpolate.ts';
import type { ComposeModel } from '../../compose/model.ts';
import { type NamedFile, plainPath } from '../../compose/service-parts.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { isRemoved } from './compose-data.ts';
import { groupBy } from '../../kind/group.ts';
import { inFile, maxCompared } from './compose-model.ts';
import { isDataFolder } from './data-folder.ts';

/** What a raw compose file names beside itself, and what does not fit between it and the blocks under files:. */
export function filesExist(
  self: CheckedResource,
  children: readonly CheckedResource[],
  { services, files }: ComposeModel,
): readonly Problem[] {
  const written = children.filter(({ kind }) => kind === 'fileMount');
  const paths = written.map(({ values }) =>
    typeof values.filePath === 'string' ? pathInFiles(values.filePath) : undefined,
  );
  const known = paths.filter((path) => path !== undefined);
  const writes = folderTree(known);
  const isWritten = (path: string) => known.length < paths.length || writes.reaches(path);
  const missing = files.filter((file) => isMissing(self, file, isWritten));
  const named = [...groupBy(missing.map((file) => [`${file.is} ${file.path}`, file] as const)).values()].flatMap(
    (all) => missingFiles(self, all),
  );
  const mounts = [...services.values()].flatMap(({ name, mounts: all, isActive }) =>
    isActive ? all.map((mount) => ({ ...mount, service: name })) : [],
  );
  const filled = folderTree(mounts.map(({ isReadOnly, source = '' }) => (isReadOnly ? undefined : belowFiles(source))));
  const isFilled = (path: string) => filled.reaches(path) || filled.above(path).length > 0;
  const isStack = self.values.composeType === 'stack';
  const empty = mounts.flatMap((mount) => {
    const path = belowFiles(mount.source ?? '');
    // A folder without entries may be one for data, unless no service writes into it. Swarm makes none.
    if (path === undefined || isOpen(path) || isWritten(path)) return [];
    const isEmpty = isStack || (mount.isReadOnly && !isFilled(path));
    return isFileName(path) || isEmpty ? [[path, mount] as const] : [];
  });
  const unwritten = [...groupBy(empty)].flatMap(([path, all]): Problem[] => {
    const [first] = all;
    if (first === undefined) return [];
    const names = [...new Set(all.map(({ service }) => service))];
    const meant = known.length > maxCompared ? undefined : closest(path, known);
    return [
      inFile(self, {
        code: 'unmounted-file',
        path: ['services', first.service, 'volumes', first.index],
        message: `${someOf(names, 3)} ${names.length === 1 ? 'mounts' : 'mount'} ../files/${self.shown(path)}, and no block under files: writes it: ${isStack ? noTask : 'Docker makes an empty folder there'}`,
        remedy:
          meant === undefined
            ? `Write it under files:, as ${self.shown(path)}${isFileName(path) ? '' : '/NAME'}: { content: "\${file:…}" }.`
            : `Did you mean ../files/${self.shown(meant)}?`,
      }),
    ];
  });
  const sources = [...mounts.map(({ source = '' }) => source), ...files.map(({ path }) => path)];
  return [
    ...named,
    ...unwritten,
    ...unusedFiles(written, paths, sources),
    ...foldersLast(self, services),
    ...filesStay(self, written, { services, files }),
  ];
}

/** The blocks whose files nothing in the compose file names. */
function unusedFiles(
  written: readonly CheckedResource[],
  paths: readonly (string | undefined)[],
  sources: readonly string[],
): readonly Problem[] {
  // One that is not known may be any of them.
  if (sources.some(isOpen)) return [];
  const used = folderTree(sources.map(belowFiles));
  return written.flatMap(({ address, shown }, index): Problem[] => {
    const path = paths[index];
    if (path === undefined || used.above(path).length > 0) return [];
    const file = shown(path);
    const remedy = `Mount it in the compose file, as in ../files/${file}:/etc/${file}, or remove the block.`;
    return [{ code: 'unmounted-file', address, message: `no service mounts ../files/${file}`, remedy }];
  });
}

/**
 * What becomes of a new content of a file alone. A service whose definition is the same keeps its containers, and Swarm changes no
 * config or secret. Source: Dokploy/dokploy#4792; docker/cli, stack deploy.
 */
function filesStay(
  self: CheckedResource,
  written: readonly CheckedResource[],
  { services, files }: Pick<ComposeModel, 'services' | 'files'>,
): readonly Problem[] {
  const isStack = self.values.composeType === 'stack';
  const configs = folderTree(
    files.map(({ is, path }) => (is === 'configs' || is === 'secrets' ? belowFiles(path) : undefined)),
  );
  const mounting = folderTree();
  const all = [...services.values()];
  for (const [index, { mounts, isActive }] of all.entries()) {
    const paths = isActive ? mounts.flatMap(({ source = '' }) => belowFiles(source) ?? []) : [];
    for (const path of paths) mounting.add(path, index);
  }
  // Many files in one folder have the same users.
  const namesOf = onceFor((users: readonly number[]) => someOf(users.map((index) => all[index]?.name ?? '')));
  return written.flatMap(({ address, values: { filePath } }): Problem[] => {
    if (typeof filePath !== 'string') return [];
    const own = pathInFiles(filePath);
    const about = { address, field: 'content', when: { changes: 'content', besides: self.address } } as const;
    const config = files[configs.above(own)[0] ?? -1];
    if (isStack && config !== undefined) {
      const [section = '', name = ''] = config.at.map(String);
      const message = `Swarm cannot change ${name} of ${section}, and the deployment fails`;
      const remedy = `Give it another key in the compose file with each content, as in ${name}-2.`;
      return [{ ...about, code: 'refused-setting', fails: true, message, remedy }];
    }
    const users = mounting.above(own);
    if (users.length === 0) return [];
    const message = `the deployment writes the file, and restarts no container for it: ${namesOf(users)} may go on with what was read before`;
    const remedy = `To start ${users.length === 1 ? 'it' : 'them'} anew, change the definition in the compose file too, such as a label with the version of the file.`;
    return [{ ...about, code: 'not-effective', message, remedy }];
  });
}

const noTask = 'Swarm starts no task without it';

/** What services mount from the folder of the source, which each deployment of a raw compose makes anew. */
function foldersLast(self: CheckedResource, services: ComposeModel['services']): readonly Problem[] {
  const all = [...services.values()].flatMap(({ name, mounts, isActive }) =>
    mounts
      .filter(({ type, source = '' }) => isActive && type === 'bind' && isRemoved(source))
      .map((mount) => ({ ...mount, service: name, source: mount.source ?? '' })),
  );
  const isData = (mount: (typeof all)[number]) => isDataFolder(mount) && !isFileName(plainPath(mount.source));
  const isThere = ({ source }: (typeof all)[number]) => ['.env', 'docker-compose.yml'].includes(plainPath(source));
  const data = groupBy(all.filter(isData).map((mount) => [mount.service, mount] as const));
  const rest = groupBy(
    all.filter((mount) => !isData(mount) && !isThere(mount)).map((mount) => [mount.source, mount] as const),
  );
  const lost = (mount: { readonly service: string; readonly index: number }, message: string, remedy: string) =>
    inFile(self, { code: 'lost-folder', path: ['services', mount.service, 'volumes', mount.index], message, remedy });
  const isStack = self.values.composeType === 'stack';
  return [
    ...[...data.values()].flatMap((mounts): Problem[] => {
      const [first, ...others] = mounts;
      if (first === undefined) return [];
      const folder = self.shown(plainPath(first.source)).replace(/^\.?$/, 'data');
      const [them, likewise] = others.length === 0 ? ['it', ''] : ['them', '; the others likewise'];
      const sources = mounts.map(({ source }) => self.shown(source)).join(', ');
      return [
        lost(
          first,
          isStack
            ? `${first.service} mounts ${sources}, which each deployment removes: ${noTask}`
            : `${first.service} mounts ${sources}, and each deployment removes ${them} with all data`,
          isStack
            ? `Mount a named volume instead, or a folder of the server by a path that begins with /${likewise}.`
            : `Mount ../files/${folder} instead, which stays${likewise}. Copy there first what is to be kept.`,
        ),
      ];
    }),
    ...[...rest].flatMap(([source, mounts]): Problem[] => {
      const [first] = mounts;
      if (first === undefined) return [];
      const names = [...new Set(mounts.map(({ service }) => service))];
      const who = `${someOf(names, 3)} ${names.length === 1 ? 'mounts' : 'mount'} ${self.shown(source)}`;
      const path = self.shown(plainPath(source));
      return isFileName(path)
        ? [
            lost(
              first,
              `${who}, which is not there: ${isStack ? noTask : 'Docker makes an empty folder'}`,
              `Write it under files:, and mount ../files/${path}.`,
            ),
          ]
        : [
            lost(
              first,
              isStack ? `${who}, which is not there: ${noTask}` : `${who}, which each deployment makes anew, and empty`,
              `Mount ../files/${path} instead, which stays, and write what it has to hold under files:.`,
            ),
          ];
    }),
  ];
}

function isMissing(self: CheckedResource, { is, path }: NamedFile, isWritten: (path: string) => boolean): boolean {
  if (isOpen(path) || isElsewhere(path)) return false;
  const below = belowFiles(path);
  if (below !== undefined && isWritten(below)) return false;
  return is !== 'env_file' || plainPath(path) !== '.env' || self.values.createEnvFile === false;
}

/** The finding of a file that is not there, wherever it is named. */
function missingFiles(self: CheckedResource, all: readonly NamedFile[]): readonly Problem[] {
  const [first] = all;
  if (first === undefined) return [];
  const { is, path, at } = first;
  const below = belowFiles(path);
  const what = below === undefined ? 'the source of a raw compose is its one file' : 'no block under files: writes it';
  const names = all.map((one) => one.at.filter((part) => typeof part === 'string').join('.'));
  const message = `${someOf(names, 3)} ${names.length === 1 ? 'names' : 'name'} ${self.shown(path)}, which is not there: ${what}`;
  return [inFile(self, { code: 'not-in-source', fails: true, path: at, message, remedy: remedies[is] })];
}

const fromRepository = 'take the compose from a repository, by source: { type: git, … }';
const remedies: Readonly<Record<NamedFile['is'], string>> = {
  build: `Name an image that is built elsewhere, or ${fromRepository}.`,
  env_file: 'Write the variables under env:, and env_file: .env in the compose file.',
  configs: 'Write the file under files:, and name it ../files/NAME; or write content: in place of file:.',
  secrets: 'Write the file under files:, and name it ../files/NAME.',
  extends: `Write the service into this file, or ${fromRepository}.`,
  include: `Write the services into this file, or ${fromRepository}.`,
};

/** Whether a path leads out of the folder of the compose: to the host, or to another machine. */
function isElsewhere(path: string): boolean {
  return /^(?:[/~]|git@|[\w.-]+\.[a-z]+\/.+\.git\b|github\.com\/)|:\/\/|^docker-image:/.test(path);
}

/** The path below `../files` of a compose; undefined: it is not there. */
function belowFiles(path: string): string | undefined {
  const plain = plainPath(path);
  return plain === '../files' ? '' : /^\.\.\/files\/(.*)$/.exec(plain)?.[1];
}

/** The path of a file below ../files: the platform puts its own behind that, with a slash before it or without. */
function pathInFiles(filePath: string): string {
  return plainPath(filePath).replace(/^\/+/, '');
}

function isFileName(path: string): boolean {
  return /[^/]\.[a-z]\w{0,9}$/i.test(path) && !path.endsWith('.d');
}
