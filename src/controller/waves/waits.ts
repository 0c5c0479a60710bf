import type { WaveStack } from './decide.ts';

/** A stack of a wave, with what holds it up. */
export interface HeldStack extends WaveStack {
  readonly paused: { readonly by: string; readonly because: string; readonly until: Date } | undefined;
  readonly isRunning: boolean;
  readonly hasPlan: boolean;
  /** An approver has to approve its plan: by its policy, or whatever that is. */
  readonly needsApproval: boolean;
  readonly verdict: 'approved' | 'refused' | undefined;
  readonly problem: string | null;
}

/** How a stack stands in its wave: `later`: its step is not open yet; `settles`: in step, and not healthy for long enough. */
export type Standing =
  | 'gone'
  | 'never'
  | 'healthy'
  | 'settles'
  | 'unhealthy'
  | 'failed'
  | 'runs'
  | 'later'
  | 'paused'
  | 'refused'
  | 'asks'
  | 'waits';

interface Wave {
  /** The step that is open, from 0. */
  readonly step: number;
  readonly healthyMinutes: number;
}

/** Says how a stack stands at a moment, in milliseconds. */
export function standingOf(wave: Wave, stack: HeldStack, now: number): Standing {
  const { leftOut, failed, isInStep, healthyAt, isRunning, paused, verdict, needsApproval, hasPlan, step } = stack;
  if (leftOut !== undefined) return leftOut;
  if (isRunning) return 'runs';
  if (failed !== undefined) return 'failed';
  if (isInStep && healthyAt === undefined) return 'unhealthy';
  if (isInStep) return healthyAt === 'always' || settledAt(wave, stack) <= now ? 'healthy' : 'settles';
  if (paused !== undefined) return 'paused';
  if (hasPlan && verdict === 'refused') return 'refused';
  if (hasPlan && needsApproval && verdict === undefined) return 'asks';
  return step > wave.step ? 'later' : 'waits';
}

/** A stack that the next step of its wave waits for, and why: `is paused by kim: a sale`. */
export interface Wait {
  readonly stack: string;
  readonly because: string;
}

/** Says what the next step of a wave waits for. */
export function waitsOf(wave: Wave, stacks: readonly HeldStack[], now: number): readonly Wait[] {
  return stacks.flatMap((stack) => {
    const standing = standingOf(wave, stack, now);
    const because = stack.step > wave.step ? undefined : reasons[standing](stack, wave);
    return because === undefined ? [] : [{ stack: stack.id, because }];
  });
}

const settledAt = ({ healthyMinutes }: Wave, { healthyAt }: WaveStack): number =>
  typeof healthyAt === 'number' ? healthyAt + healthyMinutes * 60_000 : -Infinity;

const reasons: Readonly<Record<Standing, (stack: HeldStack, wave: Wave) => string | undefined>> = {
  gone: () => undefined,
  never: () => undefined,
  healthy: () => undefined,
  later: () => undefined,
  settles: (stack, wave) => `is to be healthy for ${wave.healthyMinutes} minutes`,
  unhealthy: () => 'is looked at again after a failure',
  failed: ({ failed }) => failed?.because,
  runs: () => 'is being applied',
  paused: ({ paused }) => `is paused by ${paused?.by ?? 'an operator'}: ${paused?.because ?? ''}`,
  refused: () => 'has a plan that was refused',
  asks: () => 'has a plan that waits for an approval',
  waits: ({ problem }) => problem ?? 'waits for a worker',
};
