import type { Pool } from 'pg';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { type Query, inTransaction } from './transaction.ts';

/** What one concern adds to the tables; it runs once, and its text never changes after a release. */
interface Migration {
  readonly name: string;
  readonly text: string;
}

/**
 * The tables of a controller, in the order in which they are made; new ones are appended. The schema is its own, beside that of the
 * states. Keys and secrets are in no table: references to files are.
 */
const migrations: readonly Migration[] = [
  {
    name: 'platforms',
    text: `create table platform (
      id text primary key, url text not null, profile text, key_file text not null, env_file text,
      connections int not null default 4 check (connections > 0), labels jsonb not null default '{}');`,
  },
  {
    name: 'sources',
    text: `create table source (
      id text primary key, url text not null, ref text not null,
      policy text not null check (policy in ('automatic', 'approval', 'never')),
      poll_seconds int not null check (poll_seconds > 0), look_seconds int not null check (look_seconds > 0),
      forge text not null default 'none' check (forge in ('github', 'gitlab', 'forgejo', 'none')),
      hook_secret_file text, forge_token_file text, credentials_file text, labels jsonb not null default '{}',
      commit text, authors jsonb not null default '[]', poll_at timestamptz not null default now(), polled_at timestamptz,
      problem text, unplaced text[] not null default '{}');
    create table source_platform (
      source text not null references source on delete cascade, position int not null,
      platform text not null references platform, paths text not null, primary key (source, position));`,
  },
  {
    name: 'stacks',
    text: `create table stack (
      id text primary key, source text not null references source on delete cascade, path text not null,
      platform text not null references platform, policy text not null check (policy in ('automatic', 'approval', 'never')),
      labels jsonb not null default '{}', wanted text, applied text, digest text,
      deploying text, deploying_digest text,
      look_at timestamptz not null default now(), looked_at timestamptz, problem text,
      paused_until timestamptz, paused_by text, paused_because text, is_gone boolean not null default false,
      gone_at timestamptz, swept_at timestamptz not null default now(),
      unique (source, path));
    create index on stack (look_at) where not is_gone;
    create index on stack (swept_at);`,
  },
  {
    name: 'plans',
    text: `create table plan (
      digest text primary key, stack text not null references stack on delete cascade, commit text not null,
      cause text not null check (cause in ('commit', 'drift')), document jsonb not null, file text not null,
      losing text[] not null default '{}', authors jsonb not null default '[]', made_at timestamptz not null default now(), expires_at timestamptz not null,
      superseded_at timestamptz, applied_at timestamptz);
    create unique index on plan (stack) where superseded_at is null and applied_at is null;
    create index on plan (stack);
    create table verdict (
      plan text not null references plan on delete cascade, who text not null, role text not null, approves boolean not null,
      allows_data_loss boolean not null default false, because text not null, at timestamptz not null default now(), primary key (plan, who));`,
  },
  {
    name: 'deliveries',
    text: `create table delivery (
      source text not null references source on delete cascade, id text not null, event text not null,
      at timestamptz not null default now(), primary key (source, id));
    create index on delivery (at);`,
  },
  {
    name: 'messages',
    text: `create table alarm (
      kind text not null, subject text not null, digest text not null, about jsonb not null,
      since timestamptz not null default now(), primary key (kind, subject));
    create table receiver (name text primary key, kinds text[] not null, labels jsonb not null);
    create table message (
      id bigint generated always as identity primary key, receiver text not null references receiver on delete cascade,
      kind text not null, subject text not null, about jsonb not null, is_over boolean not null default false,
      made_at timestamptz not null default now(), due_at timestamptz not null default now(), letter uuid,
      attempts int not null default 0, problem text, sent_at timestamptz, dead_at timestamptz);
    create index on message (receiver, due_at) where sent_at is null and dead_at is null;
    create index on message (letter);
    create index on message (subject);
    alter table source add column added_at timestamptz not null default now();`,
  },
  {
    name: 'runs',
    text: `create table run (
      id bigint generated always as identity primary key, stack text not null references stack on delete cascade,
      kind text not null check (kind in ('plan', 'apply', 'drift', 'follow')), cause text not null, commit text not null,
      plan text references plan on delete set null, worker text not null, began_at timestamptz not null default now(),
      beat_at timestamptz not null default now(), stopped_by text, stopped_because text, ended_at timestamptz, ending text, document jsonb);
    create index on run (stack, id desc);
    create index on run (beat_at) where ended_at is null;
    create index on run (plan) where plan is not null;`,
  },
  {
    name: 'events',
    text: `create table event (
      id bigint generated always as identity primary key, at timestamptz not null default now(), who text not null,
      what text not null, subject text not null, about jsonb not null default '{}');
    create function refuse_change() returns trigger language plpgsql as $$
      begin raise exception 'events are never changed'; end $$;
    create trigger event_is_kept before update or delete on event for each row execute function refuse_change();
    create trigger event_is_not_emptied before truncate on event for each statement execute function refuse_change();`,
  },
  {
    // What lists show of a plan beside its document, which is large; which stacks something runs for; the audit of one stack.
    name: 'pages',
    text: `alter table plan add column summary jsonb generated always as (document -> 'summary') stored;
    create index on run (stack) where ended_at is null;
    create index on run (plan) where plan is not null;
    create index on event (subject, id desc);`,
  },
  {
    name: 'sessions',
    text: `create table session (
      digest text primary key, name text not null, groups text[] not null, by text not null,
      began_at timestamptz not null default now(), seen_at timestamptz not null default now(), expires_at timestamptz not null);`,
  },
  {
    name: 'waves',
    text: `create table wave (
      id bigint generated always as identity primary key, name text not null, source text not null references source on delete cascade,
      commit text not null, healthy_minutes double precision not null, steps jsonb not null, step_count int not null,
      after_run bigint not null, step int not null default 0, step_at timestamptz not null default now(),
      began_at timestamptz not null default now(), look_at timestamptz not null default now(),
      stopped_at timestamptz, stopped_by text, stopped_stack text, stopped_because text, resumed_at timestamptz,
      ended_at timestamptz, ending text check (ending in ('done', 'superseded')));
    create unique index on wave (source, name) where ended_at is null;
    create table wave_stack (
      wave bigint not null references wave on delete cascade, stack text not null references stack on delete cascade,
      step int not null, sent_at timestamptz, primary key (wave, stack));
    create index on wave_stack (stack);`,
  },
  {
    name: 'forges',
    text: `create index on run (stack, commit, id) where kind = 'apply';
    alter table source add column forge_after timestamptz, add column forge_problem text;
    create table status (
      stack text not null references stack on delete cascade, commit text not null, fact text not null,
      state text not null check (state in ('pending', 'success', 'failure')), problem text,
      at timestamptz not null default now(), primary key (stack, commit));
    create table pull (
      source text not null references source on delete cascade, number int not null, head text not null,
      branch text not null, base text not null, is_fork boolean not null,
      allowed text, planned text, plan_after timestamptz, primary key (source, number));
    create table pull_plan (
      source text not null, number int not null, path text not null, commit text not null, document jsonb, problem text,
      primary key (source, number, path), foreign key (source, number) references pull on delete cascade);
    create table proposal (
      stack text primary key references stack on delete cascade, who text not null, asked_at timestamptz not null default now(),
      pushed text, pushing text, number int, shown text, problem text, brought text);`,
  },
  {
    name: 'needed approvals',
    text: `alter table plan add column is_needed boolean not null default false;`,
  },
  {
    // Beside the run, which pages and lists read as it is: this row changes each second, and goes when the run ends.
    name: 'progress',
    text: `create table progress (
      run bigint primary key references run on delete cascade, at timestamptz not null default now(), document jsonb not null);`,
  },
  {
    // A row for each change that a forge may have to be told of: who tells it removes the rows that it saw, and no later one.
    name: 'untold',
    text: `create table untold (
      id bigint generated always as identity primary key, source text not null references source on delete cascade);
    create index on untold (source);
    alter table source add column compared_at timestamptz;
    create function note_untold() returns trigger language plpgsql set search_path from current as $$
      declare about text;
      begin
        about := case tg_table_name when 'stack' then to_jsonb(new) ->> 'id' when 'verdict' then
          (select stack from plan where digest = to_jsonb(new) ->> 'plan') else to_jsonb(new) ->> 'stack' end;
        insert into untold (source) select id from source
          where id = coalesce((select stack.source from stack where stack.id = about), to_jsonb(new) ->> 'source')
            and forge <> 'none' and forge_token_file is not null;
        return null;
      end $$;
    create trigger stack_is_untold after insert on stack for each row execute function note_untold();
    create trigger stack_change_is_untold after update on stack for each row
      when ((old.wanted, old.applied, old.policy, old.problem is null, old.is_gone)
        is distinct from (new.wanted, new.applied, new.policy, new.problem is null, new.is_gone))
      execute function note_untold();
    create trigger plan_is_untold after insert on plan for each row execute function note_untold();
    create trigger plan_end_is_untold after update of superseded_at, applied_at on plan for each row execute function note_untold();
    create trigger verdict_is_untold after insert or update on verdict for each row execute function note_untold();
    create trigger apply_is_untold after update of ended_at on run for each row when (new.kind = 'apply') execute function note_untold();
    create trigger wave_is_untold after insert or update of step, stopped_at, ended_at on wave for each row
      execute function note_untold();`,
  },
  {
    // The site 0 has no labels: its platforms are those that workers without --only reach.
    name: 'sites',
    text: `create table site (id int generated by default as identity primary key, labels jsonb not null unique);
    insert into site (id, labels) values (0, '{}');
    alter table platform add column site int not null default 0 references site;
    create table worker (id uuid primary key, site int not null references site, seen_at timestamptz not null default now());`,
  },
  {
    // A preview is a stack of a pull request. Which root files describe previews is not known before the next poll.
    name: 'previews',
    text: `alter table source add column previews text[],
        add column preview_policy text check (preview_policy in ('automatic', 'approval', 'never'));
      alter table stack add column pull int, add column made text, add column made_at timestamptz,
        add column lasts_seconds double precision, add column ends text check (ends in ('closed', 'over')),
        add column addresses jsonb not null default '[]',
        drop constraint stack_source_path_key;
      create unique index on stack (source, path, coalesce(pull, 0));
      create index on stack (made_at) where pull is not null and not is_gone;
      drop trigger stack_change_is_untold on stack;
      create trigger stack_change_is_untold after update on stack for each row
        when ((old.wanted, old.applied, old.policy, old.problem is null, old.is_gone, old.addresses)
          is distinct from (new.wanted, new.applied, new.policy, new.problem is null, new.is_gone, new.addresses))
        execute function note_untold();`,
  },
  {
    name: 'authors of pulls',
    text: `alter table pull add column author text;`,
  },
  {
    // A stack wants the commit that changed its files last. A wave has stacks of several commits then, also those of the wave before it.
    // Workers of the version before end their runs by the column of the wave.
    name: 'files of stacks',
    text: `alter table stack add column reads text[], add column fingerprint text, add column authors jsonb not null default '[]';
      update stack set authors = source.authors from source where source.id = stack.source and source.commit = stack.wanted;
      alter table wave_stack add column commit text, add column after_run bigint;
      update wave_stack set commit = wave.commit, after_run = wave.after_run from wave where wave.id = wave_stack.wave;
      alter table wave_stack alter column commit set not null, alter column after_run set not null;
      alter table wave alter column after_run drop not null;`,
  },
  {
    name: 'plans asked again',
    text: `alter table plan add column because text;`,
  },
  {
    name: 'failures of runs',
    text: `alter table run add column failure text;`,
  },
  {
    // How often in a row a forge refused it, and when it is tried again.
    name: 'refusals of forges',
    text: `alter table status add column refusals int not null default 0, add column again_at timestamptz;
      alter table proposal add column refusals int not null default 0, add column again_at timestamptz;
      alter table pull add column refusals int not null default 0;
      alter table source add column pulls_problem text;`,
  },
  {
    // Each worker that polls needs them, also one that was started without the settings.
    name: 'settings of waves',
    text: `create table wave_settings (is_one boolean primary key default true check (is_one), waves jsonb not null);`,
  },
  {
    // Each worker that tells forges needs it, also one that was started without the settings.
    name: 'address of the page',
    text: `create table page_address (is_one boolean primary key default true check (is_one), address text not null);`,
  },
];

