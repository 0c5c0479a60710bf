import type { Loss } from '../../kind/lifecycle.ts';
import { type Row, isObject } from '../../formats/json.ts';

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
export function volumesMounted({ mounts }: Row): string[] {
  const rows = Array.isArray(mounts) ? mounts.filter(isObject) : [];
  return rows.flatMap(({ type, volumeName }) => (type === 'volume' ? [String(volumeName)] : []));
}
