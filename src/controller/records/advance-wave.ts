import { type Decision, decide } from '../waves/decide.ts';
import type { Query } from '../transaction.ts';
import { raise } from './alarms.ts';
import { noteIn } from './events.ts';
import { type WaveMember, membersIn } from './wave-stacks.ts';

/** Events of the controller itself are noted in this name. */
export const controller = 'trueup';

/** The subject of the alarm and the events of a wave. */
export const waveSubject = (id: string): string => `wave:${id}`;

/**
 * Whether the wave of a stack lets its commit be applied now; a stack without an open wave waits for none. A commit that the stack
 * wants no more (`isWanted`) was let in or not when a newer one came. To be called in the transaction that begins the apply: the row
 * of the wave stays locked, so that no other process stops it in between.
 */
export async function mayApplyIn(
  query: Query,
  { stack, commit, isWanted }: { readonly stack: string; readonly commit: string; readonly isWanted: boolean },
): Promise<boolean> {
  const [wave] = await query<{ readonly id: string; readonly isOver: boolean; readonly letIn: boolean }>(
    `select wave.id, ended_at is not null as "isOver", member.step <= wave.step and stopped_at is null as "letIn"
      from @wave wave join @wave_stack member on member.wave = wave.id
      where member.stack = $1 and member.commit = $2 and (ended_at is null or (ending = 'superseded' and not $3))
      order by wave.id desc limit 1`,
    [stack, commit, isWanted],
  );
  if (wave?.isOver === true) return wave.letIn;
  const advanced = wave && (await advanceIn(query, wave.id));
  return advanced === undefined || advanced.decision.may.has(stack);
}

/** Locks the wave that a run is part of, before its row is written; gives what brings it on afterwards. */
export async function waveOfRunIn(query: Query, run: string): Promise<() => Promise<unknown>> {
  const [wave] = await query<{ readonly id: string }>(
    `select wave.id from @run run join @wave_stack member on member.stack = run.stack join @wave wave on wave.id = member.wave
      where run.id = $1 and member.commit = run.commit and wave.ended_at is null for no key update of wave`,
    [run],
  );
  return async () => wave && advanceIn(query, wave.id);
}

/** Brings an open wave on as far as its stacks allow, and notes what happened; undefined: it is over. */
export async function advanceIn(
  query: Query,
  id: string,
): Promise<{ readonly decision: Decision; readonly members: readonly WaveMember[] } | undefined> {
  interface State {
    readonly step: number;
    readonly steps: number;
    readonly healthyMinutes: number;
    readonly isStopped: boolean;
    readonly resumedAt: string | null;
  }
  const [state] = await query<State>(
    `select step, step_count as steps, healthy_minutes as "healthyMinutes", stopped_at is not null as "isStopped",
      extract(epoch from resumed_at) * 1000 as "resumedAt"
    from @wave where id = $1 and ended_at is null for no key update`,
    [id],
  );
  if (state === undefined) return undefined;
  const members = await membersIn(query, id);
  const resumedAt = state.resumedAt === null ? undefined : Number(state.resumedAt);
  const decision = decide({ ...state, resumedAt }, members, await nowIn(query));
  const note = (what: string, about: Readonly<Record<string, unknown>>) =>
    noteIn(query, { who: controller, what, subject: waveSubject(id), about });
  if (decision.step > state.step) {
    await query('update @wave set step = $2, step_at = now() where id = $1', [id, decision.step]);
    await note('wave opened a step', { step: decision.step + 1, of: state.steps });
  }
  if (decision.is === 'stopped' && decision.by !== undefined) {
    const { stack, because } = decision.by;
    await query(
      'update @wave set stopped_at = now(), stopped_by = null, stopped_stack = $2, stopped_because = $3 where id = $1',
      [id, stack, because],
    );
    await note('wave stopped', { stack, because, step: decision.step + 1 });
    const digest = `${stack} ${because}`;
    await raise(query, { kind: 'wave', subject: waveSubject(id), of: stack, digest, about: { stack, because } });
  }
  if (decision.is === 'done') {
    await query(`update @wave set ended_at = now(), ending = 'done' where id = $1`, [id]);
    await note('wave done', {});
  }
  return { decision, members };
}

/** Milliseconds since 1970, by the clock of the database. */
export async function nowIn(query: Query): Promise<number> {
  const [row] = await query<{ readonly now: string }>('select extract(epoch from clock_timestamp()) * 1000 as now', []);
  return Number(row?.now);
}
