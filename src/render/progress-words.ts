import { blockAddress } from '../kind/address.ts';
import { duration, timeTaken } from './duration.ts';
import { printable } from './printable.ts';
import type { ProgressRow, ProgressView, WaitsFor } from './progress-view.ts';
import { stageOf } from './progress-view.ts';
import { actionWords } from './words.ts';

/** The words of a row while an apply runs, from the longest wording to the shortest. */
export function wordsFor(row: ProgressRow, view: ProgressView, now: number): readonly string[] {
  const stage = stageOf(view, row);
  const { now: doing, done } = actionWords[row.action ?? 'no-op'];
  switch (stage.is) {
    case 'waiting':
      return waitingWords(row, view);
    case 'running': {
      const doingNow = `${doing} ${duration(now - stage.since)}`;
      const { waits } = stage;
      if (waits === undefined) return [doingNow];
      const time = duration(now - waits.since);
      const { long, brief, briefest } = reasons[waits.for];
      return [`${doingNow}: ${long} ${time}`, `${doingNow}: ${brief} ${time}`, `${doingNow}, ${briefest}`, doingNow];
    }
    case 'done':
      return stage.took === undefined ? [done] : [`${done} in ${timeTaken(stage.took)}`];
    case 'failed': {
      const time = stage.took === undefined ? '' : ` after ${timeTaken(stage.took)}`;
      return [`${doing} failed${time}`, `failed${time}`];
    }
    case 'skipped':
      return ['skipped'];
    default:
      return stage satisfies never;
  }
}

/** The words of a row after an apply ended, from the longest wording to the shortest. */
export function lastWordsFor(row: ProgressRow, view: ProgressView, now: number): readonly string[] {
  const { is } = stageOf(view, row);
  if (is === 'waiting') return ['not started'];
  return is === 'running' ? ['started; outcome unknown', 'started'] : wordsFor(row, view, now);
}

/** A reason to wait: by itself, then in front of a duration, in ever less room. */
interface Reason {
  readonly now: string;
  readonly long: string;
  readonly brief: string;
  readonly briefest: string;
}

/** The words for the phases of a deployment. */
export const reasons: Readonly<Record<WaitsFor, Reason>> = {
  queue: {
    now: 'in the queue of the platform',
    long: 'in the queue of the platform for',
    brief: 'in the queue for',
    briefest: 'in queue',
  },
  deployment: {
    now: 'the deployment runs',
    long: 'the deployment runs,',
    brief: 'running for',
    briefest: 'running',
  },
  answer: {
    now: 'the platform pulls and starts it',
    long: 'the platform pulls and starts it,',
    brief: 'pulling and starting for',
    briefest: 'pulling',
  },
};

function waitingWords(row: ProgressRow, view: ProgressView): readonly string[] {
  const needs = row.needs.filter((address) =>
    ['waiting', 'running'].includes(view.stages.get(address)?.is ?? 'waiting'),
  );
  const [first] = needs;
  if (first === undefined) return ['waiting'];
  const service = blockAddress(first);
  const more = needs.length === 1 ? '' : ` and ${needs.length - 1} more`;
  const [environment = ''] = /^[^.[]*\./.exec(first) ?? [];
  const near = row.address.startsWith(environment) ? service.slice(environment.length) : service;
  const isDeployment = service !== first;
  return [
    `waits for ${isDeployment ? 'the deployment of ' : ''}${printable(service)}${more}`,
    `waits for ${isDeployment ? 'the deployment of ' : ''}${printable(near)}${more}`,
    `waits for ${isDeployment ? 'deploy of ' : ''}${printable(near)}${more}`,
    `waits for ${needs.length}`,
    'waiting',
  ];
}
