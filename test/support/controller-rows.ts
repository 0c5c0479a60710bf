import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { exampleDocuments } from '../../scripts/support/example-pages.ts';
import type { EventDocument, PlanDocument, ResultDocument } from '../../src/render/document-schemas.ts';

/** Rows of a controller in every state that its pages show, by the tables alone. */

/** Documents of real runs. */
export interface Documents {
  readonly plan: PlanDocument;
  readonly drift: object;
  readonly result: ResultDocument;
  readonly events: readonly EventDocument[];
}

/** The documents of the example of the report. */
export async function controllerDocuments(): Promise<Documents> {
  const { plan, apply, drift } = await exampleDocuments();
  const lines = apply
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly format: string });
  return {
    plan: JSON.parse(plan) as PlanDocument,
    drift: JSON.parse(drift) as object,
    result: lines.find(({ format }) => format === 'trueup/result') as unknown as ResultDocument,
    events: lines.filter(({ format }) => format === 'trueup/event') as unknown as EventDocument[],
  };
}

/** A stack to be written. Ages are minutes. */
export interface NewStack {
  readonly id: string;
  readonly platform?: string;
  readonly policy?: 'automatic' | 'approval' | 'never';
  readonly labels?: Readonly<Record<string, string>>;
  readonly isBehind?: boolean;
  readonly isNew?: boolean;
  readonly problem?: string;
  readonly lookedAgo?: number;
  readonly pausedFor?: number;
  readonly isGone?: boolean;
}

const oldCommit = '4be1c7a09d21f3347c5b1d8f60e3a7b2c9d0e1f2';
export const newCommit = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b';

/** Writes rows of a schema. */
export function rowsOf(pool: Pool, schema: string) {
  const send = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await pool.query(text.replaceAll('@', `${schema}.`), [...values])).rows as Row[];
  return {
    send,
    platform: (id: string, labels: object = {}) =>
      send(
        `insert into @platform (id, url, profile, key_file, connections, labels) values ($1, $2, 'dokploy', $3, 4, $4)`,
        [id, `https://${id}.example.com`, `/run/credentials/${id}.key`, labels],
      ),
    source: (
      id: string,
      about: { readonly polledAgo?: number; readonly problem?: string; readonly labels?: object } = {},
    ) =>
      send(
        `insert into @source (id, url, ref, policy, poll_seconds, look_seconds, commit, polled_at, poll_at, problem, labels)
        values ($1, $2, 'refs/heads/main', 'approval', 60, 3600, $3, now() - make_interval(mins => $4), now() + interval '30 s', $5, $6)`,
        [
          id,
          `https://git.example.com/${id}.git`,
          newCommit,
          about.polledAgo ?? 0,
          about.problem ?? null,
          about.labels ?? {},
        ],
      ),
    stack: (one: NewStack) => {
      const [source = '', path = ''] = one.id.split(/:(.*)/s);
      return send(
        `insert into @stack (id, source, path, platform, policy, labels, wanted, applied, looked_at, problem, paused_until, paused_by,
          paused_because, is_gone, look_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, now() - make_interval(mins => $9), $10, now() + make_interval(hours => $11),
          $12, $13, $14, now() + interval '40 min')`,
        [
          one.id,
          source,
          path,
          one.platform ?? 'north',
          one.policy ?? 'approval',
          one.labels ?? {},
          newCommit,
          one.isNew === true ? null : one.isBehind === true ? oldCommit : newCommit,
          one.lookedAgo ?? 12,
          one.problem ?? null,
          one.pausedFor ?? null,
          one.pausedFor === undefined ? null : 'ops@example.com',
          one.pausedFor === undefined ? null : 'moving the database to another server',
          one.isGone === true,
        ],
      );
    },
    /** Gives the digest of a plan. */
    plan: async (
      stack: string,
      document: object,
      about: {
        readonly cause?: string;
        readonly ago?: number;
        readonly as?: 'superseded' | 'applied' | 'expired';
        readonly isNeeded?: boolean;
      } = {},
    ): Promise<string> => {
      const { cause = 'commit', ago = 5, as, isNeeded = false } = about;
      const { actions = [] } = document as Partial<PlanDocument>;
      const losing = actions.filter(({ dataAtRisk }) => dataAtRisk !== undefined).map(({ address }) => address);
      const digest = createHash('sha256')
        .update(`${stack} ${cause} ${ago} ${as ?? ''}`)
        .digest('hex');
      await send(
        `insert into @plan (digest, stack, commit, cause, document, file, losing, authors, is_needed, made_at, expires_at, superseded_at,
          applied_at)
        values ($1, $2, $3, $4, $5, 'file', $8, $9, $10, now() - make_interval(mins => $6),
          now() + case when $7 = 'expired' then interval '-1 h' else interval '6 days' end,
          case when $7 = 'superseded' then now() end, case when $7 = 'applied' then now() end)`,
        [
          digest,
          stack,
          newCommit,
          cause,
          document,
          ago,
          as ?? '',
          losing,
          JSON.stringify([{ name: 'dev', email: 'dev@example.com' }]),
          isNeeded || losing.length > 0,
        ],
      );
      return digest;
    },
    verdict: (plan: string, who: string, approves: boolean, because: string) =>
      send(`insert into @verdict (plan, who, role, approves, because) values ($1, $2, 'approver', $3, $4)`, [
        plan,
        who,
        approves,
        because,
      ]),
    /** Gives the id of a run. */
    run: async (
      stack: string,
      about: {
        readonly kind: string;
        readonly cause?: string;
        readonly ending?: string;
        readonly document?: object | undefined;
        readonly plan?: string;
        readonly ago?: number;
        readonly seconds?: number;
      },
    ): Promise<string> => {
      const { kind, cause = 'commit', ending = null, document = null, plan = null, ago = 5, seconds = 8 } = about;
      const [row] = await send<{ readonly id: string }>(
        `insert into @run (stack, kind, cause, commit, plan, worker, began_at, ended_at, ending, document)
        values ($1, $2, $3, $4, $5, 'worker-1 4711', now() - make_interval(mins => $6),
          case when $7::text is not null then now() - make_interval(mins => $6) + make_interval(secs => $9) end, $7, $8)
        returning id`,
        [stack, kind, cause, newCommit, plan, ago, ending, document, seconds],
      );
      return row?.id ?? '';
    },
    /** Gives the id of a wave over stacks, a list for each step. */
    wave: async (
      name: string,
      source: string,
      steps: readonly (readonly string[])[],
      about: { readonly step?: number; readonly stoppedAt?: string; readonly ending?: string } = {},
    ): Promise<string> => {
      const { step = 0, stoppedAt = null, ending = null } = about;
      const [row] = await send<{ readonly id: string }>(
        `insert into @wave (name, source, commit, healthy_minutes, steps, step_count, step, began_at, step_at,
          stopped_at, stopped_stack, stopped_because, ended_at, ending)
        values ($1, $2, $3, 10, $4, $5, $6, now() - interval '40 min', now() - interval '12 min',
          case when $7::text is not null then now() - interval '4 min' end, $7,
          case when $7::text is not null then 'its apply ended as partly' end, case when $8::text is not null then now() end, $8)
        returning id`,
        [name, source, newCommit, JSON.stringify(steps.map(() => 'rest')), steps.length, step, stoppedAt, ending],
      );
      for (const [at, stacks] of steps.entries())
        for (const stack of stacks)
          await send(`insert into @wave_stack (wave, stack, commit, after_run, step) values ($1, $2, $3, 0, $4)`, [
            row?.id,
            stack,
            newCommit,
            at,
          ]);
      return row?.id ?? '';
    },
    event: (who: string, what: string, subject: string, about: object = {}) =>
      send('insert into @event (who, what, subject, about) values ($1, $2, $3, $4)', [who, what, subject, about]),
  };
}

