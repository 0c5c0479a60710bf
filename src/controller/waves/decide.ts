/** What is known of a stack in an open wave. */
export interface WaveStack {
  readonly id: string;
  /** From 0. */
  readonly step: number;
  /** The platform is in step with the commit of the wave, or the commit changes nothing here. */
  readonly isInStep: boolean;
  /** An apply of the commit began in this wave, however it ended. */
  readonly hasBegun: boolean;
  /** Since when all runs ended well, deployments included; in milliseconds. `always`: the commit changed nothing here. */
  readonly healthyAt: number | 'always' | undefined;
  /** Set where the last run that says something did not end well. */
  readonly failed: Failure | undefined;
  /** Why no apply is to be expected: the wave goes on without it. */
  readonly leftOut: 'gone' | 'never' | undefined;
}

/** A run that did not end well. */
interface Failure {
  readonly at: number;
  /** Such as `its apply ended as partly`. */
  readonly because: string;
}

/** An open wave. Moments are in milliseconds. */
export interface WaveState {
  /** The last step that was begun, from 0. */
  readonly step: number;
  /** Number of steps. */
  readonly steps: number;
  readonly healthyMinutes: number;
  /** Set where the wave was stopped and not resumed since. */
  readonly isStopped: boolean;
  /** Failures up to this moment do not stop it any more. */
  readonly resumedAt: number | undefined;
}

/** What follows from the stacks of a wave. */
export type Decision = { readonly step: number; readonly may: ReadonlySet<string> } & (
  | { readonly is: 'open' }
  | { readonly is: 'stopped'; readonly by: { readonly stack: string; readonly because: string } | undefined }
  | { readonly is: 'done' }
);

/**
 * Says which step of a wave is open, which stacks may be brought to its commit (`may`), and whether it stops or is done.
 *
 * A step opens when all stacks of the steps before it are in step with the commit and were healthy for so many minutes. A failure
 * in an open step stops the wave; then only stacks go on that had begun. One that is gone or that nothing is ever applied to holds
 * up no step.
 */
export function decide(wave: WaveState, stacks: readonly WaveStack[], now: number): Decision {
  const counted = stacks.filter(({ leftOut }) => leftOut === undefined);
  const upTo = (step: number) => counted.filter((stack) => stack.step <= step);
  const isHealthy = ({ isInStep, healthyAt }: WaveStack, minutes: number): boolean =>
    isInStep && healthyAt !== undefined && (healthyAt === 'always' || now - healthyAt >= minutes * 60_000);
  const stopped = (step: number, by: WaveStack | undefined): Decision => ({
    is: 'stopped',
    step,
    may: idsOf(stacks.filter((stack) => stack.step <= step && stack.hasBegun)),
    by: by?.failed && { stack: by.id, because: by.failed.because },
  });
  for (let { step } = wave; ; step++) {
    if (wave.isStopped) return stopped(step, undefined);
    const failed = firstFailed(upTo(step), wave.resumedAt);
    if (failed !== undefined) return stopped(step, failed);
    const may = idsOf(stacks.filter((stack) => stack.step <= step));
    if (step >= wave.steps - 1) {
      const isDone = upTo(step).every((stack) => isHealthy(stack, 0));
      return { is: isDone ? 'done' : 'open', step, may };
    }
    if (!upTo(step).every((stack) => isHealthy(stack, wave.healthyMinutes))) return { is: 'open', step, may };
  }
}

/** The one that failed first since people had the wave go on. */
function firstFailed(stacks: readonly WaveStack[], since = -Infinity): WaveStack | undefined {
  const at = ({ failed }: WaveStack): number => failed?.at ?? -Infinity;
  return stacks.filter((stack) => at(stack) > since).toSorted((a, b) => at(a) - at(b))[0];
}

function idsOf(stacks: readonly WaveStack[]): ReadonlySet<string> {
  return new Set(stacks.map(({ id }) => id));
}
