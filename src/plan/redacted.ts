import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { blockAddress } from '../kind/address.ts';
import { textsIn } from '../kind/json.ts';
import type { Parts } from '../kind/lifecycle.ts';
import { redacted } from '../secrets/secret.ts';
import type { Action, Change, Plan, Shown } from './action.ts';

/** A plan in which nothing shows that is known to be secret, wherever on the platform it stands. */
export function redactPlan(plan: Plan, redact: (text: string) => string): Plan {
  return {
    ...plan,
    actions: plan.actions.map((action) => redactAction(action, redact)),
    diagnostics: plan.diagnostics.map((item) => redactDiagnostic(item, redact)),
  };
}

/** A diagnostic that quotes nothing that is known to be secret. */
export function redactDiagnostic(item: Diagnostic, redact: (text: string) => string): Diagnostic {
  const { details, remedy, address, quote, ...rest } = item;
  // What it is about is no secret, also where a word of it is the value of some variable.
  const hide = (text: string) =>
    address === undefined ? redact(text) : text.split(blockAddress(address)).map(redact).join(blockAddress(address));
  return {
    ...rest,
    message: hide(item.message),
    ...(address === undefined ? {} : { address }),
    ...(quote === undefined || redact(quote.text) !== quote.text ? {} : { quote }),
    ...(details === undefined ? {} : { details: details.map(redact) }),
    ...(remedy === undefined ? {} : { remedy: hide(remedy) }),
  };
}

function redactAction(action: Action, redact: (text: string) => string): Action {
  const { notes, changes, holds, dataAtRisk } = action;
  const isSilent = holds === undefined && dataAtRisk === undefined;
  if (notes.length === 0 && changes.length === 0 && isSilent) return action;
  return {
    ...action,
    notes: notes.map((item) => redactDiagnostic(item, redact)),
    changes: changes.map((change) => redactChange(change, redact)),
    ...(holds === undefined ? {} : { holds: redactParts(holds, redact) }),
    dataAtRisk: dataAtRisk === undefined ? undefined : redact(dataAtRisk),
  };
}

/** Almost every change quotes no secret: it stays the same object, so that a large plan is not held twice. */
function redactChange(change: Change, redact: (text: string) => string): Change {
  const hide = (shown: Shown): Shown => redactShown(shown, redact);
  const { before, after, last, summary } = change;
  const quoted = { before: hide(before), after: hide(after) };
  const earlier = last === undefined ? undefined : hide(last);
  const words = summary === undefined ? undefined : redact(summary);
  if (quoted.before === before && quoted.after === after && earlier === last && words === summary) return change;
  return {
    ...change,
    ...quoted,
    ...(earlier === undefined ? {} : { last: earlier }),
    ...(words === undefined ? {} : { summary: words }),
  };
}

function redactParts(parts: Parts, redact: (text: string) => string): Parts {
  return Object.fromEntries(Object.entries(parts).map(([noun, names]) => [noun, names.map(redact)]));
}

/** A value without what is known to be secret: of a text of several lines the part, of any other value all of it. */
export function redactShown(shown: Shown, redact: (text: string) => string): Shown {
  if (shown.is !== 'value' && shown.is !== 'masked') return shown;
  const { value } = shown;
  if (textsIn(value).every((text) => redact(text) === text)) return shown;
  if (typeof value !== 'string' || !value.trimEnd().includes('\n')) return { is: 'hidden' };
  const masked = redact(value);
  return masked.replaceAll(redacted, '').trim() === '' ? { is: 'hidden' } : { is: 'masked', value: masked };
}
