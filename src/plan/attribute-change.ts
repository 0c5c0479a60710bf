import { pathOf } from '../kind/attribute.ts';
import { idSet } from '../kind/codecs.ts';
import { type Json, defined } from '../formats/json.ts';
import type { Field } from '../kind/field.ts';
import { contains, idsIn, merged } from '../kind/shared-set.ts';
import type { Resource } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import type { Resolved } from '../manifest/wanted.ts';
import type { Observed } from '../observe/observed.ts';
import { membersOf } from '../state/stored.ts';
import type { AttributeChange, Change, Shown } from './action.ts';
import type { Planning } from './input.ts';
import { type SecretsBeside, compareHidden, redactShown, showSides } from './shown-values.ts';
import { type JudgedAttribute, wantedOf } from './standing.ts';

/** What showing the values of a change needs of the input of a plan. */
export interface ChangeShowing extends Pick<Planning, 'outputs' | 'values' | 'redact'> {
  /** The names of objects that fields refer to by id; without it, ids are shown. */
  readonly observed: Pick<Observed, 'nameOf'>;
  /** Of the keys of a map; undefined for what is none. */
  readonly beside?: SecretsBeside;
}

/** The change that people see of an attribute; none when nothing is written. */
export function changeOf(resource: Resource, planned: AttributeChange, how: ChangeShowing): Change[] {
  const { attribute, field, wanted, decision, pair } = planned;
  if (decision.do !== 'remove' && decision.do !== 'write' && decision.do !== 'replace') return [];
  const sides = sidesOf(resource, planned, how);
  const cause = decision.do === 'remove' ? 'removed' : decision.cause;
  const isSet = field.codec === contains || field.codec === idSet;
  const after = isSet ? inOrderOf(sides.before, sides.after) : sides.after;
  const isHidden = [sides.before, after].some(({ is }) => is === 'hidden');
  const hasLast = pair !== undefined && (cause === 'removed' || cause === 'conflict');
  const hasMore = hasLast || isHidden || field.unit !== undefined;
  return [
    {
      path: pathOf(resource.kind, attribute),
      cause,
      before: redactShown(sides.before, how.redact),
      after,
      ...(hasMore
        ? defined({
            last: hasLast ? redactShown(sides.last, how.redact) : undefined,
            unit: field.unit,
            summary: isHidden ? summaryOf(field, planned.before.reveal(), wantedOf(planned, how.outputs)) : undefined,
          })
        : undefined),
      atDeploy: waits(resource, field),
      forcesReplacement: decision.do === 'replace',
      ...(wanted === undefined ? undefined : { position: position(wanted.at) }),
    },
  ];
}

/** A set in the order of the other side, so that only members that come or go differ. */
function inOrderOf(before: Shown, after: Shown): Shown {
  const [old, fresh] = [before, after].map((side) => ('value' in side ? side.value : undefined));
  if (!Array.isArray(old) || !Array.isArray(fresh) || !('value' in after)) return after;
  const stays = new Set<unknown>(fresh);
  const kept = new Set<unknown>(old.filter((member) => stays.has(member)));
  return { ...after, value: [...kept, ...fresh.filter((member) => !kept.has(member))] as Json };
}

/** Both sides of an attribute as people may see them, and what was settled last. */
export function sidesOf(
  resource: Pick<Resource, 'privateKeys'>,
  planned: JudgedAttribute,
  how: ChangeShowing,
): ReturnType<typeof showSides> {
  const { values, outputs } = how;
  const resolved = wantedOf(planned, outputs);
  const beside = planned.attribute.key === undefined ? undefined : how.beside;
  const { before, after, last } = showSides({
    planned,
    resolved: withOthers(planned, resolved),
    values,
    outputs,
    privateKeys: resource.privateKeys,
    beside,
  });
  const named = (side: Shown) => withNames(side, planned.field, how.observed.nameOf);
  const isPending = planned.field.codec === contains && resolved?.is === 'pending';
  const whole = isPending ? besideOthers(planned, before, after) : after;
  return { before: named(before), after: named(whole), last: named(last) };
}

/** The value of a set that others add to, with what stays of theirs: what the platform has after the write. */
function withOthers(
  { field, wanted, before, pair }: JudgedAttribute,
  resolved: Resolved | undefined,
): Resolved | undefined {
  if (field.codec !== contains || resolved?.is !== 'known' || wanted?.isSecret === true) return resolved;
  return { is: 'known', value: merged(resolved.value, before.reveal() ?? [], membersOf(pair?.wanted)) };
}

/** The same of a list with ids that are known after apply. */
function besideOthers(planned: JudgedAttribute, before: Shown, after: Shown): Shown {
  const [there, fresh] = [before, after].map((side) => ('value' in side ? side.value : undefined));
  if (!Array.isArray(there) || !Array.isArray(fresh)) return after;
  const kept = new Set(merged([], planned.before.reveal(), membersOf(planned.pair?.wanted)));
  const others = there.filter((_, at) => kept.has(idsIn(planned.before.reveal())[at] ?? ''));
  return { is: 'masked', value: [...new Set([...others, ...fresh])] as Json };
}

/** A shown reference with names in place of ids, as manifests write it. An id whose name is not known, or not unique, stays. */
function withNames(shown: Shown, { refersTo }: Field, nameOf: Observed['nameOf'] = () => undefined): Shown {
  if (refersTo === undefined || !('value' in shown)) return shown;
  const named = (value: Json): Json => (typeof value === 'string' ? (nameOf(refersTo, value) ?? value) : value);
  const { value } = shown;
  return { ...shown, value: Array.isArray(value) ? value.map(named) : named(value) };
}

/** Whether a change takes effect at the next deployment. */
export function waits({ link }: Resource, field: Field): boolean {
  return field.appliesAt === 'deploy' && link.atOnce !== true;
}

/** The summary of a change of hidden text; undefined where it may have none. */
export function summaryOf({ secrecy }: Field, before: Json, after: Resolved | undefined): string | undefined {
  return secrecy === 'private' && after?.is === 'known' ? compareHidden(before, after.value) : undefined;
}
