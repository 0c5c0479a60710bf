import * as z from 'zod';
import type { Field } from '../../kind/field.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { cron, daysBetweenRuns } from '../../kind/value-forms.ts';
import type { ChangeAtRisk, Lifecycle } from '../../kind/lifecycle.ts';
import { type Row, isRow } from '../../formats/json.ts';
import { destinationId } from './named-ids.ts';

/**
 * The backups that a schedule makes: fewer, none or others after a change. `schedule` is the field that says
 * when, and `source` the one that says what it backs up.
 */
export function scheduledBackups(schedule: string, source?: string): Lifecycle {
  const what = 'the backups that it makes';
  return {
    dataAtRisk: () => ({ of: 'backups', what }),
    changeAtRisk: {
      backups: {
        enabled: ({ after }) => (after === true ? undefined : { what }),
        keepLatestCount: fewer,
        [schedule]: rarer,
        ...(source === undefined ? {} : { [source]: nothingOf }),
      },
      'backups elsewhere': { destinationId: elsewhere, prefix: elsewhere },
    },
  };
}

const nothingOf: ChangeAtRisk = ({ before }) => ({
  what: `the backups of ${String(before)}, which it no longer makes`,
  unnamed: 'the backups that it no longer makes',
});

const fewer: ChangeAtRisk = ({ before, after }) => {
  if (after === null) return undefined; // all are kept
  const isFewer = typeof before !== 'number' || typeof after !== 'number' || after < before;
  return isFewer ? { what: `all backups but the latest ${String(after)}` } : undefined;
};

/** A tenth more is no rarer: months and years differ. */
const rarer: ChangeAtRisk = ({ before, after }) => {
  const [old, fresh] = [before, after].map((one) => daysBetweenRuns(String(one ?? '')));
  return old !== undefined && fresh !== undefined && fresh > old * 1.1
    ? { what: 'the backups between its rarer runs' }
    : undefined;
};

/** The backups stay where they are. */
export const elsewhere: ChangeAtRisk = ({ before }) => ({
  what: `the backups in ${String(before)} stay there, and no new ones are added to them`,
  unnamed: 'the backups stay where they are, and no new ones are added to them',
});

export const keepLatestCount: Field = {
  schema: () => z.int32().min(1).describe('How many are kept; all when null.'),
  examples: [14, 7],
};

/** Whether it runs. The platform never runs a backup whose `enabled` was left out. */
export const enabledAtCreate = (examples: readonly [boolean, boolean]): Field => ({
  schema: () => z.boolean().describe('Whether it runs; true by default.'),
  atCreate: true,
  onNull: { refuse: 'null means that it never runs; write false for that' },
  examples,
});

/** When a backup runs, and where it goes. */
export const timed = {
  schedule: {
    schema: () => cron.describe('When it runs, as a cron expression.'),
    alsoWritten: 'cronExpression',
    examples: ['0 3 * * *', '30 4 * * 1'],
  },
  enabled: enabledAtCreate([true, false]),
  prefix: { schema: () => z.string().min(1).describe('Folder in the destination.'), examples: ['shop/', 'store/'] },
  destinationId,
  keepLatestCount,
} satisfies Readonly<Record<string, Field>>;

export const includeEncryptionKey: Field = {
  schema: () => z.boolean().describe("Whether the platform's encryption key goes into the backup."),
  otherwise: true,
  examples: [false, true],
};

/**
 * Backups of one service whose files the clean-up of another one deletes. The platform keeps files below the name of the service
 * and the prefix, and a clean-up lists what is there. `fileOf`: how the names of the files of a backup begin.
 * Source: keepLatestNBackups and cleanupOldVolumeBackups of v0.30.2.
 */
export function samePlaces(
  all: readonly CheckedResource[],
  fileOf: (self: CheckedResource) => string = () => '',
): Problem[] {
  const places = all.flatMap((self): Place[] => {
    const { destinationId, prefix, serviceName = '', keepLatestCount = null } = self.values;
    if (prefix === undefined || destinationId === undefined) return [];
    const folder = String(prefix)
      .trim()
      .replace(/^\/+|\/+$/g, '');
    const place = [self.parent ?? '', serviceName, destinationId, folder, fileOf(self)].map(String).join('/');
    return [{ self, place, cleans: keepLatestCount !== null || self.unknown?.includes('keepLatestCount') === true }];
  });
  const around: Place[] = [];
  return places
    .toSorted((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0))
    .flatMap((next): Problem[] => {
      while (around.length > 0 && !next.place.startsWith(around.at(-1)?.place ?? '')) around.pop();
      const other = around.find(({ place, cleans }) => cleans || (next.cleans && place === next.place));
      if (next.cleans || around.at(-1)?.place !== next.place) around.push(next);
      if (other === undefined) return [];
      const { address } = next.self;
      const message = `its prefix lies in that of ${other.self.address} on the same destination`;
      const remedy = 'Give each backup a prefix of its own: the clean-up of one deletes the files of the other.';
      return [{ code: 'overlap', address, field: 'prefix', message, remedy }];
    });
}

/** Where the files of a backup are, and whether it removes old ones. */
interface Place {
  readonly self: CheckedResource;
  readonly place: string;
  readonly cleans: boolean;
}

/** Volume backups of a database that copy nothing. Source: backupVolume of v0.30.2, which knows servers of applications and composes only. */
export function emptyCopies({ values }: CheckedResource, children: readonly CheckedResource[]): readonly Problem[] {
  return children.flatMap(({ kind, address, values: { turnOff } }): Problem[] => {
    if (kind !== 'volumeBackup') return [];
    const about = { code: 'backup-fails', address } as const;
    if (turnOff === true) {
      const message = 'the platform turns no database off for a copy of its volume: each run fails';
      return [{ ...about, field: 'turnOff', message, remedy: 'Write turnOff: false.' }];
    }
    if (typeof values['serverId'] !== 'string') return [];
    const message = 'the platform copies a volume of its own machine, and not of the server of this database';
    return [{ ...about, message, remedy: 'Write a block under backups: in its place, where the engine has them.' }];
  });
}

/**
 * What backups of a database do once it has another password; `row`: that of the database. The platform keeps what it read when
 * it scheduled them. Source: scheduleBackup of v0.30.2, which initCronJobs and backup.update call.
 */
export function oldLogins({ backups }: Row): string | undefined {
  const runs = Array.isArray(backups) && backups.some((one) => isRow(one) && one.enabled === true);
  if (!runs) return undefined;
  return 'its backups log in with the old password, and fail, until the platform schedules them anew: save each of them in the dashboard after the apply, or restart the platform';
}
