import { type Row, isObject } from '../../formats/json.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import type { ChangeAtRisk, Loss } from '../../kind/lifecycle.ts';
import { filledEnv } from './compose-variables.ts';
import { type Container, type Mounted, isDataFolder, movedData, unkeptData } from './data-folder.ts';
import { because } from './image-version.ts';

/** Named volumes that nothing mounts afterwards; undefined when there are none. */
export function unmounted(volumes: readonly string[]): Loss | undefined {
  const [first] = volumes;
  if (first === undefined) return undefined;
  const count = volumes.length;
  const words = (one: string, many: string) =>
    count === 1
      ? `${one} stays on the server, and nothing mounts it any more`
      : `${many} stay on the server, and nothing mounts them any more`;
  return {
    of: 'volume',
    what: words(`the volume ${first}`, `the volumes ${volumes.join(', ')}`),
    unnamed: words('1 volume', `${count} volumes`),
  };
}

/** The named volumes among the mounts in the row of a service. */
export function volumesMounted(row: Row): string[] {
  return mountsIn(row).flatMap(({ type, source = '' }) => (type === 'volume' ? [source] : []));
}

/** The same, and the folders of the host that it may keep data in. */
export function dataMounted(row: Row): string[] {
  return mountsIn(row).flatMap((mount) => (mount.type === 'volume' || isDataFolder(mount) ? [mount.source ?? ''] : []));
}

/** The rows of the mounts in the row of a service. */
export function mountRows({ mounts }: Row): readonly Row[] {
  return Array.isArray(mounts) ? mounts.filter(isObject) : [];
}

/** The volumes and folders of the host among the mounts in the row of a service. */
function mountsIn(row: Row): Mounted[] {
  return mountRows(row).flatMap(({ type, volumeName, hostPath, mountPath }) =>
    type === 'volume' || type === 'bind'
      ? [{ type, source: String(type === 'volume' ? volumeName : hostPath), target: String(mountPath) }]
      : [],
  );
}

/** The data that a service looks for elsewhere, by each field that may say where, and by mounts that come. */
export function movesData(what: string): Readonly<Record<string, ChangeAtRisk>> {
  const moves: ChangeAtRisk = ({ row, next, parent }) =>
    because(what, movedData(containerOf(row, parent.row), containerOf(next, parent.next)));
  return { dockerImage: moves, env: moves, command: moves, args: moves, mounts: moves };
}

function containerOf(row: Row, environment?: Row): Container {
  const { dockerImage, sourceType = 'docker', command, args } = row;
  const words = typeof command === 'string' ? command.split(/\s+/) : [];
  return {
    image: sourceType === 'docker' ? String(dockerImage ?? '') : '',
    mounts: mountsIn(row),
    environment: filledEnv(row, environment),
    command: [...words, ...(Array.isArray(args) ? args.map(String) : [])],
  };
}

/** The data that a service may have in a folder of the host which it no longer mounts. */
export function leftFolder(row: Row): Loss | undefined {
  const folder = mountsIn({ mounts: [row] }).find(isDataFolder);
  if (folder === undefined) return undefined;
  const rest = 'stays on the server, and nothing mounts it any more';
  return { of: 'volume', what: `the folder ${folder.source ?? ''} ${rest}`, unnamed: `1 folder ${rest}` };
}

/** Warns of a block with one image whose data go with its container; `provided`: what the platform mounts by itself. */
export function dataIsKept(
  { address, key, values, maps, shown }: CheckedResource,
  children: readonly CheckedResource[],
  provided: readonly Mounted[] = [],
): readonly Problem[] {
  const mounts = children.filter(({ kind }) => kind === 'mount').map((child) => child.values);
  const container = containerOf({ ...values, mounts });
  const environment = maps['env']?.entries ?? container.environment;
  const all = { ...container, environment, mounts: [...provided, ...container.mounts] };
  return unkeptData(key, all, shown).map((problem) => ({ ...problem, address, field: 'dockerImage' }));
}
