import { usage } from '../../diagnostics/usage.ts';
import { checkRef, checkSourceAddress } from '../git-source.ts';
import type { Query } from '../transaction.ts';
import type { Policy } from '../plan-standing.ts';
import type { WaveSettings } from '../waves/steps.ts';
import { clear } from './alarms.ts';
import { refuseRunning } from './begin-run.ts';
import { type Changes, changesOf } from './changes.ts';
import type { Author } from './authors.ts';
import { type Database, type ForDue, isOpen, jsonOf, plain } from './database.ts';
import { noteIn } from './events.ts';
import type { PlatformOfPaths } from './place-previews.ts';
import {
  type DueStack,
  type FilesOfSource,
  type KeptStack,
  type RootFiles,
  dueColumns,
  filesProblem,
  lockSource,
  placeStacks,
} from './place-stacks.ts';
import type { Labels } from './platforms.ts';
import { waveSubject } from './advance-wave.ts';
import { beginWavesIn } from './begin-waves.ts';
import { endProposalsIn } from './proposals.ts';
import { bringWanted } from './wave-stacks.ts';

export type { Policy } from '../plan-standing.ts';

/** The program that a repository is in, which sends hooks and takes statuses. */
type Forge = 'github' | 'gitlab' | 'forgejo' | 'none';

/** A branch of a repository, with what holds for the stacks in it. */
export interface SourceSettings {
  readonly id: string;
  readonly url: string;
  readonly ref: string;
  /** A root file gets the first one that matches; one that none matches becomes no stack. */
  readonly platforms: readonly PlatformOfPaths[];
  readonly policy: Policy;
  /** That of previews of pull requests; null: the same. */
  readonly previewPolicy: Policy | null;
  readonly pollSeconds: number;
  readonly lookSeconds: number;
  readonly forge: Forge;
  /** The files with the secret of its hooks, with a token for the forge, and with credentials for git. */
  readonly hookSecretFile: string | null;
  readonly forgeTokenFile: string | null;
  readonly credentialsFile: string | null;
  readonly labels: Labels;
}

/** A source, and what was seen of it last. */
export interface SourceRecord extends SourceSettings {
  /** The commit that was seen last. */
  readonly commit: string | null;
  /** The last time that git could read it. */
  readonly polledAt: Date | null;
  readonly problem: string | null;
  /** Why root files of that commit make no stack. */
  readonly filesProblem: string | null;
  /** The root files of that commit that describe previews; null: it was not looked for them yet. */
  readonly previews: readonly string[] | null;
}

type Optional = 'previewPolicy' | 'forge' | 'hookSecretFile' | 'forgeTokenFile' | 'credentialsFile' | 'labels';

/** A source to enrol: without a forge, files and labels where it names none. */
export type NewSource = Omit<SourceSettings, Optional> & Partial<Pick<SourceSettings, Optional>>;

const settings = `id, url, ref, policy, preview_policy as "previewPolicy", poll_seconds as "pollSeconds", look_seconds as "lookSeconds", forge,
  hook_secret_file as "hookSecretFile", forge_token_file as "forgeTokenFile", credentials_file as "credentialsFile", labels,
  (select coalesce(json_agg(json_build_object('platform', platform, 'paths', paths) order by position), '[]')
    from @source_platform where source = @source.id) as platforms`;
const columns = `${settings}, commit, polled_at as "polledAt", problem, previews, unplaced`;

type SourceColumns = Omit<SourceRecord, 'filesProblem'> & FilesOfSource;

const shown = ({ unplaced, ...source }: SourceColumns): SourceRecord => ({
  ...source,
  filesProblem: filesProblem({ ...source, unplaced }),
});

