import { counted } from '../render/fold-lines.ts';
import { type Finding, finding } from './finding.ts';
import type { PlatformRecord, SiteRecord } from './records/all.ts';
import type { Labels } from './settings.ts';
import { onlyOptions } from './site.ts';

/** Examines whether workers are alive that reach platforms which are bound to labels. */
export function examineSite({ only, platforms, stacks, workers }: SiteRecord): Finding {
  const [options, names] = [onlyOptions(only), platforms.join(', ')];
  if (workers > 0) return finding('worker', 'good', `${names}: ${counted(workers, 'worker')} with ${options}`);
  const waiting = stacks === 0 ? '' : `, and ${counted(stacks, 'stack')} ${stacks === 1 ? 'has' : 'have'} none`;
  const message = `${names}: no worker with ${options} is alive${waiting}`;
  const remedy = `Start one that reaches the ${platforms.length === 1 ? 'platform' : 'platforms'}: trueup controller work ${options}`;
  return finding('worker', stacks === 0 ? 'warning' : 'bad', message, remedy);
}

/** Says that a platform is examined elsewhere. */
export function examinedElsewhere({ id, only }: PlatformRecord): Finding {
  const options = onlyOptions(only);
  const remedy = `Run trueup controller doctor ${options} where such a worker runs.`;
  return finding('platform', 'unknown', `${id}: not known: workers with ${options} reach it`, remedy);
}

/** Says that labels bind no platform. */
export function noPlatformFor(only: Labels): Finding {
  const options = onlyOptions(only);
  const remedy = `Correct the labels, or enrol a platform with them: trueup controller enrol --platform NAME ${options}`;
  return finding('platform', 'warning', `none is enrolled with ${options}`, remedy);
}
