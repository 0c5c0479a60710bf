import * as z from 'zod';
import type { Field } from '../../kind/field.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { cron, daysBetweenRuns } from '../../kind/value-forms.ts';
import type { ChangeAtRisk, Lifecycle } from '../../kind/lifecycle.ts';
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

/** Two backups below one prefix of a destination delete each other's files when old ones are removed. */
export function samePlaces(all: readonly CheckedResource[]): Problem[] {
  const folder = (self: CheckedResource) => String(self.values.prefix).replace(/^\/+|\/+$/g, '');
  const places = all
    .filter((self) => self.values.prefix !== undefined && self.values.destinationId !== undefined)
    .map((self) => ({ self, place: `${String(self.values.destinationId)}/${folder(self)}/` }))
    .toSorted((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0));
  const problems: Problem[] = [];
  let cover: (typeof places)[number] | undefined;
  for (const next of places) {
    if (cover === undefined || !next.place.startsWith(cover.place)) {
      cover = next;
      continue;
    }
    problems.push({
      code: 'overlap',
      address: next.self.address,
      field: 'prefix',
      message: `its prefix lies in that of ${cover.self.address} on the same destination`,
      remedy: 'Give each backup a prefix of its own: the clean-up of one deletes the files of the other.',
    });
  }
  return problems;
}
