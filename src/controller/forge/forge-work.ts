import type { Queue } from '../queue.ts';
import type { Records } from '../records/all.ts';
import type { AtForge } from './forge-of-source.ts';
import { listPulls } from './list-pulls.ts';
import { planPull } from './plan-pull.ts';
import { proposeDrift } from './propose-drift.ts';
import { sendStatuses } from './send-statuses.ts';

/** The jobs at forges, by the first word of their keys; the rest names a source, a pull request of one, or a stack. */
const jobs: Readonly<Record<string, (at: AtForge, about: string, signal: AbortSignal) => Promise<void>>> = {
  pulls: (at, source) => listPulls(at, source),
  pull: planPull,
  statuses: sendStatuses,
  proposal: proposeDrift,
};

/** Does a job of the queue `forge`. @throws what failed, but for what the forge answered */
export async function workAtForge(at: AtForge, key: string, signal: AbortSignal): Promise<void> {
  const [word = ''] = key.split(' ');
  await jobs[word]?.(at, key.slice(word.length + 1), signal);
}

/** Sends jobs for what forges do not know, or have that is not known here. */
export async function sendDueAtForges(records: Records, queue: Pick<Queue, 'send'>, most: number): Promise<void> {
  const keys = [
    ...(await records.sourcesToTell(most)).map(({ id }) => `statuses ${id}`),
    ...(await records.pullsToPlan(most)).map(({ source, number }) => `pull ${source} ${number}`),
    ...(await records.dueProposals(most)).map(({ id }) => `proposal ${id}`),
  ];
  for (const key of keys) await queue.send('forge', key);
}
