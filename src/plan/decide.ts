import type { Acceptance } from '../manifest/accepted-drift.ts';
import type { Field } from '../kind/field.ts';
import type { Pair } from '../state/record.ts';
import { type Answer, type Declaration, type Standing, isEdited } from './standing.ts';

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
  | 'ignored'
  | 'unproven';

/** The decision about one field, or one key of a map, of an object that exists. */
export type Decision =
  /**
   * Nothing is sent. `settled`: wanted and observed agree, which is recorded. `ignored`: the platform ignores the value.
   * `unproven`: the platform answered an error when it stored the value, and no request can repeat that.
   */
  | { readonly do: 'nothing'; readonly settled: boolean; readonly ignored?: true; readonly unproven?: true }
  /** Trueup stops managing it, reports that once, and sends nothing. */
  | { readonly do: 'release' }
  /** A key that was ours, or that may not stay, is removed. */
  | { readonly do: 'remove' }
  | { readonly do: 'write'; readonly cause: Cause }
  | { readonly do: 'replace'; readonly cause: Cause }
  /** A difference that the plan shows and leaves: `sentence` says why. */
  | { readonly do: 'leave'; readonly sentence: string; readonly accepted?: true }
  /** Others set the value once the object is there: nothing is compared or sent. */
  | { readonly do: 'keep' }
  /**
   * Nothing is sent until the platform can decrypt the cipher text that it answers, or until the object is there whose
   * output the value needs.
   */
  | { readonly do: 'wait' }
  | { readonly do: 'error'; readonly code: 'cannot-change' | 'secret-missing'; readonly sentence: string };

/** Returns true for a decision that an update carries out: it writes the value, or removes the key. */
export function writesOrRemoves(decision: Decision): boolean {
  return decision.do === 'write' || decision.do === 'remove';
}

/** Returns true for a decision about a value that the platform stored with an error. */
export function isForProof(decision: Decision): boolean {
  if (decision.do === 'nothing') return decision.unproven === true;
  return (decision.do === 'write' || decision.do === 'replace') && decision.cause === 'unproven';
}

/** What the decision about one field depends on beside its standing. */
export interface Situation {
  readonly field: Field;
  readonly standing: Standing;
  /** Secrets that the value needs and this run does not have. */
  readonly missing: readonly string[];
  /** How many runs wrote the value and saw the platform ignore it. */
  readonly ignored: Pair['ignored'];
  /** A person accepted what the platform has, and that counts. */
  readonly accepted?: Acceptance | undefined;
  /** The field keeps its value for a reason of the object's own. */
  readonly fixed?: string | undefined;
  /** The platform answered an error when it stored the settled value: what proves the value. */
  readonly provedBy?: 'an update' | 'a new object' | undefined;
}

/** The decisions about most fields of a large plan. */
const nothing: Decision = { do: 'nothing', settled: false };
const agreed: Decision = { do: 'nothing', settled: true };

/** What is decided, by the names that docs/field-decisions.md prints. */
const rules = {
  nothing: () => nothing,
  record: (situation) => {
    if (situation.provedBy === undefined) return agreed;
    // Stored with an error: written again until the platform accepts it.
    return written(situation, 'unproven', () => ({ do: 'nothing', settled: false, unproven: true }));
  },
  release: () => ({ do: 'release' }),
  wait: () => ({ do: 'wait' }),
  'update after apply': (situation) =>
    written(situation, 'known after apply', (reason) =>
      cannotChange(`its value is known only after apply, and it cannot be changed then: ${reason}`),
    ),
  'first managed': (situation) =>
    written(situation, 'first managed', (reason) =>
      cannotChange(`the platform has another value, and it cannot be changed: ${reason}`),
    ),
  'as settled': (situation) => {
    const { ignored, missing } = situation;
    if (ignored === undefined) return nothing;
    // Written once more: the platform may have failed to do what it was asked.
    if (ignored === 1 && missing.length === 0 && isWrittenBack(situation)) return { do: 'write', cause: 'ignored' };
    return { do: 'nothing', settled: false, ignored: true };
  },
  drift: (situation) =>
    isWrittenBack(situation)
      ? { do: 'write', cause: 'drift' }
      : leave(`it was changed on the platform and is left so: ${immovable(situation)}`),
  edit: (situation) => change(situation, 'edit'),
  conflict: (situation) => change(situation, 'conflict'),
  'unrepaired drift': ({ missing }) =>
    leave(`it differs on the platform and is not repaired, because this run does not have ${missing.join(', ')}`),
  'new without secret': needing('it needs'),
  'edit without secret': needing('it was edited and needs'),
  'rotation without secret': needing('a secret in it has another value than in the last apply, and it needs'),
  'update after apply without secret': needing('its value is known only after apply, and it needs'),
} satisfies Readonly<Record<string, (situation: Situation) => Decision>>;

