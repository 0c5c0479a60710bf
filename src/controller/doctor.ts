import type { Pool } from 'pg';
import { Stop } from '../diagnostics/diagnostic.ts';
import type { Environment } from '../project/folder.ts';
import { type CheckoutsOptions, checkoutsIn } from './checkouts.ts';
import { checkoutsFolder, databaseUrl, stateKey } from './environment.ts';
import { examineDatabase, examineKey } from './examine-database.ts';
import { examinePlatformRecord } from './examine-platform.ts';
import { examineQueue } from './examine-queue.ts';
import { examineSite, examinedElsewhere, noPlatformFor } from './examine-sites.ts';
import { examineFetch, examineSource } from './examine-sources.ts';
import { examineReceivers } from './examine-receivers.ts';
import { type Finding, asFinding, finding } from './finding.ts';
import { openPool, schemas } from './pool.ts';
import { installedBoss } from './queue.ts';
import { type Records, type SourceRecord, recordsIn } from './records/all.ts';
import type { Labels } from './settings.ts';
import { onlyText } from './site.ts';

/** What the examination of a controller needs. */
interface DoctorOptions {
  readonly env: Environment;
  /** The labels that workers here name: their platforms are examined, and the sources of these. `{}`: all but bound platforms. */
  readonly only: Labels;
  /** The folder of the checkouts; undefined: the usual one. */
  readonly folder: string | undefined;
  readonly git: CheckoutsOptions;
}

/** Platforms and sources that are examined at a time. */
const atOnce = 8;

/** Examines all that a controller needs; changes nothing but the folder of the checkouts. Never throws a `Stop`. */
export async function examineController(options: DoctorOptions): Promise<readonly Finding[]> {
  const { env } = options;
  const boss = await attempt('queue', installedBoss);
  const key = await attempt('state key', () => stateKey(env));
  const pool = await attempt('database', async () => openPool(await databaseUrl(env), 4));
  const wrong = [boss, key, pool].flatMap((one) => (Array.isArray(one) ? one : []));
  if (isWrong(pool))
    return [...wrong, ...later.map((name) => finding(name, 'unknown', 'not known: the database comes first'))];
  try {
    const database = await examineDatabase(pool, Date.now);
    const isBehind = database.some(({ name, is }) => name === 'tables' && is !== 'good');
    return [
      ...wrong,
      finding('database', 'good', 'it answers'),
      ...database,
      ...(isWrong(boss) ? [] : await examineQueue(pool, boss)),
      ...(isBehind
        ? [finding('platform', 'unknown', 'not known: the tables come first')]
        : [...(isWrong(key) ? [] : await examineKey(pool, key)), ...(await examineRecords(options, pool))]),
    ];
  } finally {
    await pool.end();
  }
}

const later = ['version', 'tables', 'queue', 'platform', 'source'] as const;

type Wrong = readonly Finding[];

function isWrong(attempted: unknown): attempted is Wrong {
  return Array.isArray(attempted);
}

/** The result of some work, or what stopped it. */
async function attempt<T>(name: Finding['name'], work: () => Promise<T>): Promise<T | Wrong> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return asFinding(name, error);
  }
}

/** Examines what is enrolled, as far as workers with these labels work on it. */
async function examineRecords(options: DoctorOptions, pool: Pool): Promise<Wrong> {
  const { env, only, folder = checkoutsFolder(env), git } = options;
  const records: Records = recordsIn(pool, schemas.controller);
  const checkouts = checkoutsIn(folder, git);
  const [platforms, sites] = [await records.platforms(), await records.sites()];
  const isHere = (one: { readonly only: Labels }): boolean => onlyText(one.only) === onlyText(only);
  const here = platforms.filter(isHere);
  const reached = await several(here, examinePlatformRecord);
  if (onlyText(only) !== '') {
    const isUsed = ({ platforms: rules }: SourceRecord) =>
      rules.some((rule) => here.some(({ id }) => id === rule.platform));
    const fetches = await several((await records.sources()).filter(isUsed), (one) => examineFetch(one, checkouts));
    return [
      ...sites.filter(isHere).map(examineSite),
      ...reached,
      ...fetches,
      ...(here.length > 0 ? [] : [noPlatformFor(only)]),
    ];
  }
  const stopped = (await records.shownSources()).filter(({ isStopped }) => isStopped).map(({ id }) => id);
  const found = [
    ...examineReceivers(await records.receivers()),
    ...sites.map(examineSite),
    ...reached,
    ...platforms.filter((one) => !isHere(one)).map(examinedElsewhere),
    ...(await several(await records.sources(), (source) =>
      examineSource(source, checkouts, { now: Date.now(), isStopped: stopped.includes(source.id) }),
    )),
  ];
  if (platforms.length > 0) return found;
  return [...found, finding('platform', 'warning', 'there is none', 'Run trueup controller enrol --help.')];
}

/** Does some work for each of many, several at a time; the results are in their order. */
async function several<T>(items: readonly T[], work: (item: T) => Promise<Wrong>): Promise<Wrong> {
  const results: Wrong[] = [];
  let next = 0;
  const slot = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) results[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, slot));
  return results.flat();
}
