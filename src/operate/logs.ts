import type { Client } from '../api/client.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { idMember } from '../kind/wire.ts';
import { projectLists } from '../observe/ownership.ts';
import { createReader } from '../observe/reader.ts';
import { knowingInput } from '../secrets/call-secrets.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { Addressed } from './addressed.ts';
import { checkInput } from './check-input.ts';

/** The part of a log to read, in the words of the platform. */
export interface LogFilter {
  /** Number of lines from the end. */
  readonly tail?: string | undefined;
  /** `10m`, `2h`. */
  readonly since?: string | undefined;
  readonly search?: string | undefined;
}

/** One request for the log of a service; it is checked and not sent. */
export interface LogRequest {
  readonly object: Addressed;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Makes the request for the log of a service.
 *
 * @throws {Stop} `refused`, when the platform documents no log of this kind; `usage`, when the filter is not valid.
 */
export function logRequest(object: Addressed, filter: LogFilter, kinds: readonly Kind[]): LogRequest {
  const { kind, id, address } = object;
  const { tail, since, search } = filter;
  if (kind.service?.logs === undefined) {
    const others = kinds.filter(({ service }) => service?.logs !== undefined).map((other) => other.kind);
    throw new Stop('refused', [
      diagnostic('cannot-change', `the platform documents no log for the kind ${kind.kind}`, {
        address,
        remedy: `It documents that of: ${others.join(', ')}. trueup status shows how a service is.`,
      }),
    ]);
  }
  const input = {
    [idMember(kind, kind.service.logs)]: id,
    ...(tail === undefined ? {} : { tail: /^\d+$/.test(tail) ? Number(tail) : tail }),
    ...(since === undefined ? {} : { since }),
    ...(search === undefined ? {} : { search }),
  };
  const wrong = checkInput(kind.service.logs, input, undefined, 'trueup logs --help shows what its options take.');
  if (wrong.length > 0) throw new Stop('usage', wrong);
  return { object, input };
}

/** What a log is read with. */
interface LogReading {
  readonly redactor: Redactor;
  readonly showsSecrets: boolean;
  readonly kinds: readonly Kind[];
  /** The project that the service has to be in; undefined where neither a manifest nor a state names one. */
  readonly project: string | undefined;
}

/**
 * Reads a log, once the platform shows the service inside the project. Without `showsSecrets` it reads the service first,
 * so that the log does not show the secrets in its row.
 *
 * @throws {Stop} `refused`, when the service is in another project.
 * @throws {PlatformError} when the platform does not answer, or refuses.
 */
export async function readLog(
  client: Client,
  { object, input }: LogRequest,
  { redactor, showsSecrets, kinds, project }: LogReading,
): Promise<string> {
  const { kind, id } = object;
  const reader = createReader(client);
  const row = showsSecrets ? undefined : await reader.row(kind, id);
  if (project !== undefined) {
    const foreign = await projectLists({ kinds, reader, projectId: project }).foreignAmong([{ ...object, row }]);
    if (foreign.length > 0) throw new Stop('refused', foreign);
  }
  // Somebody waits for it: a service that does not run is not asked a second time.
  const log = await reader.log(kind, id, input);
  return knowingInput(redactor, row ?? {}).redactForeign(log);
}
