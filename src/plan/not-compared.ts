import type { Position } from '../diagnostics/diagnostic.ts';
import { pathOf } from '../kind/attribute.ts';
import { position } from '../manifest/tree.ts';
import type { Action, AttributeChange, Plan } from './action.ts';

/** Something declared that a plan did not compare with the platform. */
export interface NotCompared {
  readonly address: string;
  /** The field, as in the changes of a plan; undefined: the object as a whole. */
  readonly path?: string;
  readonly why: 'secret missing' | 'not returned' | 'cannot be decrypted' | 'not readable' | 'left out';
  /** The names of the secrets that this run does not have. */
  readonly secrets?: readonly string[];
  readonly position?: Position;
}

/** Everything declared that a plan did not compare, in the order of the plan. Takes time in proportion to the attributes. */
export function notComparedIn({ actions }: Pick<Plan, 'actions'>): readonly NotCompared[] {
  return actions.flatMap((action) => {
    // Of a new object there is nothing to compare with, and what goes is not declared.
    if (action.action === 'create' || action.action === 'delete' || action.action === 'forget') return [];
    if (action.isHeld === true && action.attributes.length === 0) return leftOut(action);
    return action.attributes.flatMap((one) => notCompared(action, one) ?? []);
  });
}

/** An object that the plan does not look at; none, where no block declares it. */
function leftOut({ address, position: at }: Action): NotCompared[] {
  return at === undefined ? [] : [{ address, why: 'left out', position: at }];
}

function notCompared(action: Action, one: AttributeChange): NotCompared | undefined {
  const { wanted, attribute } = one;
  const reason = wanted === undefined ? undefined : reasonOf(action, one);
  if (wanted === undefined || reason === undefined) return undefined;
  return { address: action.address, path: pathOf(action.kind, attribute), ...reason, position: position(wanted.at) };
}

function reasonOf(
  { isHeld }: Action,
  { wanted, decision, before }: AttributeChange,
): Pick<NotCompared, 'why' | 'secrets'> | undefined {
  if (decision.do === 'wait') return { why: 'cannot be decrypted' };
  if (wanted !== undefined && wanted.missing.length > 0) return { why: 'secret missing', secrets: wanted.missing };
  if (isHeld === true) return { why: 'left out' };
  // A value was sent, and the platform answered none: that is no sign of what it has.
  const isUnanswered = decision.do === 'nothing' && !decision.settled && decision.ignored !== true;
  return isUnanswered && before.reveal() === null ? { why: 'not returned' } : undefined;
}
