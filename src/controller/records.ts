import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { isDeepStrictEqual } from 'node:util';
import { usage } from '../diagnostics/usage.ts';
import type { DriftDocument, PlanDocument, ResultDocument } from '../index.ts';
import { type Query, inTransaction } from './transaction.ts';

/** A platform, with references to the files that have its key and the secrets of its stacks. */
export interface PlatformRecord {
  readonly id: string;
  readonly url: string;
  readonly profile: 'standard' | 'dokploy' | null;
  readonly keyFile: string;
  readonly envFile: string | null;
  readonly connections: number;
}

/** When the worker applies the plans of a stack: at once, after an approval, or never. */
export type Policy = 'automatic' | 'approval' | 'never';

/** A branch of a repository, with what holds for the stacks in it. */
export interface SourceRecord {
  readonly id: string;
  readonly url: string;
  readonly ref: string;
  readonly platform: string;
  readonly policy: Policy;
  readonly pollSeconds: number;
  readonly lookSeconds: number;
  /** The commit that was seen last. */
  readonly commit: string | null;
}

/** A root file of a source. */
export interface StackRecord {
  readonly id: string;
  readonly source: string;
  readonly path: string;
  readonly platform: string;
  readonly policy: Policy;
  /** The commit that the source has, and the one that the platform was last in step with. */
  readonly wanted: string | null;
  readonly applied: string | null;
  /** The digest of the manifest that the platform was last in step with. */
  readonly digest: string | null;
  readonly isPaused: boolean;
  readonly isGone: boolean;
}

/** A plan that waits for a verdict, or has one. */
export interface PlanRecord {
  readonly digest: string;
  readonly commit: string;
  readonly cause: 'commit' | 'drift';
  readonly document: PlanDocument;
  readonly file: string;
  /** true: approved and not refused; undefined: there is no verdict yet. */
  readonly isApproved: boolean | undefined;
}

/** What a run did, as its row has it. */
export interface RunEnd {
  readonly ending: string;
  readonly document?: PlanDocument | ResultDocument | DriftDocument | undefined;
}

/** What is known of a run when it begins. */
export interface RunBegin {
  readonly kind: 'plan' | 'apply' | 'drift' | 'follow';
  readonly cause: string;
  readonly commit: string;
  readonly worker: string;
  readonly plan?: string | undefined;
}

/** The tables of a controller. Every method is one transaction. */
export type Records = ReturnType<typeof recordsIn>;

/** The name of a plan: SHA-256 of its file, as hex. Whoever approves it approves this text and no other. */
export function digestOf(file: string): string {
  return createHash('sha256').update(file).digest('hex');
}