export function sourcesIn({ rows, transaction, takeEach }: Database) {
  const read = (where: string, values: readonly unknown[] = []) =>
    rows<SourceColumns>(`select ${columns} from @source ${where}`, values);
  return {
    /**
     * Adds a source, or changes one with its stacks at once, and has it polled soon. What was planned for another platform is not
     * applied any more. With another address, no pull request of it is known, and its previews end. What the former forge knew and
     * answered is forgotten. Says what it did.
     *
     * @throws {Stop} `usage` or `refused`, where its name, its address or a platform cannot be used
     */
    addSource: async (given: NewSource, who: string): Promise<Changes> => {
      const source = checked(given);
      return transaction(async (query) => {
        await query('select pg_advisory_xact_lock(hashtext($1))', [`source ${source.id}`]);
        await refuseUnknown(query, source);
        const [before] = await query<SourceSettings>(`select ${settings} from @source where id = $1`, [source.id]);
        const { is, about } = changesOf(before, source);
        if (is !== 'same') {
          await write(query, source);
          await lockSource(query, source.id);
          const isMoved = before !== undefined && before.url !== source.url;
          // They are of another repository, and so is what a person allowed.
          if (isMoved) await query('delete from @pull where source = $1', [source.id]);
          if (isMoved || (before !== undefined && before.forge !== source.forge)) await forgetForge(query, source.id);
          await placeAgain(query, source.id);
          // Of another branch, each stack wants the next commit that is seen.
          if (isMoved || (before !== undefined && before.ref !== source.ref))
            await query('update @stack set reads = null, fingerprint = null where source = $1', [source.id]);
          await noteIn(query, { who, what: `${is} the source`, subject: source.id, about });
        }
        await query('update @source set poll_at = now() where id = $1', [source.id]);
        return is;
      });
    },
    source: async (id: string) => (await read('where id = $1', [id])).map(shown)[0],
    sources: async () => (await read('order by id')).map(shown),
    /**
     * Removes a source with its stacks, their plans and runs. What they made stays on the platforms, and so do their states: a
     * source that is enrolled again by this name goes on with them. Gives the previews that nothing removes then; undefined: there is no
     * such source.
     *
     * @throws {Stop} `usage`, while a stack of it runs
     */
    removeSource: (id: string, who: string): Promise<{ readonly previews: readonly string[] } | undefined> =>
      transaction(async (query) => {
        await lockSource(query, id);
        await refuseRunning(query, 'source', id);
        const waves = await query<{ readonly id: string }>(
          'select id from @wave where source = $1 order by id for update',
          [id],
        );
        const stacks = await query<{ readonly id: string; readonly isLeft: boolean }>(
          'delete from @stack where source = $1 returning id, made is not null and not is_gone as "isLeft"',
          [id],
        );
        const removed = await query('delete from @source where id = $1 returning id', [id]);
        if (removed.length === 0) return undefined;
        const previews = stacks.filter(({ isLeft }) => isLeft).map((stack) => stack.id);
        const about = { stacks: stacks.map((stack) => stack.id).toSorted(), previews: previews.toSorted() };
        // A platform may have the same name.
        await query(`delete from @alarm where subject = any($1) and kind <> 'worker'`, [
          [id, ...about.stacks, ...waves.map((wave) => waveSubject(wave.id))],
        ]);
        await noteIn(query, { who, what: 'removed the source', subject: id, about });
        return { previews: about.previews };
      }),

    /**
     * Takes sources that are due, at most so many, and says when each is due next: 10 % sooner or later, so that they do not
     * stay together. Each is sent in the transaction that takes it.
     */
    dueSources: (most: number, send: ForDue<{ readonly id: string }> = () => Promise.resolve()) =>
      takeEach<{ readonly id: string }>(
        most,
        {
          text: `update @source set poll_at = now() + make_interval(secs => poll_seconds * (0.9 + random() * 0.2))
          where id in (select id from @source where poll_at <= now() order by poll_at limit 1 for update skip locked)
          returning id`,
        },
        send,
      ),
    /**
     * Notes the commit of a source, with its root files: new ones become stacks, and missing ones are gone. What was planned for
     * other files is not applied any more, and its waves begin. Gives the stacks to look at.
     */
    sawCommit: (
      { id }: Pick<SourceRecord, 'id'>,
      commit: string,
      paths: readonly string[],
      { waves = [], authors = [], previews = [], kept = [] }: SeenBeside = {},
    ) =>
      transaction(async (query) => {
        await lockSource(query, id);
        const [before] = await query<Pick<SourceRecord, 'commit'>>('select commit from @source where id = $1', [id]);
        const by = jsonOf(authors);
        await query('update @source set polled_at = now(), problem = null, authors = $2 where id = $1', [id, by]);
        await clear(query, ['poll'], id);
        const placed = await placeStacks(query, id, { commit, paths, previews, kept });
        // What failed may go well now: its cause need not be in the files of its stack.
        const failed = await query<DueStack>(
          `select ${dueColumns('@stack')} from @stack where source = $1 and pull is null and not is_gone and problem is not null`,
          [id],
        );
        const stacks = [...new Map([...placed, ...failed].map((one) => [one.id, one])).values()];
        await query('delete from @alarm where subject in (select id from @stack where source = $1 and is_gone)', [id]);
        // Another process may have seen the commit before.
        if (before !== undefined && before.commit !== commit) await beginWavesIn(query, { source: id, commit, waves });
        return stacks;
      }),
    /**
     * The source has the commit that it had. Gives its stacks that were not brought to it yet and that nothing runs: a worker may
     * have ended. One that failed is called again by the queue, with its pauses.
     */
    sawNothing: ({ id }: Pick<SourceRecord, 'id'>) =>
      transaction(async (query) => {
        await query('update @source set polled_at = now(), problem = null where id = $1', [id]);
        await clear(query, ['poll'], id);
        return query<DueStack>(
          `select ${dueColumns('@stack')} from @stack where source = $1 and not is_gone
          and (applied is distinct from wanted or ends is not null) and problem is null and deploying is null and coalesce(paused_until <= now(), true)
          and not exists (select from @plan where stack = @stack.id and commit = @stack.wanted and ${isOpen} and expires_at > now())`,
          [id],
        );
      }),
    sawProblem: (id: string, problem: string) =>
      rows(`update @source set problem = $2 where id = $1`, [id, plain(problem)]),
  };
}

