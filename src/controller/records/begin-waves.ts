import { renew } from '../waves/renew.ts';
import { type Labelled, type WaveSettings, stepsOf, waveOf } from '../waves/steps.ts';
import type { Query } from '../transaction.ts';
import { advanceIn, controller, waveSubject } from './advance-wave.ts';
import { clear } from './alarms.ts';
import { noteIn } from './events.ts';

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
  // A person who stops or resumes one meanwhile has done so before, or finds it over.
  await query('select from @wave where source = $1 and ended_at is null order by id for no key update', [source]);
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
