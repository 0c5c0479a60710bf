import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { attributeName, pathOf } from '../kind/attribute.ts';
import type { Json, Row } from '../formats/json.ts';
import { isHidden, isSilent } from '../kind/row-values.ts';
import { contains, leftBehind } from '../kind/shared-set.ts';
import { position } from '../manifest/tree.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { type Action, type AttributeChange, isCreation } from './action.ts';
import { type Compared, compare } from './row-verdict.ts';
import { isForProof, writesOrRemoves } from './decide.ts';
import type { Digests } from '../secrets/digest.ts';
import type { Pair } from '../state/record.ts';
import { membersOf } from '../state/stored.ts';
import { declarationOf, wantedOf } from './standing.ts';
import { sentPair, storedPair } from './stored-pairs.ts';

/** The input for settling one resource. */
export interface SettleInput {
  readonly action: Action;
  /** The object as it was read back; undefined when it could not be read. */
  readonly after: Row | undefined;
  /** The object as the create of this run answered it; undefined when it was there before. */
  readonly made: Row | undefined;
  /** Whether all requests of the action were sent and acknowledged. */
  readonly wasSent: boolean;
  /** The platform answered an error and stored what was sent. */
  readonly isDoubted?: boolean;
  readonly outputs: Outputs;
  readonly digests: Digests;
  /** Replaces the secrets of the run in what the platform answered; left out where only what is as wanted is recorded. */
  readonly redact?: (text: string) => string;
}

/** The result of settling one resource. */
export interface Settled {
  /** Makes the pairs for the state: each may take a digest. */
  readonly pairs: () => Record<string, Pair>;
  readonly notes: readonly Diagnostic[];
  /** The platform has all that was written. */
  readonly isKept: boolean;
}

/** Compares the wanted values with those read back. */
export function settle(input: SettleInput): Settled {
  const { action, after, outputs, made } = input;
  const compared = after === undefined ? undefined : compare(action, after, outputs, made);
  const results = action.attributes.map((planned, at) => ({
    planned,
    ...settleAttribute(input, planned, compared?.[at]),
  }));
  const notes = results.flatMap(({ planned: { attribute, wanted }, pair, said }): Diagnostic[] => {
    if (said === undefined) return [];
    const about = { address: action.address, position: wanted && position(wanted.at) };
    const path = pathOf(action.kind, attribute);
    if (said === 'rewritten')
      return [diagnostic('rewritten', `${path}: the platform keeps another form of the value`, about)];
    const remedy =
      pair()?.ignored === 2
        ? 'Change the value, or leave the line out: Trueup does not write this value again.'
        : 'Apply again: Trueup writes an ignored value once more.';
    return [diagnostic('ignored', `${path}: the platform answered 200 and ignored the value`, { ...about, remedy })];
  });
  return { pairs: () => pairsOf(results), notes, isKept: results.every(({ said }) => said !== 'ignored') };
}

function pairsOf(
  results: readonly (SettledAttribute & { readonly planned: Pick<AttributeChange, 'attribute'> })[],
): Record<string, Pair> {
  const pairs: Record<string, Pair> = {};
  for (const { planned, pair } of results) {
    const made = pair();
    if (made !== undefined) pairs[attributeName(planned.attribute)] = made;
  }
  return pairs;
}

/** The pairs of an object that was made and cannot be read yet: what was sent stands for what was answered. */
export function sentPairs({ address, attributes }: Action, outputs: Outputs, digests: Digests): Record<string, Pair> {
  const pairs: Record<string, Pair> = {};
  for (const planned of attributes) {
    const { attribute, wanted } = planned;
    const resolved = wantedOf(planned, outputs);
    if (wanted === undefined || resolved?.is !== 'known') continue;
    const name = attributeName(attribute);
    const how = { outputs, digest: digests(address, name) };
    pairs[name] = sentPair(planned, wanted, resolved.value, how);
  }
  return pairs;
}

interface SettledAttribute {
  /** Undefined: the state keeps none. */
  readonly pair: () => Pair | undefined;
  readonly said?: 'ignored' | 'rewritten';
}

function settleAttribute(
  { action, wasSent, isDoubted = false, digests, outputs, redact }: SettleInput,
  planned: AttributeChange,
  compared: Compared | undefined,
): SettledAttribute {
  const { attribute, decision, field, wanted, standing, pair: old } = planned;
  const kept = () => old;
  const none = () => undefined;
  if (decision.do === 'release') return { pair: none };
  if (compared === undefined || ['leave', 'keep', 'wait'].includes(decision.do)) return { pair: kept };
  const { verdict, seen, meant } = compared;
  const digest = digests(action.address, attributeName(attribute));
  // The pair of a key goes when the key is gone; until then it stays ours.
  if (decision.do === 'remove' && verdict === 'as wanted') return { pair: none };
  if (decision.do === 'remove') return wasSent ? { pair: kept, said: 'ignored' } : { pair: kept };
  if (wanted === undefined || meant === undefined) return { pair: kept };
  // A request that the platform accepted proves all that it stored.
  const isProof = wasSent && action.steps.length > 0 && !isDoubted;
  const wasUnproven = old?.unproven === true || isForProof(decision);
  const isUnproven = isDoubted && writesOrRemoves(decision) ? true : wasUnproven && !isProof;
  const make = (answered: Json, ignored?: Pair['ignored']) => (): Pair => {
    const pair = storedPair(planned, wanted, [meant, answered], { outputs, digest, redact });
    if (ignored === undefined && !isUnproven) return pair; // of almost all: the one that was announced
    return { ...pair, ...(ignored === undefined ? {} : { ignored }), ...(isUnproven ? { unproven: true } : {}) };
  };
  const isLeft = field.codec === contains && leftBehind(meant, seen, membersOf(old?.wanted)).length > 0;
  // It stays ours, so that a later run takes it out.
  if (isLeft) return wasSent ? { pair: kept, said: 'ignored' } : { pair: kept };
  // What others put into a set beside ours is not remembered.
  if (verdict === 'as wanted') return { pair: make(field.codec === contains ? meant : seen) };
  // An earlier version wrote it without its template.
  const isFormer = standing.declared === 'as settled' && old?.wanted.template === undefined;
  if (decision.do === 'nothing' && isFormer && old !== undefined)
    return { pair: () => ({ ...old, wanted: make(seen)().wanted }) };
  if (decision.do === 'nothing' || !wasSent) return { pair: kept };
  // Its acknowledgement is all that shows of it.
  if (isHidden(field, seen)) return { pair: make(seen) };
  if (verdict === 'as before' || (isCreation(action) && isSilent(field, seen))) {
    const isAgain =
      old?.ignored !== undefined && declarationOf({ field, wanted, pair: old, digest, outputs }) === 'as settled';
    return { pair: make(seen, isAgain ? 2 : 1), said: 'ignored' };
  }
  // A key of a map that is gone again was taken out by a person: that is no form of its value.
  if (attribute.key !== undefined && seen === null) return { pair: kept, said: 'ignored' };
  return { pair: make(seen), said: 'rewritten' };
}
