import type { Job } from './ci-job.ts';
import { resultText } from './ci-report.ts';

/**
 * Compares the platform with what was applied last. Returns the exit code of `trueup drift`; 0 also for drift that is known or
 * accepted, of which a run that comes each night reports nothing new.
 */
export async function checkDrift({ trueup, options, report, forge }: Job): Promise<number> {
  const { code, all } = await trueup(['drift', ...options.shared, ...options.own], { isShown: true });
  const isFine = code === 0 || code === knownDrift;
  const titles = new Map([
    [0, 'no drift'],
    [2, 'new drift'],
    [knownDrift, 'known drift only'],
  ]);
  const title = titles.get(code) ?? `drift: failed with exit code ${code}`;
  report.summary(resultText(title, all, forge === undefined ? '' : `Compared with commit ${forge.commit}.`));
  report.output('exit-code', String(code));
  return isFine ? 0 : code;
}

/** The exit code of `trueup drift` for drift that is known or accepted. */
const knownDrift = 8;
