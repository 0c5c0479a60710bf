import { ForgeError } from '../../forge/call-forge.ts';
import type { Repository } from '../../forge/repository.ts';
import { writeStatus } from '../../forge/statuses.ts';
import { type AtForge, withForge } from './forge-of-source.ts';
import { statusOf } from './status-text.ts';

/** Most requests in one job. */
const most = 50;

/**
 * Tells the forge of a source what is true of its commits and it does not know, one after the other. What it refuses is noted, and
 * fails nothing.
 *
 * @throws as `withForge`
 */
export async function sendStatuses(
  { records, address }: Pick<AtForge, 'records' | 'address'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const send = async (forge: Repository): Promise<void> => {
    for (const due of await records.dueStatuses(id, most)) {
      signal.throwIfAborted();
      const status = statusOf(due, address);
      const problem = await writeStatus(forge, status).then(
        () => undefined,
        (error: unknown) => refusalOf(error),
      );
      await records.saidStatus(due, { state: status.state, problem });
    }
  };
  await withForge({ records }, id, send, signal);
}

/** Why a forge refused this very status. @throws what is no such refusal */
function refusalOf(error: unknown): string {
  if (error instanceof ForgeError && [400, 404, 409, 422].includes(error.status)) return error.message;
  throw error;
}
