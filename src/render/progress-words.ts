import { duration } from './duration.ts';
import { printable } from './printable.ts';
import type { OpenStage, ProgressRow, ProgressView, WaitsFor } from './progress-view.ts';
import { plannedAddress } from './progress-view.ts';
import { actionWords, isDeployment } from './words.ts';

/** The words of an open action while an apply runs, from the longest wording to the shortest. */
export function wordsFor(row: ProgressRow, stage: OpenStage, view: ProgressView, now: number): readonly string[] {
  if (stage.is === 'waiting') return waitingWords(row, view);
  const { waits, since } = stage;
  const doingNow = `${actionWords[row.action ?? 'no-op'].now} ${duration(now - since)}`;
  if (waits === undefined) return [doingNow];
  const time = duration(now - waits.since);
  const { long, brief, briefest } = reasons[waits.for];
  return [`${doingNow}: ${long} ${time}`, `${doingNow}: ${brief} ${time}`, `${doingNow}, ${briefest}`, doingNow];
}

/** The words of an open action when nothing more will happen. */
export const lastWords: Readonly<Record<OpenStage['is'], string>> = {
  waiting: 'not started',
  running: 'outcome unknown',
};

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
  earlier: {
    now: 'waiting for the end of an earlier deployment',
    long: 'waiting for the end of an earlier deployment,',
    brief: 'waiting for an earlier one for',
    briefest: 'waiting',
  },
};

function waitingWords(row: ProgressRow, view: ProgressView): readonly string[] {
  const needs = row.needs.filter((one) =>
    ['waiting', 'running'].includes(view.stages.get(plannedAddress(one))?.is ?? 'waiting'),
  );
  const [first] = needs;
  if (first === undefined) return ['waiting'];
  const { address: service } = first;
  const isDeployed = isDeployment(first);
  const more = needs.length === 1 ? '' : ` and ${needs.length - 1} more`;
  const [environment = ''] = /^[^.[]*\./.exec(service) ?? [];
  const near = row.address.startsWith(environment) ? service.slice(environment.length) : service;
  return [
    `waits for ${isDeployed ? 'the deployment of ' : ''}${printable(service)}${more}`,
    `waits for ${isDeployed ? 'the deployment of ' : ''}${printable(near)}${more}`,
    `waits for ${isDeployed ? 'deploy of ' : ''}${printable(near)}${more}`,
    `waits for ${needs.length}`,
    'waiting',
  ];
}
