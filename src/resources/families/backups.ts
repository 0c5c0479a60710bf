import type { ChangeAtRisk, Lifecycle } from '../../kind/lifecycle.ts';

/** The backups that a schedule makes: fewer, none or others after a change. `source` is the field that names what it backs up. */
export function scheduledBackups(source: string): Lifecycle {
  const moved: ChangeAtRisk = {
    of: 'backups elsewhere',
    what: ({ before }) => `the backups in ${String(before)} stay there, and no new ones are added to them`,
  };
  return {
    dataAtRisk: () => ({ of: 'backups', what: 'the backups that it makes' }),
    changeAtRisk: {
      enabled: { of: 'backups', what: ({ after }) => (after === true ? undefined : 'the backups that it makes') },
      keepLatestCount: {
        of: 'backups',
        what: ({ before, after }) => {
          if (after === null) return undefined; // all are kept
          const isFewer = typeof before !== 'number' || typeof after !== 'number' || after < before;
          return isFewer ? `all backups but the latest ${String(after)}` : undefined;
        },
      },
      [source]: { of: 'backups', what: ({ before }) => `the backups of ${String(before)}, which it no longer makes` },
      destinationId: moved,
      prefix: moved,
    },
  };
}
