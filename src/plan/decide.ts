import { means, plain } from '../kind/codecs.ts';
import type { Json } from '../kind/json.ts';
import type { Field } from '../kind/field.ts';
import type { Resolved } from '../manifest/wanted.ts';
import type { Digest } from '../secrets/digest.ts';
import type { Pair } from '../state/record.ts';
import { matchesStored } from '../state/stored.ts';

/** Why a value is written, or goes. */
export type Cause =
  | 'create'
  | 'delete'
  | 'first managed'
  | 'drift'
  | 'edit'
  | 'conflict'
  | 'removed'
  | 'known after apply'
  | 'ignored';

/** The decision about one field, or one key of a map, of an object that exists. */
export type Decision =
  /** Nothing is sent. `settled`: wanted and observed agree, which is recorded. `ignored`: the platform ignores the value. */
  | { readonly do: 'nothing'; readonly settled: boolean; readonly ignored?: true }
  /** Trueup stops managing it, reports that once, and sends nothing. */
  | { readonly do: 'release' }
  /** A key that was ours, or that may not stay, is removed. */
  | { readonly do: 'remove' }
  | { readonly do: 'write'; readonly cause: Cause }
  | { readonly do: 'replace'; readonly cause: Cause }
  /** A difference that the plan shows and leaves: `sentence` says why. */
  | { readonly do: 'leave'; readonly sentence: string }
  /** The platform answers cipher text: nothing is compared or sent until it can decrypt that again. */
  | { readonly do: 'wait' }
  | { readonly do: 'error'; readonly code: 'cannot-change' | 'secret-missing'; readonly sentence: string };

/** Returns true for a decision that an update carries out: it writes the value, or removes the key. */
export function writesOrRemoves(decision: Decision): boolean {
  return decision.do === 'write' || decision.do === 'remove';
}

/** The facts of one field: what is wanted now, what is observed now, what was settled last. */
export interface Situation {
  readonly field: Field;
  /** undefined: left out. */
  readonly wanted: Resolved | undefined;
  readonly observed: Json;
  readonly pair: Pair | undefined;
  readonly digest: Digest;
  /** The field keeps its value for a reason of the object's own. */
  readonly fixed?: string | undefined;
}

/** The decisions about most fields of a large plan. */
const nothing: Decision = { do: 'nothing', settled: false };
const agreed: Decision = { do: 'nothing', settled: true };

/** The table of when a field is written; the numbers are the rows in docs/when-a-field-is-written.md. First match wins. */
export function decide(situation: Situation): Decision {
  const { field, wanted, observed, pair } = situation;
  const reason = immovable(situation);
  if (wanted === undefined) return pair === undefined ? nothing : { do: 'release' }; // 1, 2
  if (wanted.is === 'pending') {
    if (reason === undefined) return { do: 'write', cause: 'known after apply' }; // 3
    return cannotChange(`its value is known only after apply, and it cannot be changed then: ${reason}`);
  }
  if (wanted.is === 'unavailable') {
    const names = wanted.secrets.join(', ');
    if (pair === undefined) {
      return { do: 'error', code: 'secret-missing', sentence: `it needs ${names}, which this run does not have` };
    }
    if (isAnswered(situation, pair)) return nothing; // 4
    return leave(`it differs on the platform and is not repaired, because this run does not have ${names}`);
  }
  if (means(field.codec ?? plain, wanted.value, observed)) return agreed; // 5
  if (pair === undefined) {
    if (reason === undefined) return { do: 'write', cause: 'first managed' }; // 6
    return cannotChange(`the platform has another value, and it cannot be changed: ${reason}`);
  }
  const isWrittenBack = reason === undefined || (field.rowOnly === true && situation.fixed === undefined);
  const isEdited = !matchesStored(situation, pair.wanted, wanted.value);
  const isAsAnswered = isAnswered(situation, pair);
  if (isEdited) return change(situation, isAsAnswered ? 'edit' : 'conflict'); // 9, 10
  if (!isAsAnswered) {
    if (isWrittenBack) return { do: 'write', cause: 'drift' }; // 8
    return leave(`it was changed on the platform and is left so: ${reason}`);
  }
  if (pair.ignored === undefined) return nothing; // 7
  // Written once more: the platform may have failed to do what it was asked.
  if (pair.ignored === 1 && isWrittenBack) return { do: 'write', cause: 'ignored' };
  return { do: 'nothing', settled: false, ignored: true };
}

/** Whether the platform has what it answered when the attribute was settled last. */
function isAnswered(situation: Situation, { answered }: Pair): boolean {
  return matchesStored(situation, answered, situation.observed);
}

function change(situation: Situation, cause: 'edit' | 'conflict'): Decision {
  const { field, fixed } = situation;
  if (field.onChange === 'replace' && fixed === undefined) {
    if (cause === 'edit') return { do: 'replace', cause };
    return cannotChange(
      'it was changed here and on the platform, and a replacement on such grounds is never automatic',
    );
  }
  const reason = immovable(situation);
  return reason === undefined ? { do: 'write', cause } : cannotChange(reason);
}

function cannotChange(sentence: string): Decision {
  return { do: 'error', code: 'cannot-change', sentence };
}

function leave(sentence: string): Decision {
  return { do: 'leave', sentence };
}

/** Why a field of an existing object cannot be written; undefined when it can. */
function immovable({ field, fixed }: Situation): string | undefined {
  if (fixed !== undefined) return fixed;
  if (field.onChange === 'replace') return 'only a new object can have another value';
  return typeof field.onChange === 'object' && 'refuse' in field.onChange ? field.onChange.refuse : undefined;
}
