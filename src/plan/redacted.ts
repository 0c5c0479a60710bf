import { textsIn } from '../formats/json.ts';
import { redacted } from '../secrets/secret.ts';
import type { Action, Change, Plan, Shown } from './action.ts';

/** A plan whose observed values show no secret of the run, wherever on the platform it stands. */
export function redactPlan(plan: Plan, redact: (text: string) => string): Plan {
  return { ...plan, actions: plan.actions.map((action) => redactAction(action, redact)) };
}

/** Almost no action has one: it stays the same object, so that a large plan is not held twice. */
function redactAction(action: Action, redact: (text: string) => string): Action {
  const changes = action.changes.map((change) => redactChange(change, redact));
  return changes.every((change, at) => change === action.changes[at]) ? action : { ...action, changes };
}

function redactChange(change: Change, redact: (text: string) => string): Change {
  const [before, last] = [change.before, change.last].map((shown) => shown && redactShown(shown, redact));
  if (before === undefined || (before === change.before && last === change.last)) return change;
  return { ...change, before, ...(last === undefined ? {} : { last }) };
}

/** A value of the platform without secrets of the run: of a text of several lines the part, of any other value all of it. */
export function redactShown(shown: Shown, redact: (text: string) => string): Shown {
  if (shown.is !== 'value' && shown.is !== 'masked') return shown;
  const { value } = shown;
  if (textsIn(value).every((text) => redact(text) === text)) return shown;
  if (typeof value !== 'string' || !value.trimEnd().includes('\n')) return { is: 'hidden' };
  const masked = redact(value);
  return masked.replaceAll(redacted, '').trim() === '' ? { is: 'hidden' } : { is: 'masked', value: masked };
}
