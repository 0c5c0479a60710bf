import { means, plain } from '../kind/codecs.ts';
import type { Json, Row } from '../formats/json.ts';
import { readRow } from '../kind/attribute.ts';
import { takes } from '../kind/row-values.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Action, AttributeChange } from './action.ts';
import { wantedOf } from './standing.ts';

/**
 * How an attribute of a row stands to what is meant. `as before`: as the plan saw it; `other`: neither that nor as
 * wanted; `not known`: as wanted cannot be told, because the wanted value is not known yet, and it is not as before.
 */
export type Verdict = 'as wanted' | 'as before' | 'other' | 'not known';

/** An attribute of an action beside the row that it was held against. */
export interface Compared {
  readonly planned: AttributeChange;
  readonly verdict: Verdict;
  /** null for what is not there. */
  readonly seen: Json;
  /** The wanted value; undefined where none is wanted, or where it is not known yet. */
  readonly meant: Json | undefined;
}

/**
 * Holds a row against what an action means. The only place that does: before a write it shows what a person changed,
 * after a lost answer whether the request took effect, after an acknowledged one what the platform made of it.
 *
 * @param made the object as the create of this run answered it: fields that the create does not take were so before.
 */
export function compare(action: Action, row: Row, outputs: Outputs, made?: Row): readonly Compared[] {
  const { create } = action.kind.operations;
  const now = readRow(action.kind, row);
  const answered = made === undefined || create === undefined ? undefined : { create, ...readRow(action.kind, made) };
  return action.attributes.map((planned) => {
    const { attribute } = planned;
    const seen = now.value(attribute);
    const isAnswered = answered !== undefined && !takes(answered.create, attribute.field);
    const was = isAnswered ? answered.value(attribute) : planned.before.reveal();
    const resolved = wantedOf(planned, outputs);
    const meant = resolved?.is === 'known' ? resolved.value : undefined;
    return { planned, seen, meant, verdict: verdictOn(planned, { seen, was, meant }) };
  });
}

function verdictOn(
  { field, decision }: AttributeChange,
  { seen, was, meant }: { readonly seen: Json; readonly was: Json; readonly meant: Json | undefined },
): Verdict {
  const codec = field.codec ?? plain;
  const isBefore = means(codec, was, seen);
  if (decision.do === 'remove') return seen === null ? 'as wanted' : isBefore ? 'as before' : 'other';
  if (meant !== undefined && means(codec, meant, seen)) return 'as wanted';
  if (isBefore) return 'as before';
  return meant === undefined ? 'not known' : 'other';
}
