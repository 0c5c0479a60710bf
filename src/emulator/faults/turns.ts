import type { Asked } from './asked.ts';
import { createChance } from './chance.ts';
import { isMeant } from './matching.ts';
import type { FaultPlan, Rule, Effect } from './fault-plan.ts';

/** Chooses the effects of faults on a request: none, one or several. */
export type Turns = (asked: Asked) => readonly Effect[];

/** Makes the turns of a plan. The n-th request that a fault matches gets the same effect in every run of the same seed. */
export function createTurns({ seed, faults }: FaultPlan): Turns {
  const turns = faults.map((rule, index) => createTurn(rule, createChance(seed, index)));
  return (asked) => turns.flatMap((turn) => turn(asked) ?? []);
}

function createTurn(rule: Rule, chance: () => number): (asked: Asked) => Effect | undefined {
  let met = 0;
  let done = 0;
  return (asked) => {
    if (!rule.on.some((pattern) => isMeant(pattern, asked))) return undefined;
    met += 1;
    // Drawn whether they are needed or not, so that what one request draws does not depend on another.
    const [luck, pick] = [chance(), chance()];
    if (!isDue(rule, met, luck) || done >= (rule.times ?? Infinity)) return undefined;
    done += 1;
    return rule.oneOf?.[Math.floor(pick * rule.oneOf.length)] ?? rule;
  };
}

function isDue({ at, every, chance }: Rule, met: number, luck: number): boolean {
  if (at !== undefined) return at.includes(met);
  if (every !== undefined) return met % every === 0;
  return chance === undefined || luck < chance;
}
