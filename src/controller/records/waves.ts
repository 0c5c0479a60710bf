import { type Decision, decide } from '../waves/decide.ts';
import { type Standing, type Wait, standingOf, waitsOf } from '../waves/waits.ts';
import { renew } from '../waves/renew.ts';
import { type Labelled, type WaveSettings, stepsOf, waveOf } from '../waves/steps.ts';
import type { Query } from '../transaction.ts';
import { clear, raise } from './alarms.ts';
import type { Database } from './database.ts';
import { noteIn } from './events.ts';
import { type DueStack, dueColumns } from './place-stacks.ts';
import { type WaveMember, membersIn } from './wave-stacks.ts';

/** A commit on its way to the stacks of a source, step by step. */
export interface WaveRecord {
  readonly id: string;
  /** Its name in the settings. */
  readonly name: string;
  readonly source: string;
  readonly commit: string;
  readonly healthyMinutes: number;
  /** The steps of the settings when it began. */
  readonly steps: WaveSettings['steps'];
  /** The step that is open, from 0, and since when. */
  readonly step: number;
  readonly stepAt: Date;
  readonly beganAt: Date;
  /** Set while it is stopped. `by`: who stopped it; null: the failure of `stack` did. */
  readonly stopped: {
    readonly at: Date;
    readonly by: string | null;
    readonly stack: string | null;
    readonly because: string;
  } | null;
  readonly endedAt: Date | null;
  readonly ending: 'done' | 'superseded' | null;
}

/** Who has a wave stop or go on, and why. */
export interface Word {
  readonly who: string;
  readonly because: string;
}

/** Events of the controller itself are noted in this name. */
const controller = 'trueup';

/** The subject of the alarm and the events of a wave. */
export const waveSubject = (id: string): string => `wave:${id}`;

const columns = `id, name, source, commit, healthy_minutes as "healthyMinutes", steps, step, step_at as "stepAt", began_at as "beganAt",
  case when stopped_at is not null then json_build_object('at', extract(epoch from stopped_at) * 1000, 'by', stopped_by,
    'stack', stopped_stack, 'because', stopped_because) end as stopped,
  ended_at as "endedAt", ending`;

interface Row extends Omit<WaveRecord, 'stopped'> {
  readonly stopped: (Omit<NonNullable<WaveRecord['stopped']>, 'at'> & { readonly at: number }) | null;
}

const recordOf = ({ stopped, ...row }: Row): WaveRecord => ({
  ...row,
  stopped: stopped && { ...stopped, at: new Date(stopped.at) },
});

/** A stack that a wave brings to a commit. */
interface Member extends Labelled {
  readonly commit: string;
  /** Runs after this one count for the wave; null: those that begin from now on. */
  readonly afterRun: string | null;
}

/** What a wave goes on with, of those that handed stacks to it. */
interface Former {
  /** Failures up to then do not count any more. */
  readonly resumedAt: Date | null;
  /** Set where a person stopped it. */
  readonly stoppedAt: Date | null;
  readonly stoppedBy: string | null;
  readonly stoppedBecause: string | null;
}

/**
 * Puts the stacks of a source that got a new commit into waves, with those that the waves before it were on their way to: what is
 * known of these stays. To be called in the transaction that notes the commit, so that no stack of a later step is applied in between.
 */
export async function beginWavesIn(
  query: Query,
  {
    source,
    commit,
    waves,
  }: { readonly source: string; readonly commit: string; readonly waves: readonly WaveSettings[] },
): Promise<void> {
  const changed = await query<Member>(
    `select id, labels, wanted as commit, null as "afterRun" from @stack
      where source = $1 and wanted = $2 and pull is null and not is_gone
        and not exists (select from @wave_stack as member join @wave as wave on wave.id = member.wave
          where member.stack = @stack.id and member.commit = $2 and ended_at is null) order by id`,
    [source, commit],
  );
  const { over, stacks } = renew(waves, await openWavesIn(query, source), changed);
  for (const { id } of over) {
    await query(`update @wave set ended_at = now(), ending = 'superseded' where id = $1`, [id]);
    await noteIn(query, { who: controller, what: 'wave superseded', subject: waveSubject(id), about: { commit } });
    await clear(query, ['wave'], waveSubject(id));
  }
  for (const wave of waves) {
    const own = new Set(stacks.filter((stack) => waveOf(waves, stack) === wave));
    const former = over.filter((one) => one.stacks.some((stack) => own.has(stack)));
    if (own.size > 0) await beginWave(query, { source, commit, wave, stacks: [...own], former });
  }
}

