import type { Query } from '../transaction.ts';
import { isOpen } from './database.ts';
import { placePreviews, placesIn } from './place-previews.ts';

/** A stack that is to be run. */
export interface DueStack {
  readonly id: string;
  readonly platform: string;
  /** The site of its platform: only workers of that site reach it. */
  readonly site: number;
}

/** The columns of a stack that is to be run. `stack`: its table, or the name of that in the statement. */
export const dueColumns = (stack: string): string =>
  `${stack}.id, ${stack}.platform, (select site from @platform as its where its.id = ${stack}.platform) as site`;

/** Locks a source with its platforms and stacks, in the order in which all transactions do. */
export async function lockSource(query: Query, source: string): Promise<void> {
  await query('select from @source where id = $1 for no key update', [source]);
  await query(
    `select from @platform where id in (select platform from @source_platform where source = $1) order by id for share`,
    [source],
  );
  await query('select from @stack where source = $1 order by id for no key update', [source]);
}

/** The root files of a commit: those of stacks, and those that describe previews; null: it is not known which do. */
export interface RootFiles {
  readonly commit: string;
  readonly paths: readonly string[];
  readonly previews: readonly string[] | null;
  /** The stacks that the commit leaves as they are. */
  readonly kept?: readonly KeptStack[];
}

/** A stack that has the same files at a newer commit: it wants the commit that changed them. */
export interface KeptStack {
  readonly path: string;
  readonly wanted: string;
  /** Names what it reads there. */
  readonly fingerprint: string;
}

/**
 * Has each root file of a source as a stack, on the platform of the first pattern that matches, with what the source says now; a
 * stack without a file or a platform is gone. What was planned or applied on another platform counts no more. Previews follow the
 * files that describe them. The source is locked. Gives the stacks that are to be looked at for this.
 */
export async function placeStacks(
  query: Query,
  source: string,
  { commit, paths, previews, kept = [] }: RootFiles,
): Promise<readonly DueStack[]> {
  const { placed, unplaced } = await placesIn(query, source, paths);
  const others = await placesIn(query, source, previews ?? []);
  const places = [placed.map(({ path }) => path), placed.map(({ platform }) => platform)];
  await query('update @source set commit = $2, unplaced = $3, previews = $4 where id = $1', [
    source,
    commit,
    [...unplaced, ...others.unplaced],
    previews,
  ]);
  await query(
    `update @stack set is_gone = true, gone_at = now() where source = $1 and pull is null and path <> all($2)
      and not is_gone`,
    [source, places[0]],
  );
  await placePreviews(query, source);
  const wanted = await wantedIn(query, source, kept);
  const wants = [...places, placed.map(({ path }) => wanted.get(path) ?? commit)];
  await query(
    `update @plan set superseded_at = now() from @stack as stack
      left join unnest($2::text[], $3::text[], $4::text[]) as place (path, platform, commit) on place.path = stack.path
    where ${isOpen} and @plan.stack = stack.id and source = $1 and pull is null
      and (is_gone or stack.platform <> place.platform or @plan.commit <> place.commit)`,
    [source, ...wants],
  );
  return query<DueStack>(
    `insert into @stack as old (id, source, path, platform, policy, labels, wanted, authors)
      select source.id || ':' || place.path, source.id, place.path, place.platform, policy, platform.labels || source.labels,
        place.commit, source.authors
      from @source as source, unnest($2::text[], $3::text[], $4::text[]) as place (path, platform, commit)
        join @platform as platform on platform.id = place.platform
      where source.id = $1
    on conflict (id) do update set wanted = excluded.wanted, is_gone = false, gone_at = null, platform = excluded.platform,
      policy = excluded.policy, labels = excluded.labels,
      authors = case when ${isNew} then ${authorsOf('old', 'excluded.authors')} else old.authors end,
      reads = case when ${isNew} then null else old.reads end, fingerprint = case when ${isNew} then null else old.fingerprint end,
      problem = case when ${isNew} or old.is_gone or old.platform <> excluded.platform then null else old.problem end,
      applied = case when old.platform = excluded.platform then old.applied end,
      digest = case when old.platform = excluded.platform then old.digest end,
      deploying = case when old.platform = excluded.platform then old.deploying end,
      deploying_digest = case when old.platform = excluded.platform then old.deploying_digest end,
      look_at = case when old.platform <> excluded.platform or old.policy <> excluded.policy or old.is_gone
        then now() else old.look_at end
      where ${isNew} or old.is_gone or old.platform <> excluded.platform or old.policy <> excluded.policy
        or old.labels <> excluded.labels
    returning ${dueColumns('old')}`,
    [source, ...wants],
  );
}

const isNew = 'old.wanted is distinct from excluded.wanted';

/** Who wrote what a stack is to get by a new commit; with those of the one that it wanted before, where that is not applied. */
export const authorsOf = (
  stack: string,
  authors: string,
): string => `case when ${stack}.applied = ${stack}.wanted then ${authors}
  else (select coalesce(jsonb_agg(distinct author), '[]') from jsonb_array_elements(${stack}.authors || ${authors}) as author) end`;

/** The commits that the stacks of a source go on to want, by their paths. A run may have read other files since they were compared. */
async function wantedIn(
  query: Query,
  source: string,
  kept: readonly KeptStack[],
): Promise<ReadonlyMap<string, string>> {
  const same = await query<Pick<KeptStack, 'path' | 'wanted'>>(
    `select path, wanted from @stack join unnest($2::text[], $3::text[], $4::text[]) as kept (path, wanted, fingerprint)
      using (path, wanted, fingerprint) where source = $1 and pull is null and not is_gone`,
    [
      source,
      kept.map(({ path }) => path),
      kept.map(({ wanted }) => wanted),
      kept.map(({ fingerprint }) => fingerprint),
    ],
  );
  return new Map(same.map(({ path, wanted }) => [path, wanted]));
}

/** What decides whether root files make stacks. */
export interface FilesOfSource {
  /** Those that no platform has. */
  readonly unplaced: readonly string[];
  /** Those that describe previews; null: that is not known. */
  readonly previews: readonly string[] | null;
  readonly forge: string;
  readonly forgeTokenFile: string | null;
}

/** Says that root files of a source make no stack: they have no platform, or describe previews while no forge lists pull requests. */
export function filesProblem({ unplaced, previews, forge, forgeTokenFile }: FilesOfSource): string | null {
  if (unplaced.length > 0)
    return `no platform of the source has the root ${named(unplaced)}\n-> Give the source a platform for these paths.`;
  if (previews === null || previews.length === 0 || (forge !== 'none' && forgeTokenFile !== null)) return null;
  const missing = forge === 'none' ? 'no forge' : 'no token for its forge';
  const options = forge === 'none' ? '--forge and --forge-token-file' : '--forge-token-file';
  return `the source names ${missing}, and makes no preview by the root ${named(previews)}\n-> Enrol the source again with ${options}.`;
}

function named(files: readonly string[]): string {
  const more = files.length > maxNamed ? ` and ${files.length - maxNamed} more` : '';
  return `${files.length === 1 ? 'file' : 'files'} ${files.slice(0, maxNamed).join(', ')}${more}`;
}

const maxNamed = 3;