/** The names of all migrations, in their order. */
export const migrationNames: readonly string[] = migrations.map(({ name }) => name);

/**
 * Brings the tables of a schema up to date; several processes may do it at once. Gives the names of the migrations that ran.
 *
 * @param schema lower case letters, digits and `_`
 * @throws {Stop} `refused`, where a newer Trueup made the tables
 */
export function migrate(pool: Pool, schema: string): Promise<readonly string[]> {
  return inTransaction(pool, async (query) => {
    await query(`select pg_advisory_xact_lock(hashtext('trueup controller'))`, []);
    await query(`create schema if not exists ${schema}`, []);
    await query(
      `create table if not exists ${schema}.migration (name text primary key, at timestamptz not null default now())`,
      [],
    );
    const { due, unknown } = await compare(query, schema);
    if (unknown.length > 0) throw newer(schema, unknown);
    await query(`set local search_path to ${schema}`, []);
    for (const name of due) {
      await query(migrations.find((one) => one.name === name)?.text ?? '', []);
      await query('insert into migration (name) values ($1)', [name]);
    }
    return due;
  });
}

/** How the tables of a schema differ from those that this Trueup works with. */
interface Differences {
  /** The migrations that have not run yet. */
  readonly due: readonly string[];
  /** Those that a newer Trueup ran. */
  readonly unknown: readonly string[];
}