/** What else is known of a commit. */
export interface SeenBeside {
  readonly waves?: readonly WaveSettings[];
  readonly authors?: readonly Author[];
  /** Its root files that describe previews. */
  readonly previews?: readonly string[];
  /** The stacks that it leaves as they are. */
  readonly kept?: readonly KeptStack[];
}

function checked(given: NewSource): SourceSettings {
  const files = { hookSecretFile: null, forgeTokenFile: null, credentialsFile: null };
  const source: SourceSettings = { forge: 'none', previewPolicy: null, ...files, labels: {}, ...given };
  // A stack is named by its source, `:` and its path, and so is its state: two of them are never the same.
  if (!/^[\w.-]+$/.test(source.id))
    throw usage(`The source ${JSON.stringify(source.id)} is named by letters, digits, ".", "_" and "-"`);
  if (source.platforms.length === 0)
    throw usage(`The source ${source.id} has no platform`, 'Name one, with the paths of its root files.');
  checkSourceAddress(source);
  checkRef(source);
  return source;
}

async function refuseUnknown(query: Query, { id, platforms }: SourceSettings): Promise<void> {
  const [unknown] = await query<{ readonly name: string }>(
    `select name from unnest($1::text[]) as name where not exists (select from @platform where id = name) order by name`,
    [platforms.map(({ platform }) => platform)],
  );
  if (unknown !== undefined)
    throw usage(`The source ${id} names the platform ${unknown.name}, which is not enrolled`, 'Enrol it first.');
}

async function write(query: Query, source: SourceSettings): Promise<void> {
  const { id, url, ref, platforms, policy, previewPolicy, pollSeconds, lookSeconds, forge, labels } = source;
  const { hookSecretFile, forgeTokenFile, credentialsFile } = source;
  await query(
    `insert into @source (id, url, ref, policy, poll_seconds, look_seconds, forge, hook_secret_file, forge_token_file,
      credentials_file, labels, preview_policy) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    on conflict (id) do update set url = $2, ref = $3, policy = $4, poll_seconds = $5, look_seconds = $6, forge = $7,
      hook_secret_file = $8, forge_token_file = $9, credentials_file = $10, labels = $11, preview_policy = $12`,
    [
      id,
      url,
      ref,
      policy,
      pollSeconds,
      lookSeconds,
      forge,
      hookSecretFile,
      forgeTokenFile,
      credentialsFile,
      labels,
      previewPolicy,
    ],
  );
  await query('delete from @source_platform where source = $1', [id]);
  await query(
    `insert into @source_platform (source, position, platform, paths)
    select $1, position, platform, paths from unnest($2::text[], $3::text[]) with ordinality as rule (platform, paths, position)`,
    [id, platforms.map(({ platform }) => platform), platforms.map(({ paths }) => paths)],
  );
}

/** Forgets what a forge was told of a source, and what it answered. The numbers of pull requests mean others at another forge. */
async function forgetForge(query: Query, source: string): Promise<void> {
  await query('delete from @status where stack in (select id from @stack where source = $1)', [source]);
  await endProposalsIn(query, source, 'the source has another forge or repository');
  const text = `update @source set forge_problem = null, forge_after = null, compared_at = null, pulls_problem = null where id = $1`;
  await query(text, [source]);
}

/** Places the root files that are known, by what a source says now. */
async function placeAgain(query: Query, id: string): Promise<void> {
  const [known] = await query<Omit<RootFiles, 'commit'> & { readonly commit: string | null }>(
    `select commit, previews, array(select path from unnest(unplaced) as path where path <> all (coalesce(previews, '{}')))
      || array(select path from @stack where source = $1 and pull is null and not is_gone) as paths
    from @source where id = $1`,
    [id],
  );
  if (known?.commit == null) return;
  const kept = await query<KeptStack>(
    'select path, wanted, fingerprint from @stack where source = $1 and fingerprint is not null',
    [id],
  );
  await placeStacks(query, id, { ...known, commit: known.commit, kept });
  // One that came back, or whose files are not known, wants the newest commit. That is no way around its wave.
  await bringWanted(query, id);
}
