import type { Json } from '../../formats/json.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';

/**
 * Bytes of the largest file that the platform surely writes by a command. It writes `echo "<base64>" | base64 -d > <path>` as one
 * argument, and Linux takes 131,072 bytes of one: MAX_ARG_STRLEN. The rest is for the command and its paths. Measured: 98,200
 * bytes were written, of 98,400 the error was swallowed. Source: its services/mount.ts.
 */
const maxInCommand = 96_000;

/** Whether an update of the platform cannot write a file: it answers 200, and the server keeps the old one. */
export function isTooLarge(content: Json): boolean {
  return typeof content === 'string' && Buffer.byteLength(content) > maxInCommand;
}

/** Finds files that do not reach another server: the platform writes new ones there by a command too. */
export function filesOutOfReach(
  all: readonly CheckedResource[],
  at: (address: string) => CheckedResource | undefined,
): readonly Problem[] {
  return all.flatMap(({ address, parent, values: { content = null } }): Problem[] => {
    if (!isOnServer(at(parent ?? '')) || !isTooLarge(content)) return [];
    const message = `the file has more than ${maxInCommand.toLocaleString('en')} bytes, and the platform writes no such file on another server`;
    const remedy = 'Put the file into an image, or split it.';
    return [{ code: 'inconsistent', address, field: 'content', message, remedy }];
  });
}

/** Whether a service is on another server than that of the platform. One of the same manifest is not known yet. */
export function isOnServer(service: Pick<CheckedResource, 'values' | 'unknown'> | undefined): boolean {
  return typeof service?.values['serverId'] === 'string' || service?.unknown?.includes('serverId') === true;
}