type Rule = keyof typeof rules;

/** The rules for an attribute with some declaration, by what is there. */
type Rules = Readonly<Record<Answer, Rule>>;

const waits = { unreadable: 'wait' } as const;
const unrepaired: Rules = {
  'as wanted': 'as settled',
  'as settled': 'as settled',
  other: 'unrepaired drift',
  ...waits,
};
const always = (rule: Rule): Rules => ({ 'as wanted': rule, 'as settled': rule, other: rule, ...waits });

/** The table of when a field is written, complete. docs/field-decisions.md prints it and gives the reasons. */
export const table: Readonly<Record<Declaration, Rules>> = {
  'never declared': always('nothing'),
  'no longer declared': always('release'),
  new: { 'as wanted': 'record', 'as settled': 'first managed', other: 'first managed', ...waits },
  'as settled': { 'as wanted': 'record', 'as settled': 'as settled', other: 'drift', ...waits },
  edited: { 'as wanted': 'record', 'as settled': 'edit', other: 'conflict', ...waits },
  'known after apply': always('update after apply'),
  'new, secret missing': always('new without secret'),
  'as settled, secret missing': unrepaired,
  'edited, secret missing': always('edit without secret'),
  'rotated, secret missing': always('rotation without secret'),
  'known after apply, secret missing': always('update after apply without secret'),
  'not recorded, secret missing': unrepaired,
};

/** The rules for a value that is wanted and settled, each of which would write it, or leave it as it is there. */
const ofKnown: readonly Rule[] = ['record', 'edit', 'conflict', 'drift'];

/** Decides about a field, or a key of a map, of an object that exists. */
export function decide(situation: Situation): Decision {
  const { standing, accepted, provedBy } = situation;
  if (accepted !== undefined && standing.there === 'other' && !unaccepted.has(standing.declared))
    return leaveAccepted(accepted, isEdited(standing.declared));
  const rule = table[standing.declared][standing.there];
  if (provedBy === 'a new object' && ofKnown.includes(rule)) return { do: 'replace', cause: 'unproven' };
  return rules[rule](situation);
}

/** The declarations for which nothing of the platform is left alone because a person accepted it. */
const unaccepted: ReadonlySet<Declaration> = new Set(['never declared', 'no longer declared', 'new, secret missing']);

/** Leaves drift that a person accepted. `isDeferredEdit`: the manifest has a third value. */
export function leaveAccepted({ by, until, because }: Acceptance, isDeferredEdit = false): Decision {
  const edit = isDeferredEdit ? '; the new value of the manifest waits until then' : '';
  return {
    do: 'leave',
    sentence: `${by} accepted what the platform has until ${until}: ${because}${edit}`,
    accepted: true,
  };
}

function written(situation: Situation, cause: Cause, otherwise: (reason: string) => Decision): Decision {
  const reason = immovable(situation);
  return reason === undefined ? { do: 'write', cause } : otherwise(reason);
}

/** Returns true where an update can give the platform the settled value again. */
function isWrittenBack(situation: Situation): boolean {
  return immovable(situation) === undefined || (situation.field.rowOnly === true && situation.fixed === undefined);
}

function change(situation: Situation, cause: 'edit' | 'conflict'): Decision {
  const { field, fixed } = situation;
  if (field.onChange === 'replace' && fixed === undefined) {
    if (cause === 'edit') return { do: 'replace', cause };
    return cannotChange(
      'it was changed here and on the platform, and a replacement on such grounds is never automatic',
    );
  }
  return written(situation, cause, cannotChange);
}

function cannotChange(sentence: string): Decision {
  return { do: 'error', code: 'cannot-change', sentence };
}

/** The error about a value that has to be written and needs secrets that the run does not have. */
function needing(what: string): (situation: Situation) => Decision {
  return ({ missing }) => ({
    do: 'error',
    code: 'secret-missing',
    sentence: `${what} ${missing.join(', ')}, which this run does not have`,
  });
}

function leave(sentence: string): Decision {
  return { do: 'leave', sentence };
}

/** Why a field of an existing object cannot be written; undefined when it can. */
export function immovable({ field, fixed }: Pick<Situation, 'field' | 'fixed'>): string | undefined {
  if (fixed !== undefined) return fixed;
  if (field.onChange === 'replace') return 'only a new object can have another value';
  return typeof field.onChange === 'object' && 'refuse' in field.onChange ? field.onChange.refuse : undefined;
}
