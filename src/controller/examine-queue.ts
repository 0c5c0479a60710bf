import type { Pool } from 'pg';
import { type Finding, finding } from './finding.ts';
import { schemas } from './pool.ts';
import { pgBossVersion } from './queue.ts';

/** Examines the queue: its engine, what waits and runs, and what failed too often. Writes nothing. */
export async function examineQueue(pool: Pool, installed: string): Promise<readonly Finding[]> {
  const engine =
    installed === pgBossVersion
      ? finding('queue', 'good', `pg-boss ${installed}`)
      : finding(
          'queue',
          'warning',
          `pg-boss ${installed} is installed, and Trueup is tested with ${pgBossVersion}`,
          `npm install pg-boss@${pgBossVersion}`,
        );
  const table = `${schemas.queue}.job`;
  const { rows: found } = await pool.query<{ is: boolean }>('select to_regclass($1) is not null as is', [table]);
  if (found[0]?.is !== true) return [engine, finding('queue', 'good', 'no worker has made its tables yet')];
  const { rows } = await pool.query<{ name: string; waiting: number; active: number }>(
    `select name, count(*) filter (where state in ('created', 'retry'))::int as waiting,
      count(*) filter (where state = 'active')::int as active from ${table} group by name order by name`,
  );
  const live = rows.filter(({ name }) => !name.endsWith('_dead'));
  const dead = rows.filter(({ name, waiting }) => name.endsWith('_dead') && waiting > 0);
  const counts = live.map(({ name, waiting, active }) => `${name}: ${waiting} waiting, ${active} running`);
  return [
    engine,
    finding('queue', 'good', counts.length === 0 ? 'nothing waits' : counts.join('; ')),
    ...dead.map(({ name, waiting }) => {
      const message = `${waiting} of ${name.replace(/_dead$/, '')} failed too often, and are not tried again by themselves`;
      return finding(
        'dead jobs',
        'bad',
        message,
        'The log of the workers says why. A new commit or look starts them again.',
      );
    }),
  ];
}
