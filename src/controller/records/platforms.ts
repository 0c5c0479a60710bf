import type { Database } from './database.ts';

/** A platform, with references to the files that have its key and the secrets of its stacks. */
export interface PlatformRecord {
  readonly id: string;
  readonly url: string;
  readonly profile: 'standard' | 'dokploy' | null;
  readonly keyFile: string;
  readonly envFile: string | null;
  readonly connections: number;
}

const columns = `id, url, profile, key_file as "keyFile", env_file as "envFile", connections`;

export function platformsIn({ rows, row }: Database) {
  return {
    addPlatform: ({ id, url, profile, keyFile, envFile, connections }: PlatformRecord) =>
      rows(
        `insert into @platform (id, url, profile, key_file, env_file, connections) values ($1, $2, $3, $4, $5, $6)
        on conflict (id) do update set url = $2, profile = $3, key_file = $4, env_file = $5, connections = $6`,
        [id, url, profile, keyFile, envFile, connections],
      ),
    platform: (id: string) => row<PlatformRecord>(`select ${columns} from @platform where id = $1`, [id]),
  };
}
