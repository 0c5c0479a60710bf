import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { means, plain } from '../kind/codecs.ts';
import type { Json, Row } from '../kind/json.ts';
import { takes } from '../kind/wire.ts';
import { partName } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Action, PlannedPart } from '../plan/action.ts';
import { toStored } from '../plan/decide.ts';
import { pathOf, resolveField } from '../plan/diff.ts';
import { contains, leftBehind, membersOf } from '../plan/merged.ts';
import type { ReadParts } from './parts.ts';
import { readParts } from './parts.ts';
import type { Pair } from '../state/record.ts';

/** What settling one resource needs. */
export interface SettleInput {
  readonly action: Action;
  /** The object as it was read back; undefined when it could not be read. */
  readonly after: Row | undefined;
  /** The object as the create of this run answered it; undefined when it was there before. */
  readonly made: Row | undefined;
  /** Whether all requests of the action were sent and acknowledged. */
  readonly wasSent: boolean;
  readonly outputs: Outputs;
  readonly digest: (text: string) => string;
}

/** Compares what was wanted with what was read back: the pairs for the state, and what has to be said. */
export function settle(input: SettleInput): { pairs: Record<string, Pair>; notes: Diagnostic[]; isKept: boolean } {
  const { action } = input;
  const read = input.after === undefined ? undefined : readParts(action, input.after);
  const pairs: Record<string, Pair> = {};
  const notes: Diagnostic[] = [];
  let isKept = true;
  for (const planned of action.parts) {
    const result = settlePart(input, planned, read);
    if (result.pair !== undefined) pairs[partName(planned.part)] = result.pair;
    if (result.said === undefined) continue;
    const about = {
      address: action.address,
      position: planned.wanted === undefined ? undefined : position(planned.wanted.at),
    };
    const path = pathOf(action.kind, planned.part);
    if (result.said === 'not kept') {
      isKept = false;
      notes.push(
        diagnostic('not-kept', `${path}: the platform answered 200 and did not keep the value`, {
          ...about,
          remedy: 'Look at it on the platform; the next plan does not try again until the value changes here.',
        }),
      );
    } else notes.push(diagnostic('rewritten', `${path}: the platform keeps another form of the value`, about));
  }
  return { pairs, notes, isKept };
}

/** The pairs of an object that was made and cannot be read yet: what was sent stands for what was answered. */
export function sentPairs({ parts }: Action, outputs: Outputs, digest: SettleInput['digest']): Record<string, Pair> {
  const pairs: Record<string, Pair> = {};
  for (const { part, field, wanted } of parts) {
    if (wanted === undefined) continue;
    const resolved = resolveField(field, wanted, outputs);
    if (resolved.is !== 'known') continue;
    const stored = toStored(field, resolved.value, wanted.isSecret, digest);
    pairs[partName(part)] = { wanted: stored, answered: stored };
  }
  return pairs;
}

function settlePart(
  input: SettleInput,
  planned: PlannedPart,
  after: ReadParts | undefined,
): { pair: Pair | undefined; said?: 'not kept' | 'rewritten' } {
  const { decision, field, wanted, pair: old } = planned;
  if (decision.do === 'release') return { pair: undefined };
  if (decision.do === 'remove') {
    // The pair of a key goes when the key is gone; until then it stays ours.
    const isGone = after !== undefined && after.value(planned.part) === null;
    if (isGone) return { pair: undefined };
    return input.wasSent && after !== undefined ? { pair: old, said: 'not kept' } : { pair: old };
  }
  if (wanted === undefined || after === undefined || decision.do === 'leave') return { pair: old };
  const resolved = resolveField(field, wanted, input.outputs);
  if (resolved.is !== 'known') return { pair: old };
  const answered = after.value(planned.part);
  const isMeant = means(field.codec ?? plain, resolved.value, answered);
  const make = (seen: Json, kept?: false): Pair => ({
    wanted: toStored(field, resolved.value, wanted.isSecret, input.digest),
    answered: toStored(field, seen, wanted.isSecret, input.digest),
    ...(kept === undefined ? {} : { kept }),
  });
  const isLeft = field.codec === contains && leftBehind(resolved.value, answered, membersOf(old?.wanted)).length > 0;
  // It stays ours, or nobody would ever take it out.
  if (isLeft) return input.wasSent ? { pair: old, said: 'not kept' } : { pair: old };
  // What others put into a set beside ours is not remembered.
  if (isMeant) return { pair: make(field.codec === contains ? resolved.value : answered) };
  if (decision.do === 'nothing' || !input.wasSent) return { pair: old };
  const before = valueBefore(input, planned);
  if (means(field.codec ?? plain, before, answered)) return { pair: make(answered, false), said: 'not kept' };
  // A key of a map that is gone again was taken out by somebody: that is no form of its value.
  if (planned.part.key !== undefined && answered === null) return { pair: old, said: 'not kept' };
  return { pair: make(answered), said: 'rewritten' };
}

/** What the platform had before the request that carries a part: for a new object, what its create gave it. */
function valueBefore({ action, made }: SettleInput, { part, before }: PlannedPart): Json {
  const { create } = action.kind.operations;
  if (made === undefined || create === undefined || takes(create, part.field)) return before.reveal();
  return readParts(action, made).value(part);
}