/** The open waves of a source, with the stacks that still want what they bring. */
async function openWavesIn(query: Query, source: string) {
  interface OpenWave extends Former {
    readonly id: string;
    readonly name: string;
    readonly members: readonly string[];
    readonly stacks: readonly Member[];
  }
  const open = await query<OpenWave>(
    `select wave.id, name, resumed_at as "resumedAt", case when stopped_by is not null then stopped_at end as "stoppedAt",
      stopped_by as "stoppedBy", stopped_because as "stoppedBecause", array_agg(stack.id) as members,
      coalesce(json_agg(json_build_object('id', stack.id, 'labels', stack.labels, 'commit', member.commit,
          'afterRun', member.after_run::text, 'isLetIn', member.step <= wave.step) order by stack.id) filter (where stack.wanted = member.commit and not stack.is_gone), '[]') as stacks
    from @wave as wave join @wave_stack as member on member.wave = wave.id join @stack as stack on stack.id = member.stack
    where wave.source = $1 and ended_at is null group by wave.id order by wave.id`,
    [source],
  );
  return open.map((wave) => ({ ...wave, members: new Set(wave.members) }));
}

async function beginWave(
  query: Query,
  {
    source,
    commit,
    wave,
    stacks,
    former,
  }: {
    readonly source: string;
    readonly commit: string;
    readonly wave: WaveSettings;
    readonly stacks: readonly Member[];
    readonly former: readonly Former[];
  },
): Promise<void> {
  const { name, healthyMinutes } = wave;
  const steps = stepsOf(wave, stacks, commit);
  const resumed = former.flatMap(({ resumedAt }) => (resumedAt === null ? [] : [resumedAt.getTime()]));
  const stopped = former.find(({ stoppedBy }) => stoppedBy !== null);
  const [{ id } = { id: '' }] = await query<{ readonly id: string }>(
    `insert into @wave (name, source, commit, healthy_minutes, steps, step_count, resumed_at, stopped_at, stopped_by, stopped_because)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [
      name,
      source,
      commit,
      healthyMinutes,
      JSON.stringify(wave.steps),
      steps.length,
      resumed.length === 0 ? null : new Date(Math.max(...resumed)),
      stopped?.stoppedAt ?? null,
      stopped?.stoppedBy ?? null,
      stopped?.stoppedBecause ?? null,
    ],
  );
  const stepOf = new Map(steps.flatMap((ids, step) => ids.map((stack) => [stack, step])));
  await query(
    `insert into @wave_stack (wave, stack, commit, after_run, step)
      select $1, stack, commit, coalesce(after_run, (select coalesce(max(id), 0) from @run)), step
      from unnest($2::text[], $3::text[], $4::bigint[], $5::int[]) as member (stack, commit, after_run, step)`,
    [
      id,
      stacks.map((stack) => stack.id),
      stacks.map((stack) => stack.commit),
      stacks.map(({ afterRun }) => afterRun),
      stacks.map((stack) => stepOf.get(stack.id)),
    ],
  );
  const about = { name, source, commit, steps: steps.map((ids) => ids.length) };
  await noteIn(query, { who: controller, what: 'wave began', subject: waveSubject(id), about });
  if (stopped !== undefined) {
    const { stoppedBy: by, stoppedBecause: because } = stopped;
    await noteIn(query, {
      who: controller,
      what: 'wave stays stopped',
      subject: waveSubject(id),
      about: { by, because },
    });
  }
  // No viewer sees it, and no admin stops it, at a step that waits for nothing, such as one without stacks.
  const advanced = await advanceIn(query, id);
  // Who sees a commit sends the stacks that it changes once: those that may are applied then.
  await query('update @wave_stack set sent_at = now() where wave = $1 and commit = $2 and stack = any($3)', [
    id,
    commit,
    [...(advanced?.decision.may ?? [])],
  ]);
}

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
async function advanceIn(
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
async function nowIn(query: Query): Promise<number> {
  const [row] = await query<{ readonly now: string }>('select extract(epoch from clock_timestamp()) * 1000 as now', []);
  return Number(row?.now);
}

/** A wave with its stacks, by their steps, how each stands, and what the next step waits for. */
export interface WaveView extends WaveRecord {
  readonly stacks: readonly (WaveMember & { readonly is: Standing })[];
  readonly waits: readonly Wait[];
}

export function wavesIn({ rows, row, transaction }: Database) {
  return {
    /** Open waves, and as many of those that are over. The newest first. */
    waves: async (most = 50) =>
      (
        await rows<Row>(
          `(select ${columns} from @wave where ended_at is null) union all
          (select ${columns} from @wave where ended_at is not null order by id desc limit $1) order by id desc`,
          [most],
        )
      ).map(recordOf),
    wave: async (id: string): Promise<WaveView | undefined> => {
      const found = /^\d{1,18}$/.test(id)
        ? await row<Row>(`select ${columns} from @wave where id = $1`, [id])
        : undefined;
      if (found === undefined) return undefined;
      const wave = recordOf(found);
      const [members, now] = [await membersIn(rows, id), await nowIn(rows)];
      const stacks = members.map((stack) => ({ ...stack, is: standingOf(wave, stack, now) }));
      const isOpen = wave.endedAt === null && wave.stopped === null;
      return { ...wave, stacks, waits: isOpen ? waitsOf(wave, members, now) : [] };
    },

    /**
     * Brings the open waves on that no worker looked at in the last second, and gives the stacks that may be brought to their commits
     * now. One that is given and comes to no run is given again after a minute.
     */
    dueInWaves: async (most: number): Promise<readonly DueStack[]> => {
      const due = await rows<{ readonly id: string }>(
        `update @wave set look_at = now() + interval '1 s' where id in (select id from @wave
          where ended_at is null and look_at <= now() order by look_at limit $1 for no key update skip locked) returning id`,
        [most],
      );
      const stacks = await Promise.all(
        due.map(({ id }) =>
          transaction(async (query) => {
            const advanced = await advanceIn(query, id);
            if (advanced === undefined) return [];
            const sent = advanced.members.filter((stack) => isToSend(stack, advanced.decision)).slice(0, most);
            return query<DueStack>(
              `with sent as (update @wave_stack set sent_at = now() where wave = $1 and stack = any($2))
              select ${dueColumns('@stack')} from @stack where id = any($2) order by id`,
              [id, sent.map((stack) => stack.id)],
            );
          }),
        ),
      );
      return stacks.flat();
    },

    /** Has a wave go on that was stopped: failures until now do not count any more. False: it is over, or not stopped. */
    resumeWave: (id: string, { who, because }: Word): Promise<boolean> =>
      transaction(async (query) => {
        const resumed = await query(
          `update @wave set stopped_at = null, stopped_by = null, stopped_stack = null, stopped_because = null,
            resumed_at = now(), look_at = now() where id = $1 and ended_at is null and stopped_at is not null returning id`,
          [id],
        );
        if (resumed.length === 0) return false;
        await query('update @wave_stack set sent_at = null where wave = $1', [id]);
        await noteIn(query, { who, what: 'wave resumed', subject: waveSubject(id), about: { because } });
        await clear(query, ['wave'], waveSubject(id));
        return true;
      }),
    /** Stops a wave: nothing of it begins any more. False: it is over, or stopped. */
    stopWave: (id: string, { who, because }: Word): Promise<boolean> =>
      transaction(async (query) => {
        const stopped = await query(
          `update @wave set stopped_at = now(), stopped_by = $2, stopped_stack = null, stopped_because = $3
          where id = $1 and ended_at is null and stopped_at is null returning id`,
          [id, who, because],
        );
        if (stopped.length === 0) return false;
        await noteIn(query, { who, what: 'wave stopped', subject: waveSubject(id), about: { because } });
        return true;
      }),
  };
}

/** Whether a job would bring a stack on: nothing runs, nothing is awaited of people, and the queue does not retry it by itself. */
function isToSend(stack: WaveMember, { may }: Decision): boolean {
  const { leftOut, paused, isRunning, isInStep, healthyAt, hasPlan, needsApproval, verdict } = stack;
  const { wasSent, isJustSent, problem } = stack;
  if (!may.has(stack.id) || leftOut !== undefined || paused !== undefined || isRunning) return false;
  if (isInStep && healthyAt !== undefined) return false;
  if (hasPlan && (verdict === 'refused' || (needsApproval && verdict === undefined))) return false;
  return !wasSent || (problem === null && !isJustSent);
}
