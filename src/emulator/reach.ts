import { failed } from './error-answers.ts';
import type { Json } from './json-rows.ts';
import type { Store } from './table-store.ts';

/**
 * Whether nothing answers at an address, or a credential is refused: the emulator reaches nothing outside, so the text
 * says it. The port 9 of the machine itself, names below `.example` and the word `fake` stand for what does not answer.
 */
export function isOutOfReach(...values: readonly (Json | undefined)[]): boolean {
  return values.some(
    (value) => typeof value === 'string' && /127\.0\.0\.1(:9\b|$)|\.example(\/|$)|\bfake\b|_fake/.test(value),
  );
}

/** Why a command cannot be run on a server; undefined when it can, and for the machine of the platform itself. */
export function whyUnreachable(store: Store, serverId: Json | undefined): string | undefined {
  const server = store.find('server', serverId);
  if (server === undefined || store.world.everyServerAnswers === true) return undefined;
  if ((server['sshKeyId'] ?? null) === null) return 'No SSH key available for this server';
  return isOutOfReach(server['ipAddress'])
    ? `SSH connection error: connect ECONNREFUSED ${String(server['ipAddress'])}:${String(server['port'])}`
    : undefined;
}

/** Runs a command on a server. @throws {ApiError} when the server cannot be reached. */
export function reachServer(store: Store, serverId: Json | undefined): void {
  const why = whyUnreachable(store, serverId);
  if (why !== undefined) throw failed(why);
}