/** The names of what the pages of the example are about. */
export interface ExampleRows {
  readonly waiting: string;
  readonly repair: string;
  readonly superseded: string;
  readonly refused: string;
  readonly going: string;
  readonly done: string;
  readonly looked: string;
  readonly stopped: string;
  readonly wave: string;
}

/** Writes stacks of three repositories on three platforms, one or more in each state. */
export async function exampleRows(pool: Pool, schema: string): Promise<ExampleRows> {
  const documents = await controllerDocuments();
  const rows = rowsOf(pool, schema);
  const site = (name: string) => ({ tier: 'site', ring: name === 'lyon' ? 'canary' : 'rest' });
  await rows.platform('north', { region: 'north' });
  await rows.platform('south', { region: 'south' });
  await rows.platform('tools');
  await rows.source('sites');
  await rows.source('shops', { labels: { tier: 'shop' } });
  await rows.source('internal', {
    polledAgo: 47,
    problem: 'cannot read the source internal: git says: Could not resolve host: git.example.com',
  });
  const stack = (id: string, about: Partial<NewStack> = {}) => rows.stack({ id, ...about });
  const shop = { labels: { tier: 'shop', ring: 'canary' }, platform: 'north' } as const;
  await stack('shops:checkout/trueup.yaml', { ...shop, isBehind: true });
  await stack('shops:catalogue/trueup.yaml', { ...shop, labels: { tier: 'shop' }, isBehind: true });
  await stack('shops:search/trueup.yaml', {
    ...shop,
    isBehind: true,
    problem:
      'the apply ended as partly: the deployment of application production.application.api failed: the container exited with code 1\n-> Its log on the platform shows more.',
    lookedAgo: 4,
  });
  await stack('shops:basket/trueup.yaml', { ...shop, isBehind: true, policy: 'automatic' });
  await stack('shops:accounts/trueup.yaml', { ...shop, labels: { tier: 'shop' } });
  await stack('shops:billing-and-invoices-of-all-regions/trueup.yaml', {
    ...shop,
    labels: { tier: 'shop' },
    pausedFor: 20,
  });
  for (const name of ['lyon', 'paris', 'lille', 'nantes', 'metz', 'brest'])
    await stack(`sites:${name}/trueup.yaml`, {
      platform: 'south',
      labels: site(name),
      policy: 'automatic',
      lookedAgo: 21,
    });
  await stack('sites:former/trueup.yaml', { platform: 'south', isGone: true });
  await stack('internal:wiki/trueup.yaml', { platform: 'tools', isBehind: true });
  await stack('internal:mail/trueup.yaml', { platform: 'tools', isBehind: true });
  await stack('internal:tickets/trueup.yaml', { platform: 'tools', policy: 'never', isBehind: true });
  await stack('internal:trueup.yaml', { platform: 'tools', isNew: true });
  await rows.event('ops@example.com', 'paused', 'shops:billing-and-invoices-of-all-regions/trueup.yaml', {
    because: 'moving the database to another server',
  });

  const checkout = 'shops:checkout/trueup.yaml';
  const superseded = await rows.plan(checkout, documents.plan, { ago: 90, as: 'superseded' });
  const waiting = await rows.plan(checkout, documents.plan, { ago: 6 });
  const repair = await rows.plan('sites:paris/trueup.yaml', documents.plan, { cause: 'drift', ago: 140 });
  await rows.plan('internal:tickets/trueup.yaml', documents.plan);
  const refused = await rows.plan('internal:wiki/trueup.yaml', documents.plan, { ago: 300 });
  await rows.verdict(refused, 'lead@example.com', false, 'the release notes say to migrate the database first');
  await rows.event('lead@example.com', 'refused', 'internal:wiki/trueup.yaml', {
    plan: refused,
    because: 'the release notes say to migrate the database first',
  });
  const mail = await rows.plan('internal:mail/trueup.yaml', documents.plan, { ago: 2 });
  await rows.verdict(mail, 'lead@example.com', true, 'tried on staging');
  const approved = await rows.plan('shops:catalogue/trueup.yaml', documents.plan, { ago: 3 });
  await rows.verdict(approved, 'lead@example.com', true, 'checked with the shop on staging');
  await rows.event('lead@example.com', 'approved', 'shops:catalogue/trueup.yaml', {
    plan: approved,
    because: 'checked with the shop on staging',
  });
  const applied = await rows.plan(checkout, documents.plan, { ago: 1_500, as: 'applied' });
  await rows.verdict(applied, 'lead@example.com', true, 'as announced');

  const look = { kind: 'drift', cause: 'look', document: documents.drift } as const;
  await rows.run(checkout, { kind: 'plan', ending: 'done', document: documents.plan, ago: 1_501 });
  const done = await rows.run(checkout, {
    kind: 'apply',
    ending: 'done',
    document: documents.result,
    plan: applied,
    ago: 1_490,
    seconds: 96,
  });
  await rows.run(checkout, { ...look, ending: 'in step', ago: 700 });
  await rows.run(checkout, { kind: 'plan', ending: 'done', document: documents.plan, ago: 6 });
  const looked = await rows.run('sites:paris/trueup.yaml', { ...look, ending: 'drifted', ago: 140 });
  await rows.run('shops:search/trueup.yaml', { kind: 'plan', ending: 'done', document: documents.plan, ago: 5 });
  await rows.run('shops:search/trueup.yaml', { kind: 'apply', ending: 'partly', document: documents.result, ago: 4 });
  await rows.run('shops:basket/trueup.yaml', { kind: 'plan', ending: 'done', document: documents.plan, ago: 2 });
  const going = await rows.run('shops:basket/trueup.yaml', { kind: 'apply', ago: 1 });
  const shops = ['accounts', 'basket', 'catalogue', 'checkout', 'search'].map((name) => `shops:${name}/trueup.yaml`);
  const stopped = await rows.wave('shops', 'shops', [['shops:search/trueup.yaml'], shops.slice(0, 4)], {
    stoppedAt: 'shops:search/trueup.yaml',
  });
  await rows.send(
    `insert into @pull (source, number, head, branch, base, is_fork, author, planned)
    values ('shops', 41, $1, 'new-cache', 'main', false, 'dev', $1), ('shops', 42, $2, 'main', 'main', true, 'a-visitor', $2)`,
    [newCommit, oldCommit],
  );
  await rows.send(
    `insert into @pull_plan (source, number, path, commit, document) values ('shops', 41, 'checkout/trueup.yaml', $1, $2),
      ('shops', 42, 'checkout/trueup.yaml', $3, null)`,
    [newCommit, documents.plan, oldCommit],
  );
  const names = ['paris', 'lille', 'nantes', 'metz', 'brest'].map((name) => `sites:${name}/trueup.yaml`);
  const wave = await rows.wave('sites', 'sites', [['sites:lyon/trueup.yaml'], names.slice(0, 1), names.slice(1)], {
    step: 2,
  });
  await rows.wave('sites', 'sites', [['sites:lyon/trueup.yaml'], names], { step: 1, ending: 'done' });
  return { waiting, repair, superseded, refused, going, done, looked, stopped, wave };
}
