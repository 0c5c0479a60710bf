import { usage } from '../../diagnostics/usage.ts';
import { refuseRunning } from './begin-run.ts';
import { type Changes, changesOf } from './changes.ts';
import { type Database, isOpen } from './database.ts';
import { noteIn } from './events.ts';
import { siteIn } from './workers.ts';

/** What a platform, a source or a stack is marked with, such as `{ customer: acme }`. */
export type Labels = Readonly<Record<string, string>>;

/** A platform, with references to the files that have its key and the secrets of its stacks. */
export interface PlatformRecord {
  readonly id: string;
  readonly url: string;
  readonly profile: 'standard' | 'dokploy' | null;
  readonly keyFile: string;
  readonly envFile: string | null;
  readonly connections: number;
  readonly labels: Labels;
  /** Those of its labels that a worker must name to take its stacks: such a worker is where it reaches the platform. `{}`: any is. */
  readonly only: Labels;
}

const columns = `id, url, profile, key_file as "keyFile", env_file as "envFile", connections, labels,
  (select labels from @site where @site.id = site) as only`;

export function platformsIn({ rows, row, transaction }: Database) {
  return {
    /**
     * Adds a platform, or changes one with the labels of its stacks at once. What was planned for another address is not applied
     * any more; what waits for workers of another site is sent again, to those of this one. Says what it did.
     *
     * @throws {Stop} `usage`, where the address is none, or has a password
     */
    addPlatform: async (
      given: Omit<PlatformRecord, 'labels' | 'only'> & Partial<Pick<PlatformRecord, 'labels' | 'only'>>,
      who: string,
    ): Promise<Changes> => {
      const { only = {} } = given;
      const record: PlatformRecord = { ...given, labels: { ...given.labels, ...only }, only };
      checkAddress(record);
      return transaction(async (query) => {
        const { id, url, profile, keyFile, envFile, connections, labels } = record;
        await query('select pg_advisory_xact_lock(hashtext($1))', [`platform ${id}`]);
        const [before] = await query<PlatformRecord>(`select ${columns} from @platform where id = $1`, [id]);
        const { is, about } = changesOf(before, record);
        if (is === 'same') return is;
        await query(
          `insert into @platform (id, url, profile, key_file, env_file, connections, labels, site)
          values ($1, $2, $3, $4, $5, $6, $7, $8)
          on conflict (id) do update set url = $2, profile = $3, key_file = $4, env_file = $5, connections = $6, labels = $7, site = $8`,
          [id, url, profile, keyFile, envFile, connections, labels, await siteIn(query, only)],
        );
        await query('select from @stack where platform = $1 order by id for no key update', [id]);
        if (before !== undefined && before.url !== url) {
          const its = 'in (select id from @stack where platform = $1)';
          await query(`update @plan set superseded_at = now() where ${isOpen} and stack ${its}`, [id]);
          await query(
            'update @stack set applied = null, digest = null, deploying = null, deploying_digest = null, look_at = now() where platform = $1',
            [id],
          );
        }
        if ('only' in about) await query('update @stack set look_at = now() where platform = $1', [id]);
        await query(
          `update @stack set labels = $2::jsonb || @source.labels from @source
          where @source.id = source and @stack.platform = $1 and @stack.labels <> $2::jsonb || @source.labels`,
          [id, labels],
        );
        await noteIn(query, { who, what: `${is} the platform`, subject: id, about });
        return is;
      });
    },
    platform: (id: string) => row<PlatformRecord>(`select ${columns} from @platform where id = $1`, [id]),
    platforms: () => rows<PlatformRecord>(`select ${columns} from @platform order by id`),
    /**
     * Removes a platform that no source names; what is on it stays. False: there is none.
     *
     * @throws {Stop} `usage`, where a source names it, a stack is on it, or one that was on it runs
     */
    removePlatform: (id: string, who: string): Promise<boolean> =>
      transaction(async (query) => {
        const [found] = await query('select from @platform where id = $1 for update', [id]);
        if (found === undefined) return false;
        const users = await query<{ readonly source: string }>(
          `select source from @source_platform where platform = $1
          union select source from @stack where platform = $1 and not is_gone order by source`,
          [id],
        );
        if (users.length > 0) {
          const names = users.map(({ source }) => source).join(', ');
          throw usage(
            `The platform ${id} has stacks, or sources that name it: ${names}`,
            'Change or remove these sources first.',
          );
        }
        await refuseRunning(query, 'platform', id);
        await query('delete from @stack where platform = $1', [id]);
        await query('delete from @platform where id = $1', [id]);
        await noteIn(query, { who, what: 'removed the platform', subject: id });
        return true;
      }),
  };
}

/** A password in an address would be in the database. */
function checkAddress({ id, url }: PlatformRecord): void {
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : new URL('none:');
  if (!/^https?:$/.test(protocol))
    throw usage(`The address of the platform ${id} is no URL of a platform`, 'Write https://…');
  if (username !== '' || password !== '')
    throw usage(
      `The address of the platform ${id} has a password`,
      'Write the address without it; the key of the platform is in its file.',
    );
}
