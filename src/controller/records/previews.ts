import type { Preview } from '../../manifest/settings.ts';
import { tooManyPreviews } from '../../project/previews.ts';
import type { Query } from '../transaction.ts';
import { clear } from './alarms.ts';
import { type RunBegin, beginRunIn } from './begin-run.ts';
import { type Database, isOpen, jsonOf } from './database.ts';
import { endPreviews } from './place-previews.ts';
import type { StackRecord } from './stacks.ts';

/** Where a preview answers. */
export interface PreviewAddress {
  readonly name: string;
  readonly value: string;
}

/** How a removal of a preview may begin; `never`: its policy lets nothing be written. */
type Removal = { readonly is: 'begun'; readonly run: string } | { readonly is: 'never' | 'not due' };

export function previewsIn({ rows, onStack, transaction }: Database) {
  return {
    /** Has previews removed whose time is over. */
    endOverdue: () =>
      transaction((query) =>
        endPreviews(query, 'over', { where: 'made_at + make_interval(secs => lasts_seconds) <= now()', values: [] }),
      ),
    /** Begins the removal of a preview, unless it is wanted again, or paused. */
    beginRemoval: ({ id }: Pick<StackRecord, 'id'>, about: Omit<RunBegin, 'kind' | 'cause'>): Promise<Removal> =>
      onStack(id, async (query) => {
        const [stack] = await query<Pick<StackRecord, 'ends' | 'policy'>>(
          `select ends, policy from @stack where id = $1 and ends is not null and not is_gone
            and coalesce(paused_until <= now(), true)`,
          [id],
        );
        if (stack?.ends == null) return { is: 'not due' };
        if (stack.policy === 'never') return { is: 'never' };
        return { is: 'begun', run: await beginRunIn(query, id, { ...about, kind: 'apply', cause: stack.ends }) };
      }),
    /**
     * Nothing of a preview is on its platform any more. Its row stays for the history, unless it is wanted again meanwhile: it begins
     * anew then. Where an apply of another commit began since the preview was read, the row stays as it is. Says whether it is gone.
     */
    previewRemoved: ({ id, made }: Pick<StackRecord, 'id' | 'made'>): Promise<boolean> =>
      onStack(id, async (query) => {
        const [stack] = await query<Pick<StackRecord, 'isGone'>>(
          `update @stack set made = null, made_at = null, lasts_seconds = null, applied = null, digest = null, deploying = null,
            deploying_digest = null, addresses = '[]', problem = null, is_gone = ends is not null,
            gone_at = case when ends is not null then now() end, look_at = now() where id = $1 and pull is not null
            and made is not distinct from $2
          returning is_gone as "isGone"`,
          [id, made],
        );
        if (stack === undefined) return false;
        await query(`update @plan set superseded_at = now() where stack = $1 and ${isOpen}`, [id]);
        await clear(query, ['run', 'drift', 'approval'], id);
        // Others of its file may have waited for its place.
        await query(
          `update @stack as other set look_at = now() from @stack as own where own.id = $1 and other.source = own.source
            and other.path = own.path and other.pull is not null and other.made is null and other.problem is not null
            and not other.is_gone`,
          [id],
        );
        return stack.isGone;
      }),
    /** The addresses that a preview was found to have. */
    setAddresses: ({ id }: Pick<StackRecord, 'id'>, addresses: readonly PreviewAddress[]) =>
      rows('update @stack set addresses = $2 where id = $1', [id, jsonOf(addresses)]),
    /** The pull requests of a source that are noted as open. */
    openPulls: async (source: string): Promise<readonly number[]> =>
      (await rows<{ readonly number: number }>('select number from @pull where source = $1', [source])).map(
        ({ number }) => number,
      ),
  };
}

/**
 * Refuses a preview that has nothing yet, where its file allows no more. To be called where the row of its stack is locked.
 *
 * @throws {Stop} `refused`
 */
export async function refuseTooMany(query: Query, id: string, { most }: Partial<Preview>): Promise<void> {
  if (most === undefined) return;
  const [own] = await query<Pick<StackRecord, 'source' | 'path' | 'made'> & { readonly pull: number }>(
    'select source, path, made, pull from @stack where id = $1',
    [id],
  );
  if (own === undefined || own.made !== null) return;
  // Two that begin at one moment are counted one after the other.
  await query('select pg_advisory_xact_lock(hashtext($1))', [`previews ${own.source}:${own.path}`]);
  const others = await query<{ readonly pull: number }>(
    `select pull from @stack where source = $1 and path = $2 and pull is not null and id <> $3 and made is not null
        and not is_gone
      order by pull`,
    [own.source, own.path, id],
  );
  if (others.length < most) return;
  const present = others.map(({ pull }) => String(pull));
  throw tooManyPreviews(
    { most, id: String(own.pull) },
    { present, file: own.path, remedy: `Close a pull request, or raise most: in ${own.path}.` },
  );
}
