import { usage } from '../../diagnostics/usage.ts';
import type { Query } from '../transaction.ts';

/** What is known of a run when it begins. */
export interface RunBegin {
  readonly kind: 'plan' | 'apply' | 'drift' | 'follow';
  readonly cause: string;
  readonly commit: string;
  readonly worker: string;
  readonly plan?: string | undefined;
}

/** Of a run: its worker gave no sign of life for 30 seconds. */
export const isLost = `ended_at is null and beat_at < now() - interval '30 seconds'`;

/** Begins a run of a stack, whose lost runs end. Gives its id. */
export async function beginRunIn(
  query: Query,
  stack: string,
  { kind, cause, commit, worker, plan }: RunBegin,
): Promise<string> {
  const [begun] = await query<{ readonly id: string }>(
    `with lost as (update @run set ended_at = now(), ending = 'lost' where stack = $1 and ${isLost})
    insert into @run (stack, kind, cause, commit, worker, plan) values ($1, $2, $3, $4, $5, $6) returning id`,
    [stack, kind, cause, commit, worker, plan ?? null],
  );
  return begun?.id ?? '';
}

/** Refuses to remove a source or a platform while a stack of it runs. @throws {Stop} `usage` */
export async function refuseRunning(query: Query, what: 'source' | 'platform', id: string): Promise<void> {
  const [running] = await query<{ readonly stack: string }>(
    `select stack from @run join @stack on stack = @stack.id where ${what} = $1 and ended_at is null order by stack limit 1`,
    [id],
  );
  if (running !== undefined)
    throw usage(`The ${what} ${id} has a stack that runs: ${running.stack}`, 'Wait for its run, or stop it.');
}