/** Compares the tables of a schema with those that this Trueup works with; changes nothing. */
export function compareTables(pool: Pool, schema: string): Promise<Differences> {
  return inTransaction(pool, (query) => compare(query, schema));
}

async function compare(query: Query, schema: string): Promise<Differences> {
  const table = `${schema}.migration`;
  const [found] = await query<{ readonly is: boolean }>('select to_regclass($1) is not null as is', [table]);
  const rows = found?.is === true ? await query<{ readonly name: string }>(`select name from ${table}`, []) : [];
  const ran = rows.map(({ name }) => name);
  const known = migrations.map(({ name }) => name);
  return {
    due: known.filter((name) => !ran.includes(name)),
    unknown: ran.filter((name) => !known.includes(name)),
  };
}

/** Refuses to work with tables of another version. @throws {Stop} `refused` */
export async function requireTables(pool: Pool, schema: string): Promise<void> {
  const { due, unknown } = await compareTables(pool, schema);
  if (unknown.length > 0) throw newer(schema, unknown);
  if (due.length === 0) return;
  const message = `the tables in ${schema} are of an older Trueup: they lack ${due.join(', ')}`;
  throw stop('refused', 'usage', message, {
    remedy: 'Run trueup controller migrate first, or leave out --no-migrate.',
  });
}

function newer(schema: string, unknown: readonly string[]): Stop {
  return stop('refused', 'usage', `the tables in ${schema} are of a newer Trueup, which has ${unknown.join(', ')}`, {
    remedy: 'Start that version. To go back to this one, restore the copy of the tables from before the upgrade.',
  });
}
