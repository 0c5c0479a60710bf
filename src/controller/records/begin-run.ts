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
