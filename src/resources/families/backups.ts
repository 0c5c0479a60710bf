import type { ChangeAtRisk, Lifecycle } from '../../kind/lifecycle.ts';

/** The backups that a schedule makes: fewer, none or others after a change. `source` is the field that names what it backs up. */
export function scheduledBackups(source: string): Lifecycle {
  const what = 'the backups that it makes';
  return {
    dataAtRisk: () => ({ of: 'backups', what }),
    changeAtRisk: {
      backups: {
        enabled: ({ after }) => (after === true ? undefined : what),
        keepLatestCount: fewer,
        [source]: ({ before }) => `the backups of ${String(before)}, which it no longer makes`,
      },
      'backups elsewhere': { destinationId: elsewhere, prefix: elsewhere },
    },
  };
}

const fewer: ChangeAtRisk = ({ before, after }) => {
  if (after === null) return undefined; // all are kept
  const isFewer = typeof before !== 'number' || typeof after !== 'number' || after < before;
  return isFewer ? `all backups but the latest ${String(after)}` : undefined;
};

const elsewhere: ChangeAtRisk = ({ before }) =>
  `the backups in ${String(before)} stay there, and no new ones are added to them`;
