import { attempts } from '../api/attempts.ts';
import { interruptible } from '../api/client.ts';
import { apply } from '../apply/apply.ts';
import type { ApplyResult } from '../apply/job.ts';
import type { ApplyInput } from '../apply/apply-run.ts';
import { defined } from '../formats/json.ts';
import { kindsThere } from '../kind/kinds-on.ts';
import { withTop } from '../kind/top.ts';
import type { Plan } from '../plan/action.ts';
import { type Permissions, requirePermissions } from '../plan/safeguard.ts';
import { systemClock } from '../state/clock.ts';
import { digestsOf } from '../state/digests.ts';
import { inSpan } from '../trace/span.ts';
import type { Connection } from './connection.ts';

/** How a plan is applied. By default apply waits 15 minutes at most for a deployment. */
type ApplyingOptions = { readonly permissions: Permissions } & Pick<ApplyInput, 'connections'> &
  Partial<Pick<ApplyInput, 'deploying' | 'inFlightTimeoutMs' | 'quietSince' | 'clock' | 'onEvent' | 'signal'>>;

const usual = {
  deploying: { waits: true, limitMs: () => attempts.deployment.limitMs },
  inFlightTimeoutMs: attempts.effect.timeoutMs,
  clock: systemClock,
  onEvent: () => undefined,
};

/** plan -> platform: sends what the plan says and nothing else. What was not permitted stops it before the first request. */
export async function applyPlan(made: Plan, connection: Connection, options: ApplyingOptions): Promise<ApplyResult> {
  const { permissions, signal, ...how } = options;
  const { client, store, addSecret, ask } = connection;
  requirePermissions(made, permissions);
  const { clock = systemClock } = how;
  const ownsProject = made.actions.some(({ kind }) => kind.isTop === true);
  const input = {
    ...usual,
    quietSince: clock.monotonic(), // without a lock, an earlier run may have ended just now
    ...defined(how),
    signal,
    plan: made,
    kinds: kindsThere(ownsProject ? withTop(connection.kinds) : connection.kinds, client.contract),
    client: signal === undefined ? client : interruptible(client, signal),
    store,
    digests: digestsOf(await store.key(), made.base),
    addSecret,
    ask,
  };
  return inSpan('apply', () => apply(input));
}
