import type { Query } from '../transaction.ts';
import type { Labels } from '../settings.ts';
import { onlyOptions } from '../site.ts';
import { clear, raise } from './alarms.ts';
import type { Database } from './database.ts';
import { wasSetBack } from './set-back.ts';

/** Where platforms are that only some workers reach: the labels that such a worker names. */
export interface SiteRecord {
  readonly only: Labels;
  /** Its platforms, and the number of their stacks. */
  readonly platforms: readonly string[];
  readonly stacks: number;
  /** The number of its workers that are alive. */
  readonly workers: number;
}

/** Of a worker: it gave a sign of life in the last 30 seconds. */
const lives = `seen_at > now() - interval '30 seconds'`;

/** The number of workers of a site that are alive, as SQL. `site`: its id. */
export const aliveOf = (site: string): string =>
  `(select count(*) from @worker as its where its.site = ${site} and ${lives})::int`;

/** Whether a worker of a site is alive, as SQL. */
export const isAlive = (site: string): string =>
  `exists (select from @worker as its where its.site = ${site} and ${lives})`;

/** The id of the site with these labels, which is made where there is none; 0: no labels. */
export async function siteIn(query: Query, only: Labels): Promise<number> {
  const find = () => query<{ readonly id: number }>('select id from @site where labels = $1', [only]);
  const [known] = await find();
  if (known !== undefined) return known.id;
  await query('insert into @site (labels) values ($1) on conflict (labels) do nothing', [only]);
  const [made] = await find();
  return made?.id ?? 0;
}

/** Platforms with stacks and without a worker that reaches them. */
const unserved = `select platform.id, site.labels as only from @platform as platform join @site as site on site.id = platform.site
  where site.id <> 0 and not ${isAlive('site.id')}
    and exists (select from @stack as stack where stack.platform = platform.id and not is_gone) order by platform.id`;

export function workersIn({ rows, row, transaction }: Database) {
  return {
    site: (only: Labels): Promise<number> => transaction((query) => siteIn(query, only)),
    /**
     * Notes, at most each 5 seconds, that a worker of a site lives. Removes those that gave no sign for a day. Says whether the clock of
     * the database was set back since one gave a sign.
     */
    workerLives: async (id: string, site: number): Promise<{ readonly isSetBack: boolean }> => {
      const found = await row<{ readonly isSetBack: boolean }>(
        `with old as (delete from @worker where seen_at < now() - interval '1 day' and id <> $1),
          lives as (insert into @worker as worker (id, site) values ($1, $2)
            on conflict (id) do update set seen_at = now() where worker.seen_at < now() - interval '5 seconds')
        select ${wasSetBack} as "isSetBack"`,
        [id, site],
      );
      return { isSetBack: found?.isSetBack === true };
    },
    workerEnds: async (id: string): Promise<void> => {
      await rows('delete from @worker where id = $1', [id]);
    },
    /** The sites of platforms, without that of no labels. */
    sites: () =>
      rows<SiteRecord>(
        `select site.labels as only, array_agg(distinct platform.id order by platform.id) as platforms,
          count(stack.id)::int as stacks, ${aliveOf('site.id')} as workers
        from @site as site join @platform as platform on platform.site = site.id
          left join @stack as stack on stack.platform = platform.id and not is_gone
        where site.id <> 0 group by site.id order by site.id`,
      ),
    /** Raises an alarm for each platform with stacks that no worker reaches that is alive, and ends those of the others. */
    raiseUnserved: (): Promise<void> =>
      transaction(async (query) => {
        const found = await query<{ readonly id: string; readonly only: Labels }>(unserved, []);
        const raised = await query<{ readonly subject: string }>(
          `select subject from @alarm where kind = 'worker' order by subject`,
          [],
        );
        for (const { id, only } of found) {
          const options = onlyOptions(only);
          await raise(query, { kind: 'worker', subject: id, digest: options, about: { options } });
        }
        for (const { subject } of raised)
          if (!found.some(({ id }) => id === subject)) await clear(query, ['worker'], subject);
      }),
  };
}
