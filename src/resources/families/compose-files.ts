import { closest } from '../../diagnostics/closest.ts';
import type { ComposeModel } from '../../compose/model.ts';
import type { NamedFile } from '../../compose/service-parts.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { isRemoved } from './compose-data.ts';
import { inFile } from './compose-model.ts';
import { type Mounted, isDataFolder } from './data-folder.ts';

/** What a raw compose file names beside itself, and what does not fit between it and the blocks under files:. */
export function filesExist(
  self: CheckedResource,
  children: readonly CheckedResource[],
  { services, files }: ComposeModel,
): readonly Problem[] {
  const written = children.filter(({ kind }) => kind === 'fileMount');
  const paths = written.map(({ values }) =>
    typeof values.filePath === 'string' ? plainPath(values.filePath) : undefined,
  );
  const isWritten = (path: string) =>
    paths.some((one) => one === undefined || one === path || one.startsWith(`${path}/`) || path === '');
  const named = files.flatMap((file) => missingFile(self, file, isWritten) ?? []);
  const mounts = [...services.values()].flatMap(({ name, mounts: all, isActive }) =>
    isActive ? all.map((mount) => ({ ...mount, service: name })) : [],
  );
  const unwritten = mounts.flatMap(({ service, source = '', index }): Problem[] => {
    const path = belowFiles(source);
    // A folder without entries may be one for data.
    if (path === undefined || isWritten(path) || !isFileName(path)) return [];
    const meant = closest(
      path,
      paths.filter((one) => one !== undefined),
    );
    return [
      inFile(self, {
        code: 'unmounted-file',
        path: ['services', service, 'volumes', index],
        message: `${service} mounts ../files/${path}, and no block under files: writes it: Docker makes an empty folder there`,
        remedy:
          meant === undefined ? `Write it under files:, as ${path}: "\${file:…}".` : `Did you mean ../files/${meant}?`,
      }),
    ];
  });
  const sources = [...mounts.map(({ source = '' }) => source), ...files.map(({ path }) => path)];
  const below = sources.map(belowFiles);
  // One that is not known may be any of them.
  const isOpen = sources.some((source) => source.includes('${'));
  const unused = written.flatMap((block, index): Problem[] => {
    const path = paths[index];
    const isUsed =
      path === undefined ||
      below.some((one) => one !== undefined && (one === '' || path === one || path.startsWith(`${one}/`)));
    if (isUsed || isOpen) return [];
    const remedy = `Mount it in the compose file, as in ../files/${path}:/etc/${path}, or remove the block.`;
    return [{ code: 'unmounted-file', address: block.address, message: `no service mounts ../files/${path}`, remedy }];
  });
  return [...named, ...unwritten, ...unused, ...foldersLast(self, services)];
}

/** What a service mounts from the folder of the source, which each deployment of a raw compose makes anew. */
function foldersLast(self: CheckedResource, services: ComposeModel['services']): readonly Problem[] {
  return [...services.values()].flatMap(({ name, mounts, isActive }): Problem[] => {
    const below = mounts.filter(({ type, source = '' }) => isActive && type === 'bind' && isRemoved(source));
    const isThere = ({ source = '' }: Mounted) => ['.env', 'docker-compose.yml'].includes(plainPath(source));
    const data = below.filter(isDataFolder);
    const rest = below.filter((mount) => !isDataFolder(mount) && !isThere(mount));
    const [first] = data;
    const sources = data.map(({ source }) => source).join(', ');
    const folder = plainPath(first?.source ?? '').replace(/^\.?$/, 'data');
    return [
      ...(first === undefined
        ? []
        : [
            inFile(self, {
              code: 'lost-folder',
              path: ['services', name, 'volumes', first.index],
              message: `${name} mounts ${sources}, and each deployment removes ${data.length === 1 ? 'it' : 'them'} with all data`,
              remedy: `Mount ../files/${folder} instead, which stays${data.length === 1 ? '' : '; the others likewise'}. Copy there first what is to be kept.`,
            }),
          ]),
      ...rest.map(({ source = '', index }) =>
        inFile(self, {
          code: 'lost-folder',
          path: ['services', name, 'volumes', index],
          message: `${name} mounts ${source}, which is not there: Docker makes an empty folder`,
          remedy: `Write it under files:, and mount ../files/${plainPath(source)}.`,
        }),
      ),
    ];
  });
}

function missingFile(
  self: CheckedResource,
  { is, path, at }: NamedFile,
  isWritten: (path: string) => boolean,
): Problem | undefined {
  if (path.includes('${') || isElsewhere(path)) return undefined;
  const below = belowFiles(path);
  if (below !== undefined && isWritten(below)) return undefined;
  if (is === 'env_file' && plainPath(path) === '.env' && self.values.createEnvFile !== false) return undefined;
  const what = below === undefined ? 'the source of a raw compose is its one file' : 'no block under files: writes it';
  return inFile(self, {
    code: 'not-in-source',
    fails: true,
    path: at,
    message: `${at.filter((part) => typeof part === 'string').join('.')} names ${path}, which is not there: ${what}`,
    remedy: remedies[is],
  });
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

/** A path without dots and slashes that mean nothing. */
function plainPath(path: string): string {
  return path
    .replace(/^(?:\.\/+)+/, '')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/\/\.(?=\/|$)/g, '')
    .replace(/\/$/, '');
}

function isFileName(path: string): boolean {
  return /[^/]\.[a-z]\w{0,9}$/i.test(path) && !path.endsWith('.d');
}
