import type { Position } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
import { isHidden } from '../kind/row-values.ts';
import { pathOf } from '../kind/attribute.ts';
import { position } from '../manifest/tree.ts';
import { type Observed, addressesById } from '../observe/observed.ts';
import {
  type Action,
  type AttributeChange,
  type Plan,
  createsObject,
  isCompared,
  isDeferred,
  isLeftOut,
} from './action.ts';
import { actionsByAddress } from './relations.ts';
import { lacksSecret } from './standing.ts';

/** Something declared that a plan did not compare with the platform. */
export interface NotCompared {
  readonly address: string;
  /** The field, as in the changes of a plan; undefined: the object as a whole. */
  readonly path?: string;
  /**
   * `secret missing`: everything but the secret is as it was applied last. `not recorded`: not even that is known, because an
   * earlier version of Trueup wrote the state; an apply with the secrets records it. `create only`: others set it.
   */
  readonly why: 'secret missing' | 'not recorded' | 'not returned' | 'cannot be decrypted' | 'left out' | 'create only';
  /** The names of the secrets that this run does not have. */
  readonly secrets?: readonly string[];
  readonly position?: Position;
}

/** Everything declared that a plan did not compare, in the order of the plan. Takes time in proportion to the attributes. */
export function notComparedIn({ actions }: Pick<Plan, 'actions'>): readonly NotCompared[] {
  return actions.flatMap((action) => {
    // Of a new object there is nothing to compare with, and what goes is not declared.
    if (createsObject(action) || !isCompared(action)) return [];
    if (isLeftOut(action) || (isDeferred(action) && action.attributes.length === 0)) return leftOut(action);
    return action.attributes.flatMap((one) => notCompared(action, one) ?? []);
  });
}

/** A plan with the lists that it could not read. */
export interface WithLists extends Pick<Plan, 'actions'> {
  readonly observed: Pick<Observed, 'unlisted' | 'objects'>;
}

/** The lists that the key may not read and that no block has something in: others may have. */
export function unlistedIn({ observed, actions }: WithLists): readonly NotCompared[] {
  const { unlisted, objects } = observed;
  if (unlisted.length === 0) return [];
  const byAddress = actionsByAddress(actions);
  return unlisted.flatMap(({ kind, parentId }) => {
    const address = addressesById(objects).get(parentId);
    if (address === undefined) return [];
    const at = byAddress.get(address)?.position;
    return [{ address, path: kind.section, why: 'left out', ...defined({ position: at }) }];
  });
}

/** An object that the plan does not look at; none, where no block declares it. */
function leftOut({ address, position: at }: Action): NotCompared[] {
  return at === undefined ? [] : [{ address, why: 'left out', position: at }];
}

function notCompared(action: Action, one: AttributeChange): NotCompared | undefined {
  const { wanted, attribute } = one;
  const { why, secrets } = reasonOf(action, one) ?? {};
  if (why === undefined) return undefined;
  const at = wanted === undefined ? action.position : position(wanted.at);
  const path = pathOf(action.kind, attribute);
  return { address: action.address, path, why, ...defined({ position: at, secrets }) };
}

function reasonOf(
  action: Action,
  { field, wanted, standing, decision, before }: AttributeChange,
): Pick<NotCompared, 'why' | 'secrets'> | undefined {
  const { declared, there } = standing;
  // Of an error the plan says more than that.
  if (declared === 'never declared' || declared === 'no longer declared' || decision.do === 'error') return undefined;
  if (isDeferred(action)) return { why: 'left out' };
  if (decision.do === 'keep') return { why: 'create only' };
  if (there === 'unreadable') return { why: 'cannot be decrypted' };
  if (decision.do === 'wait') return { why: 'left out' };
  if (lacksSecret(standing)) {
    const why = declared === 'not recorded, secret missing' ? 'not recorded' : 'secret missing';
    return { why, secrets: wanted?.missing ?? [] };
  }
  // A value was sent, and the platform answered none, or stars: that is no sign of what it has.
  const answered = before.reveal();
  const isUnanswered = there === 'as settled' && (answered === null || isHidden(field, answered));
  return isUnanswered && decision.do === 'nothing' && decision.ignored !== true ? { why: 'not returned' } : undefined;
}
