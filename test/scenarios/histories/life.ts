import type { Drift } from '../../support/random-commands.ts';
import type { Model } from '../../support/random-manifest.ts';
import type { Ending } from './applying.ts';
import type { Act } from './by-hand.ts';
import { actsFor } from './drift.ts';
import type { Step } from './history.ts';
import { perform } from './perform.ts';
import type { Run } from './run.ts';
import { withoutIds } from './run.ts';

/** A random history while it is lived. */
export interface Life {
  readonly run: Run;
  readonly model: Model;
  readonly steps: Step[];
  /** What was done to the manifest since the last step. */
  about: string[];
}

/** Does a step, and keeps it. */
export async function go(life: Life, step: Step): Promise<Ending> {
  const { about } = life;
  life.about = [];
  life.steps.push(about.length === 0 ? step : { ...step, about });
  return perform(life.run, step);
}

/** Does something by hand. */
export async function byHand(life: Life, acts: readonly Act[], isAsked = false): Promise<void> {
  for (const { operation, input } of acts)
    await go(life, { do: 'by hand', operation, input: withoutIds(life.run, input), isAsked });
}

/** Somebody changes something. */
export async function drift(life: Life, drifts: readonly Drift[]): Promise<void> {
  for (const one of drifts) await byHand(life, actsFor(life.run, life.model, one));
}