/** Opens the tables in a schema, which `migrate` made; in statements `@` stands for it. Sends nothing yet. */
export function recordsIn(pool: Pool, schema: string) {
  const rows = async <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    (await pool.query(text.replaceAll('@', `${schema}.`), [...values])).rows as Row[];
  const row = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row | undefined> =>
    (await rows<Row>(text, values))[0];
  const transaction = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
    inTransaction(pool, (query) => work((text, values) => query(text.replaceAll('@', `${schema}.`), values)));
  /** What changes a plan, a stack's commit or what it may do waits for its row: each sees what the one before it did. */
  const onStack = <T>(id: string, work: (query: Query) => Promise<T>): Promise<T> =>
    transaction(async (query) => {
      await query('select from @stack where id = $1 for no key update', [id]);
      return work(query);
    });

  return {
    addPlatform: ({ id, url, profile, keyFile, envFile, connections }: PlatformRecord) =>
      rows(
        `insert into @platform (id, url, profile, key_file, env_file, connections) values ($1, $2, $3, $4, $5, $6)
        on conflict (id) do update set url = $2, profile = $3, key_file = $4, env_file = $5, connections = $6`,
        [id, url, profile, keyFile, envFile, connections],
      ),
    /** Adds a source, or changes one with its stacks at once. What was planned for another platform is not applied any more. */
    addSource: ({ id, url, ref, platform, policy, pollSeconds, lookSeconds }: Omit<SourceRecord, 'commit'>) => {
      // A stack is named by its source, `:` and its path, and so is its state: two of them are never the same.
      if (!/^[\w.-]+$/.test(id))
        throw usage(`The source ${JSON.stringify(id)} is named by letters, digits, ".", "_" and "-"`);
      return transaction(async (query) => {
        await query(
          `insert into @source (id, url, ref, platform, policy, poll_seconds, look_seconds) values ($1, $2, $3, $4, $5, $6, $7)
          on conflict (id) do update set url = $2, ref = $3, platform = $4, policy = $5, poll_seconds = $6, look_seconds = $7,
            poll_at = now()`,
          [id, url, ref, platform, policy, pollSeconds, lookSeconds],
        );
        await query('select from @stack where source = $1 order by id for no key update', [id]);
        await query(
          `update @plan set superseded_at = now() where ${isOpen}
            and stack in (select id from @stack where source = $1 and platform <> $2)`,
          [id, platform],
        );
        await query(
          `update @stack set platform = $2, policy = $3, look_at = now(),
            applied = case when platform = $2 then applied end, digest = case when platform = $2 then digest end
          where source = $1 and (platform <> $2 or policy <> $3)`,
          [id, platform, policy],
        );
      });
    },
    platform: (id: string) => row<PlatformRecord>(`select ${platformColumns} from @platform where id = $1`, [id]),
    source: (id: string) => row<SourceRecord>(`select ${sourceColumns} from @source where id = $1`, [id]),
    stack: (id: string) => row<StackRecord>(`select ${stackColumns} from @stack where id = $1`, [id]),
    stacks: () => rows<StackRecord>(`select ${stackColumns} from @stack order by id`),

    /**
     * Takes sources that are due, at most so many, and says when each is due next: 10 % sooner or later, so that they do not
     * stay together.
     */
    dueSources: (most: number) =>
      rows<{ readonly id: string }>(
        `update @source set poll_at = now() + make_interval(secs => poll_seconds * (0.9 + random() * 0.2))
        where id in (select id from @source where poll_at <= now() order by poll_at limit $1 for update skip locked)
        returning id`,
        [most],
      ),
    /** The same of stacks that are due for a look at what drifted. */
    dueStacks: (most: number) =>
      rows<{ readonly id: string; readonly platform: string }>(
        `update @stack set look_at = now() + make_interval(secs =>
          (select look_seconds from @source where @source.id = @stack.source) * (0.9 + random() * 0.2))
        where id in (select id from @stack where look_at <= now() and not is_gone order by look_at limit $1
          for update skip locked)
        returning id, platform`,
        [most],
      ),

    /**
     * Notes the commit of a source, with its root files: new ones become stacks, and missing ones are gone. No plan of another
     * commit is applied any more. Gives the stacks to look at.
     */
    sawCommit: ({ id }: Pick<SourceRecord, 'id'>, commit: string, paths: readonly string[]) =>
      transaction(async (query) => {
        await query('select from @source where id = $1 for no key update', [id]);
        await query('select from @stack where source = $1 order by id for no key update', [id]);
        await query(
          `update @plan set superseded_at = now() where ${isOpen} and commit <> $2
            and stack in (select id from @stack where source = $1)`,
          [id, commit],
        );
        return query<{ readonly id: string; readonly platform: string }>(
          `with seen as (update @source set commit = $2, polled_at = now(), problem = null where id = $1
              returning id, platform, policy),
            gone as (update @stack set is_gone = true where source = $1 and path <> all($3) and not is_gone)
          insert into @stack (id, source, path, platform, policy, wanted)
            select seen.id || ':' || path, seen.id, path, platform, policy, $2 from seen, unnest($3::text[]) as path
          on conflict (id) do update set wanted = $2, is_gone = false, problem = null, platform = excluded.platform,
            policy = excluded.policy
            where @stack.wanted is distinct from $2 or @stack.is_gone
          returning id, platform`,
          [id, commit, [...paths]],
        );
      }),
    /**
     * The source has the commit that it had. Gives its stacks that were not brought to it yet and that nothing runs: a worker may
     * have ended. One that failed is called again by the queue, with its pauses.
     */
    sawNothing: ({ id }: Pick<SourceRecord, 'id'>) =>
      rows<{ readonly id: string; readonly platform: string }>(
        `with seen as (update @source set polled_at = now(), problem = null where id = $1)
        select id, platform from @stack where source = $1 and not is_gone and applied is distinct from wanted
          and problem is null and coalesce(paused_until <= now(), true)
          and not exists (select from @plan where stack = @stack.id and commit = @stack.wanted and ${isOpen} and expires_at > now())`,
        [id],
      ),
    sawProblem: (id: string, problem: string) =>
      rows(`update @source set problem = $2 where id = $1`, [id, plain(problem)]),

    /** The platform is in step with the commit that a stack wants: nothing is left to apply. Says nothing of another commit. */
    inStep: ({ id }: Pick<StackRecord, 'id'>, commit: string, digest: string) =>
      onStack(id, (query) =>
        query(
          `with old as (update @plan set superseded_at = now()
            where stack = $1 and commit = $2 and ${isOpen})
          update @stack set applied = $2, digest = $3, problem = null, looked_at = now() where id = $1 and wanted = $2`,
          [id, commit, digest],
        ),
      ),
    stackProblem: (id: string, problem: string) =>
      rows(`update @stack set problem = $2 where id = $1`, [id, plain(problem)]),

    /**
     * Keeps a plan for a verdict, in the place of the one before it. One that does the same for the same commit stays, with
     * what was said of it. Gives the plan that waits; none, where the stack wants another commit by now.
     */
    keepPlan: async (
      { id }: Pick<StackRecord, 'id'>,
      { commit, cause, document, file }: Pick<PlanRecord, 'commit' | 'cause' | 'document' | 'file'>,
    ): Promise<string | undefined> =>
      onStack(id, async (query) => {
        const [stack] = await query(
          `update @stack set problem = null, looked_at = now() where id = $1 and wanted = $2 and not is_gone returning id`,
          [id, commit],
        );
        if (stack === undefined) return undefined;
        const [current] = await query<Pick<PlanRecord, 'digest' | 'commit' | 'document'>>(
          `select digest, commit, document from @plan where stack = $1 and ${isOpen}
          and expires_at > now()`,
          [id],
        );
        if (current?.commit === commit && doesTheSame(current.document, document)) return current.digest;
        await query(`update @plan set superseded_at = now() where stack = $1 and ${isOpen}`, [id]);
        const digest = digestOf(file);
        await query(
          `insert into @plan (digest, stack, commit, cause, document, file, expires_at)
          values ($1, $2, $3, $4, $5, $6, now() + interval '7 days')`,
          [digest, id, commit, cause, jsonOf(document), file],
        );
        return digest;
      }),
    /** The plan of a stack that waits, with the verdicts on it: one refusal counts more than approvals. */
    waitingPlan: (stack: string) =>
      row<PlanRecord>(
        `select digest, commit, cause, document, file,
          (select bool_and(approves) from @verdict where plan = digest) as "isApproved"
        from @plan where stack = $1 and ${isOpen} and expires_at > now()`,
        [stack],
      ).then((found) => found && { ...found, isApproved: found.isApproved ?? undefined }),
    /**
     * Notes a verdict on a plan, and has an approved one applied soon. Who approved may still refuse. False: the plan is not one
     * that waits, or who speaks had spoken.
     */
    judge: async (
      digest: string,
      {
        who,
        role,
        approves,
        because,
      }: { readonly who: string; readonly role: string; readonly approves: boolean; readonly because: string },
    ): Promise<boolean> => {
      const plan = await row<{ readonly stack: string }>('select stack from @plan where digest = $1', [digest]);
      if (plan === undefined) return false;
      return onStack(plan.stack, async (query) => {
        const noted = await query(
          `with said as (insert into @verdict as old (plan, who, role, approves, because)
              select digest, $2, $3, $4, $5 from @plan where digest = $1 and ${isOpen}
                and expires_at > now() and not exists (select from @run where plan = $1 and ended_at is null)
              on conflict (plan, who) do update set role = $3, approves = false, because = $5, at = now()
                where old.approves and not excluded.approves
              returning plan),
            due as (update @stack set look_at = now() where id = $6 and $4 and exists (select from said))
          insert into @event (who, what, subject, about)
            select $2, case when $4 then 'approved' else 'refused' end, $6,
              jsonb_build_object('plan', $1::text, 'because', $5::text) from said returning id`,
          [digest, who, role, approves, because, plan.stack],
        );
        return noted.length > 0;
      });
    },
    /** The plan was applied, or turned out not to be what can be applied any more. */
    endPlan: (digest: string, as: 'applied' | 'superseded') =>
      rows(
        as === 'applied'
          ? `update @plan set applied_at = now() where digest = $1 and applied_at is null`
          : `update @plan set superseded_at = now() where digest = $1 and ${isOpen}`,
        [digest],
      ),

    /** Begins a run; runs of the stack that never ended have ended with their worker. */
    beginRun: ({ id }: Pick<StackRecord, 'id'>, about: RunBegin): Promise<string> => begin(rows, id, about),
    /**
     * Begins an apply, of an approved plan or by the policy. None, where something changed since the stack was read: it wants another
     * commit, it is paused, its policy is another one, or the plan does not wait or is refused. From here on no verdict is noted.
     */
    beginApply: ({ id }: Pick<StackRecord, 'id'>, about: Omit<RunBegin, 'kind'>): Promise<string | undefined> =>
      onStack(id, async (query) => {
        const [may] = await query(
          `select from @stack where id = $1 and wanted = $2 and not is_gone and coalesce(paused_until <= now(), true)
            and case when $3::text is null then policy = 'automatic' else policy <> 'never' and exists (
              select from @plan where digest = $3 and stack = $1 and commit = $2 and ${isOpen} and expires_at > now()
                and (select bool_and(approves) from @verdict where plan = digest)) end`,
          [id, about.commit, about.plan ?? null],
        );
        if (may === undefined) return undefined;
        // Until it is done, the platform may be in step with no commit at all.
        if (about.cause === 'commit') await query('update @stack set digest = null where id = $1', [id]);
        return begin(query, id, { ...about, kind: 'apply' });
      }),
    endRun: (id: string, { ending, document }: RunEnd) =>
      rows(`update @run set ended_at = now(), ending = $2, document = $3 where id = $1 and ended_at is null`, [
        id,
        ending,
        document === undefined ? null : jsonOf(document),
      ]),
    runs: (stack: string) =>
      rows<{
        readonly kind: string;
        readonly cause: string;
        readonly commit: string;
        readonly ending: string | null;
        readonly worker: string;
      }>(`select kind, cause, commit, ending, worker from @run where stack = $1 order by id`, [stack]),

    /** Lets a stack be, until a moment; undefined: it goes on. */
    pause: (
      { id }: Pick<StackRecord, 'id'>,
      { until, who, because }: { readonly until: Date | undefined; readonly who: string; readonly because: string },
    ) =>
      rows(
        `with said as (insert into @event (who, what, subject, about)
            values ($3, case when $2::timestamptz is null then 'resumed' else 'paused' end, $1, jsonb_build_object('because', $4::text)))
        update @stack set paused_until = $2, paused_by = $3, paused_because = $4, look_at = now() where id = $1`,
        [id, until ?? null, who, because],
      ),
    events: () =>
      rows<{ readonly who: string; readonly what: string; readonly subject: string }>(
        `select who, what, subject from @event order by id`,
      ),
  };
}

