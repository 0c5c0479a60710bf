import { interruptible } from '../api/client.ts';
import { apply } from '../apply/apply.ts';
import type { ApplyResult } from '../apply/job.ts';
import type { ApplyInput } from '../apply/apply-run.ts';
import { kindsThere } from '../kind/kinds-on.ts';
import { withTop } from '../kind/top.ts';
import type { Plan } from '../plan/action.ts';
import { type Permissions, requirePermissions } from '../plan/safeguard.ts';
import { digestsOf } from '../state/digests.ts';
import { inSpan } from '../trace/span.ts';
import type { Connection } from './connection.ts';

/** plan -> platform: sends what the plan says and nothing else. What was not permitted stops it before the first request. */
export async function applyPlan(
  made: Plan,
  connection: Connection,
  options: { readonly permissions: Permissions } & Pick<
    ApplyInput,
    'connections' | 'deploying' | 'inFlightTimeoutMs' | 'clock' | 'onEvent' | 'signal'
  >,
): Promise<ApplyResult> {
  const { permissions, ...how } = options;
  const { client, store, addSecret, ask } = connection;
  requirePermissions(made, permissions);
  const ownsProject = made.actions.some(({ kind }) => kind.isTop === true);
  const input = {
    ...how,
    plan: made,
    kinds: kindsThere(ownsProject ? withTop(connection.kinds) : connection.kinds, client.contract),
    client: how.signal === undefined ? client : interruptible(client, how.signal),
    store,
    digests: digestsOf(await store.key(), made.base),
    addSecret,
    ask,
  };
  return inSpan('apply', () => apply(input));
}
