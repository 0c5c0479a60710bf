import { isStopped } from './alarms.ts';
import type { Database } from './database.ts';
import { refusedStacks } from './forge-refusals.ts';
import { type FilesOfSource, filesProblem } from './place-stacks.ts';
import { isAlive } from './workers.ts';

type Labels = Readonly<Record<string, string>>;

/** A platform with its stacks, as far as their numbers go. */
export interface PlatformRow {
  readonly id: string;
  readonly url: string;
  readonly profile: string | null;
  readonly labels: Labels;
  /** Requests of its key at a time. */
  readonly connections: number;
  /** The file with its key, on the machines of the workers. */
  readonly keyFile: string;
  /** The labels that a worker must name to take its stacks; `{}`: none. */
  readonly only: Labels;
  /** Whether workers are alive that reach it; true where no labels are needed. */
  readonly isServed: boolean;
  /** Who sees one of them sees the platform. */
  readonly stacks: readonly {
    readonly labels: Labels;
    readonly isRunning: boolean;
    readonly isFailed: boolean;
    /** Milliseconds since 1970; null: never. */
    readonly lookedAt: number | null;
  }[];
}

/** A source with its last poll. */
export interface SourceRow {
  readonly id: string;
  readonly url: string;
  readonly ref: string;
  readonly labels: Labels;
  readonly policy: string;
  readonly commit: string | null;
  readonly pollSeconds: number;
  readonly polledAt: Date | null;
  /** It should have been read long ago. */
  readonly isStopped: boolean;
  readonly nextPollAt: Date;
  readonly problem: string | null;
  /** Why root files of its commit make no stack. */
  readonly filesProblem: string | null;
  /** Why its forge was not told what became of commits. */
  readonly forgeProblem: string | null;
  /** Why its forge does not give its open pull requests. */
  readonly pullsProblem: string | null;
  /** Stacks of which its forge does not show how they stand, or that they drifted. */
  readonly refusedStacks: number;
  /** How many pull requests into its branch are open. */
  readonly pulls: number;
  readonly stacks: readonly { readonly labels: Labels }[];
}

export function shownSourcesIn({ rows }: Database) {
  return {
    shownPlatforms: () =>
      rows<PlatformRow>(
        `select platform.id, url, profile, platform.labels, connections, key_file as "keyFile",
          site.labels as only, site.id = 0 or ${isAlive('site.id')} as "isServed",
          coalesce(json_agg(json_build_object('labels', stack.labels, 'isFailed', stack.problem is not null,
            'isRunning', exists (select from @run where stack = stack.id and ended_at is null),
            'lookedAt', extract(epoch from stack.looked_at) * 1000)) filter (where stack.id is not null), '[]') as stacks
        from @platform as platform join @site as site on site.id = platform.site
          left join @stack as stack on stack.platform = platform.id and not is_gone
        group by platform.id, site.id order by platform.id`,
      ),
    /** @param which `troubled`: those alone whose polls stopped, or fail */
    shownSources: async (which: 'all' | 'troubled' = 'all'): Promise<readonly SourceRow[]> => {
      const found = await rows<Omit<SourceRow, 'filesProblem'> & FilesOfSource>(
        `select source.id, url, ref, source.labels, source.policy, commit, poll_seconds as "pollSeconds", polled_at as "polledAt",
          poll_at as "nextPollAt", ${isStopped} as "isStopped", source.problem, forge_problem as "forgeProblem",
          pulls_problem as "pullsProblem", (${refusedStacks('source.id')}) as "refusedStacks", unplaced, previews, forge, forge_token_file as "forgeTokenFile",
          (select count(*) from @pull as pull where pull.source = source.id)::int as pulls,
          coalesce(json_agg(json_build_object('labels', stack.labels)) filter (where stack.id is not null), '[]') as stacks
        from @source as source left join @stack as stack on stack.source = source.id and not is_gone
        where $1 = 'all' or ${isStopped} or source.problem is not null group by source.id order by source.id`,
        [which],
      );
      return found.map(({ unplaced, previews, forge, forgeTokenFile, ...source }) => {
        return { ...source, filesProblem: filesProblem({ unplaced, previews, forge, forgeTokenFile }) };
      });
    },
  };
}