/** Of a plan: it was neither applied nor superseded. */
const isOpen = 'superseded_at is null and applied_at is null';

const platformColumns = `id, url, profile, key_file as "keyFile", env_file as "envFile", connections`;
const sourceColumns = `id, url, ref, platform, policy, poll_seconds as "pollSeconds", look_seconds as "lookSeconds", commit`;
const stackColumns = `id, source, path, platform, policy, wanted, applied, digest, is_gone as "isGone",
  coalesce(paused_until > now(), false) as "isPaused"`;

async function begin(query: Query, stack: string, { kind, cause, commit, worker, plan }: RunBegin): Promise<string> {
  const [begun] = await query<{ readonly id: string }>(
    `with lost as (update @run set ended_at = now(), ending = 'lost' where stack = $1 and ended_at is null)
    insert into @run (stack, kind, cause, commit, worker, plan) values ($1, $2, $3, $4, $5, $6) returning id`,
    [stack, kind, cause, commit, worker, plan ?? null],
  );
  return begun?.id ?? '';
}

/** A text without the one character that PostgreSQL does not take. */
function plain(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

function jsonOf(document: object): string {
  return JSON.stringify(document, (_key, value: unknown) => (typeof value === 'string' ? plain(value) : value));
}

/** Whether two plans do the same, whatever reading took. The first comes from the database. */
function doesTheSame(kept: PlanDocument, made: PlanDocument): boolean {
  const compared = ({ actions, dataAtRisk, overwrites, restarts, recreates, diagnostics }: PlanDocument): unknown =>
    JSON.parse(jsonOf({ actions, dataAtRisk, overwrites, restarts, recreates, diagnostics }));
  return isDeepStrictEqual(compared(kept), compared(made));
}
