import { type Database, plain } from './database.ts';

/**
 * When something is tried again that a forge refused so often in a row: after ten minutes, then after twice as long each time, at most
 * an hour.
 */
export const againAfter = (refusals: string): string =>
  `now() + least(interval '1 hour', interval '10 minutes' * power(2, least(${refusals}, 9) - 1))`;

/** The number of stacks of a source of which its forge does not take something. */
export const refusedStacks = (
  source: string,
): string => `select count(*)::int from @stack where source = ${source} and (
  exists (select from @status where stack = @stack.id and problem is not null)
    or exists (select from @proposal where stack = @stack.id and again_at is not null))`;

export function refusalsIn({ row, rows }: Database) {
  return {
    /** Whether the forge of a source is left alone now. */
    forgeRests: async (source: string): Promise<boolean> =>
      (await row('select from @source where id = $1 and forge_after > now()', [source])) !== undefined,
    /** The forge of a source did not give its open pull requests; without a problem, it did. */
    pullsListed: (source: string, problem?: string) =>
      rows('update @source set pulls_problem = $2 where id = $1 and pulls_problem is distinct from $2', [
        source,
        problem === undefined ? null : plain(problem),
      ]),
  };
}
