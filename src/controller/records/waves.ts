import type { Decision } from '../waves/decide.ts';
import { type Standing, type Wait, standingOf, waitsOf } from '../waves/waits.ts';
import type { WaveSettings } from '../waves/steps.ts';
import { advanceIn, nowIn, waveSubject } from './advance-wave.ts';
import { clear } from './alarms.ts';
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

/** A wave with its stacks, by their steps, how each stands, and what the next step waits for. */
export interface WaveView extends WaveRecord {
  readonly stacks: readonly (WaveMember & { readonly is: Standing })[];
  readonly waits: readonly Wait[];
}

export function wavesIn({ rows, row, transaction }: Database) {
  return {
    /** Says how new commits reach stacks, for all workers that poll. */
    setWaves: (waves: readonly WaveSettings[]) =>
      rows('insert into @wave_settings (waves) values ($1) on conflict (is_one) do update set waves = $1', [
        JSON.stringify(waves),
      ]),
    waveSettings: async (): Promise<readonly WaveSettings[]> =>
      (await row<{ readonly waves: readonly WaveSettings[] }>('select waves from @wave_settings'))?.waves ?? [],
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
