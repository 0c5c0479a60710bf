import { globMatcher } from '../../formats/glob.ts';
import type { Query } from '../transaction.ts';
import { clear } from './alarms.ts';
import { isOpen } from './database.ts';

/** The platform of the root files whose paths match. */
export interface PlatformOfPaths {
  readonly platform: string;
  /** In a pattern `*` stands for any characters, `/` among them. */
  readonly paths: string;
}

/** Root files of a source, by the platform of the first pattern that matches. */
interface Places {
  readonly placed: readonly { readonly path: string; readonly platform: string }[];
  readonly unplaced: readonly string[];
}

/** Gives the platform of a root file: that of the first pattern that matches its path. */
export function platformsBy(rules: readonly PlatformOfPaths[]): (path: string) => string | undefined {
  const matchers = rules.map(({ platform, paths }) => ({ platform, matches: globMatcher(paths) }));
  return (path) => matchers.find(({ matches }) => matches(path))?.platform;
}

/** Finds the platforms of root files of a source. */
export async function placesIn(query: Query, source: string, files: readonly string[]): Promise<Places> {
  const rules = await query<PlatformOfPaths>(
    'select platform, paths from @source_platform where source = $1 order by position',
    [source],
  );
  const platformOf = platformsBy(rules);
  const found = files.map((path) => ({ path, platform: platformOf(path) }));
  return {
    placed: found.flatMap(({ path, platform }) => (platform === undefined ? [] : [{ path, platform }])),
    unplaced: found.flatMap(({ path, platform }) => (platform === undefined ? [path] : [])),
  };
}

/** The commit that the previews of a pull request are to have; null: none, as a stranger wrote it, and no person allowed a commit. */
const head = 'case when pull.is_fork then pull.allowed else pull.head end';

/**
 * Has a preview for each open pull request of a source and each root file that describes previews on its branch: what a pull request
 * adds to these is not asked. A preview that is wanted no more, or on another platform, is to be removed; one whose time was over comes
 * back with the next commit. The source is locked. All that changes is looked at soon.
 */
export async function placePreviews(query: Query, source: string): Promise<void> {
  const [found] = await query<{ readonly previews: readonly string[] | null }>(
    'select previews from @source where id = $1',
    [source],
  );
  if (found?.previews == null) return;
  const { placed } = await placesIn(query, source, found.previews);
  const places = [placed.map(({ path }) => path), placed.map(({ platform }) => platform)];
  await endPreviews(query, 'closed', {
    where: `source = $1 and not exists (
      select from @pull as pull, unnest($2::text[], $3::text[]) as place (path, platform)
      where pull.source = $1 and pull.number = stack.pull and ${head} is not null
        and place.path = stack.path and place.platform = stack.platform)`,
    values: [source, ...places],
  });
  await query(
    `insert into @stack as old (id, source, path, pull, platform, policy, labels, wanted)
      select source.id || ':' || place.path || '/' || pull.number, source.id, place.path, pull.number, platform.id,
        coalesce(source.preview_policy, source.policy), platform.labels || source.labels, ${head}
      from @source as source join @pull as pull on pull.source = source.id,
        unnest($2::text[], $3::text[]) as place (path, platform) join @platform as platform on platform.id = place.platform
      where source.id = $1 and ${head} is not null
    on conflict (id) do update set wanted = excluded.wanted, platform = excluded.platform, policy = excluded.policy,
      labels = excluded.labels, ends = null, is_gone = false, gone_at = null, look_at = now(),
      problem = case when old.wanted = excluded.wanted and old.ends is null then old.problem end
      where (old.platform = excluded.platform or old.is_gone) and (old.wanted <> excluded.wanted or old.ends = 'closed'
        or (old.ends is null and (old.policy <> excluded.policy or old.labels <> excluded.labels)))`,
    [source, ...places],
  );
  await query(
    `update @plan set superseded_at = now() from @stack as stack
    where ${isOpen} and @plan.stack = stack.id and source = $1 and pull is not null and @plan.commit <> stack.wanted`,
    [source],
  );
}

/** Has previews removed, and no plan of them waits for a person any more. */
export async function endPreviews(
  query: Query,
  ends: 'closed' | 'over',
  { where, values }: { readonly where: string; readonly values: readonly unknown[] },
): Promise<void> {
  const ended = await query<{ readonly id: string }>(
    `update @stack as stack set ends = '${ends}', look_at = now()
    where pull is not null and not is_gone and ends is null and ${where} returning id`,
    values,
  );
  for (const { id } of ended) {
    await query(`update @plan set superseded_at = now() where stack = $1 and ${isOpen}`, [id]);
    await clear(query, ['approval'], id);
  }
}

/** Sets that a preview is brought to a commit, from the first apply of it: from then on its time counts. Of other stacks, nothing. */
export const makes = (commit: string): string => `made = case when pull is not null then ${commit} end,
  made_at = case when pull is null then null when made is distinct from ${commit} then now() else made_at end`;
