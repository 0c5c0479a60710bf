import * as z from 'zod';
import type { Field } from '../../kind/field.ts';
import { daysBetweenRuns } from '../../kind/value-forms.ts';
import type { ChangeAtRisk, Lifecycle } from '../../kind/lifecycle.ts';

/**
 * The backups that a schedule makes: fewer, none or others after a change. `source` and `schedule` are
 * the fields that say what it backs up, and when.
 */
export function scheduledBackups(source: string, schedule: string): Lifecycle {
  const what = 'the backups that it makes';
  return {
    dataAtRisk: () => ({ of: 'backups', what }),
    changeAtRisk: {
      backups: {
        enabled: ({ after }) => (after === true ? undefined : { what }),
        keepLatestCount: fewer,
        [schedule]: rarer,
        [source]: ({ before }) => ({
          what: `the backups of ${String(before)}, which it no longer makes`,
          unnamed: 'the backups that it no longer makes',
        }),
      },
      'backups elsewhere': { destinationId: elsewhere, prefix: elsewhere },
    },
  };
}

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
  schema: () => z.number().int().min(1).describe('How many are kept; all when null.'),
  examples: [14, 7],
};

/** Whether it runs. The platform never runs a backup whose `enabled` was left out. */
export const enabledAtCreate = (examples: readonly [boolean, boolean]): Field => ({
  schema: () => z.boolean().describe('Whether it runs; true by default.'),
  atCreate: true,
  onNull: { refuse: 'null means that it never runs; write false for that' },
  examples,
});
