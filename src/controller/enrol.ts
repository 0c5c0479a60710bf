import { userInfo } from 'node:os';
import { someOf } from '../diagnostics/some-of.ts';
import { usage } from '../diagnostics/usage.ts';
import type { Environment } from '../project/folder.ts';
import { type CheckoutsOptions, checkoutsIn } from './checkouts.ts';
import { checkoutsFolder, databaseUrl } from './environment.ts';
import { examineFile } from './examine-files.ts';
import { examinePlatformRecord } from './examine-platform.ts';
import { fetchOf } from './examine-sources.ts';
import type { Finding } from './finding.ts';
import { openPool, schemas } from './pool.ts';
import { type NewSource, type PlatformRecord, recordsIn } from './records/all.ts';
import { migrate, requireTables } from './schema.ts';

/** What is enrolled, and how. */
interface EnrolOptions {
  readonly env: Environment;
  readonly platform: PlatformRecord | undefined;
  readonly source: NewSource | undefined;
  /** false: nothing is examined before it is written. */
  readonly checks: boolean;
  /** The folder of the checkouts; undefined: the usual one. */
  readonly folder: string | undefined;
  readonly git: CheckoutsOptions;
}

/** What an enrolment did. */
interface Enrolled {
  /** Where one of them is bad, nothing was written. */
  readonly checks: readonly Finding[];
  readonly platform?: 'added' | 'changed' | 'same';
  readonly source?: 'added' | 'changed' | 'same';
}

/**
 * Adds a platform, a source or both, or changes them: what the options leave out gets its default. Proves before that the platform
 * accepts the key, and that git reads the source.
 *
 * @throws {Stop} where the database or the tables refuse it
 */
export async function enrol(options: EnrolOptions): Promise<Enrolled> {
  const { env, platform, source } = options;
  const checks = options.checks ? await examine(options) : [];
  if (checks.some(({ is }) => is === 'bad')) return { checks };
  const pool = await openPool(await databaseUrl(env), 1);
  try {
    await migrate(pool, schemas.controller);
    const records = recordsIn(pool, schemas.controller);
    const who = userInfo().username;
    return {
      checks,
      ...(platform === undefined ? {} : { platform: await records.addPlatform(platform, who) }),
      ...(source === undefined ? {} : { source: await records.addSource(source, who) }),
    };
  } finally {
    await pool.end();
  }
}

/** What is removed, by its name. */
interface RemoveOptions {
  readonly env: Environment;
  readonly what: 'platform' | 'source';
  readonly id: string;
}

/**
 * Removes a source with its stacks, or a platform that no source names. Nothing is sent to a platform: what is there stays, and so do
 * the states. Gives the previews that nothing removes then.
 *
 * @throws {Stop} `usage`, where there is none of this name, a stack of the source runs, or a source names the platform
 */
export async function remove({ env, what, id }: RemoveOptions): Promise<readonly string[]> {
  const pool = await openPool(await databaseUrl(env), 1);
  try {
    await requireTables(pool, schemas.controller);
    const records = recordsIn(pool, schemas.controller);
    const who = userInfo().username;
    const removed = await (what === 'source' ? records.removeSource(id, who) : records.removePlatform(id, who));
    if (removed === true) return [];
    if (removed !== undefined && removed !== false) return removed.previews;
    const names = (await (what === 'source' ? records.sources() : records.platforms())).map((one) => one.id);
    throw usage(`there is no ${what} ${id}`, names.length === 0 ? undefined : `Name one of these: ${someOf(names)}.`);
  } finally {
    await pool.end();
  }
}

async function examine({
  env,
  platform,
  source,
  folder = checkoutsFolder(env),
  git,
}: EnrolOptions): Promise<Finding[]> {
  const checkouts = checkoutsIn(folder, git);
  const files = [source?.hookSecretFile, source?.forgeTokenFile, source?.credentialsFile].filter(
    (file) => typeof file === 'string',
  );
  return [
    ...(platform === undefined ? [] : await examinePlatformRecord(platform)),
    ...(await Promise.all(files.map((file) => examineFile(`a file of ${source?.id ?? ''}`, file)))).flat(),
    ...(source === undefined ? [] : await fetchOf(source, checkouts)),
  ];
}
