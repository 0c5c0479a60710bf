import { onceFor } from '../api/once.ts';
import { type Json, type Row, member } from '../formats/json.ts';
import type { MapCodec } from '../kind/codecs.ts';
import { groupBy } from '../kind/group.ts';
import type { Kind } from '../kind/kind.ts';
import type { ChangeAtRisk, FieldChange, Loss } from '../kind/lifecycle.ts';
import { observedValue } from '../kind/row-values.ts';
import type { Resource } from '../manifest/resource.ts';
import { type Outputs, resolve, withGaps } from '../manifest/wanted.ts';
import { type ObservedObject, addressesById } from '../observe/observed.ts';
import type { Action, AttributeChange } from './action.ts';
import { writesOrRemoves } from './decide.ts';
import type { Planning } from './input.ts';
import { wantedAs } from './shown-values.ts';
import { lossAsShown, rowsOf, shownRow } from './shown-rows.ts';
import { wantedOf } from './standing.ts';

/** An object that stays, with what is written to it. */
interface Changing extends Pick<Action, 'address' | 'block' | 'kind' | 'attributes'> {
  readonly privateKeys: Resource['privateKeys'] | undefined;
  readonly object: ObservedObject;
  /** The action of the parent that it is to have. */
  readonly parent: Action | undefined;
  /** It has another parent now. */
  readonly isElsewhere: boolean;
}

/** The data that new values of fields put at risk, and new variables of the parent, or another parent. */
export function lossesOf(input: Planning, changing: Changing): Loss[] {
  const { kind, attributes, object, parent: above, isElsewhere } = changing;
  const { row } = object;
  const { outputs, platformUrl } = input;
  const { changeAtRisk } = kind.lifecycle ?? {};
  if (changeAtRisk === undefined) return [];
  const [from, to] = [rowsOf(input, isElsewhere ? formerParent(input, changing) : above), rowsOf(input, above)];
  const hasOther =
    from.row !== to.row || above?.attributes.some((one) => one.field.map !== undefined && isWritten(one)) === true;
  const sorts = Object.entries(changeAtRisk) as [Loss['of'], Readonly<Record<string, ChangeAtRisk>>][]; // of its type
  const maps = Object.entries(kind.fields)
    .filter(([, { map }]) => hasOther && map !== undefined)
    .map(([name]) => name);
  const changed = attributes.filter(isWritten).map(({ attribute }) => attribute.field);
  const lists = listsAfter(input, changing);
  const names = [...new Set([...changed, ...maps, ...Object.keys(lists)])];
  if (!names.some((name) => sorts.some(([, risks]) => Object.hasOwn(risks, name)))) return [];
  const next = { ...rowAfter({ kind, attributes }, row, outputs), ...lists };
  const nextParent = above === undefined ? {} : rowAfter(above, to.row, outputs);
  // The rows as people may see them, made when a loss has something of them.
  let shown: Pick<FieldChange, 'row' | 'next' | 'parent'> | undefined;
  const lossIn = (of: Loss['of'], name: string, rows: NonNullable<typeof shown>): Loss | undefined => {
    const before = observedValue(kind, name, rows.row) ?? null;
    const after = member(rows.next, name) ?? null;
    const risks = changeAtRisk[of] ?? {};
    const found = Object.hasOwn(risks, name) ? risks[name]?.({ before, after, ...rows, platformUrl }) : undefined;
    return found === undefined ? undefined : { of, ...found };
  };
  return sorts.flatMap(([of]) =>
    names.flatMap((name) => {
      const loss = lossAsShown(lossIn(of, name, { row, next, parent: { row: from.row, next: nextParent } }), () => {
        shown ??= {
          ...asShown(kind, row, shownRow(input, { ...changing, row, outputs }), shownAfter(input, changing, next)),
          parent: asShown((above ?? changing).kind, from.row, from.shown(), nextParent),
        };
        return lossIn(of, name, shown);
      });
      return loss ?? [];
    }),
  );
}

/** The parent that an object has on the platform, and not in the manifest. */
function formerParent({ observed }: Planning, { object, parent }: Changing): Parameters<typeof rowsOf>[1] {
  const address = addressesById(observed.objects).get(object.parentId ?? '');
  return address === undefined || parent === undefined ? undefined : { kind: parent.kind, address, block: address };
}

/** The lists of an object that get more objects of the manifest, which have their known values. */
function listsAfter(input: Planning, { kind, address, object: { row } }: Changing): Row {
  const all = byParent(input.resources).get(address) ?? [];
  const coming = groupBy(
    all.flatMap((resource) => {
      const listed = resource.kind.parents[kind.kind]?.listed;
      const isThere = input.observed.objects.has(resource.address);
      if (isThere || listed === undefined || !('at' in listed)) return [];
      const known = Object.entries(resource.fields).flatMap(([name, wanted]) => {
        const resolved = resolve(wanted, input.outputs);
        return resolved.is === 'known' ? [[name, resolved.value] as const] : [];
      });
      return [[listed.at, Object.fromEntries(known)] as const];
    }),
  );
  const there = (at: string): readonly unknown[] => (Array.isArray(row[at]) ? row[at] : []);
  return Object.fromEntries([...coming].map(([at, rows]) => [at, [...there(at), ...rows]]));
}

const byParent = onceFor((resources: readonly Resource[]) =>
  groupBy(resources.map((one) => [one.parent, one] as const)),
);

function isWritten({ decision }: AttributeChange): boolean {
  return writesOrRemoves(decision);
}

/** An object as a plan leaves it. Text has gaps where it is not known yet; the variables of a map have `notKnown` there. */
function rowAfter({ kind, attributes }: Pick<Action, 'kind' | 'attributes'>, row: Row, outputs: Outputs): Row {
  const next: Record<string, unknown> = { ...row };
  const maps = new Map<string, Map<string, string>>();
  for (const one of attributes.filter(isWritten)) {
    const { attribute, decision, wanted } = one;
    const { map: codec } = kind.fields[attribute.field] ?? {};
    const resolved = wantedOf(one, outputs);
    if (attribute.key === undefined || codec === undefined) {
      const known: Outputs = (reference) => outputs(reference) ?? (codec === undefined ? undefined : notKnown);
      if (resolved?.is === 'known') next[attribute.field] = resolved.value;
      else if (wanted !== undefined) next[attribute.field] = withGaps(wanted, known);
      continue;
    }
    const there = observedValue(kind, attribute.field, row);
    const entries = maps.get(attribute.field) ?? new Map(entriesOf(codec, there));
    maps.set(attribute.field, entries);
    if (decision.do === 'remove') entries.delete(attribute.key);
    else entries.set(attribute.key, resolved?.is === 'known' ? String(resolved.value) : notKnown);
  }
  for (const [name, entries] of maps) next[name] = kind.fields[name]?.map?.write(entries).text ?? null;
  return next;
}

/** The same as people may see it: with marks in place of secrets. Maps stay here: nothing quotes their values. */
function shownAfter(
  { outputs, values }: Planning,
  { attributes, privateKeys }: Pick<Changing, 'attributes' | 'privateKeys'>,
  next: Row,
): Row {
  const shown: Record<string, unknown> = { ...next };
  for (const planned of attributes.filter(isWritten)) {
    const { attribute, field } = planned;
    if (field.map !== undefined || attribute.key !== undefined) continue;
    const resolved = wantedOf(planned, outputs);
    shown[attribute.field] = wantedAs({ planned, resolved, values, outputs, privateKeys }) ?? null;
  }
  return shown;
}

/**
 * A row as people may see it, and the one after. A variable that the first one hides, and that keeps its value, is left out of the
 * second one too: what it names would look lost, in place of what is.
 */
function asShown(kind: Kind, row: Row, shown: Row, next: Row): Pick<FieldChange, 'row' | 'next'> {
  const after: Record<string, unknown> = { ...next };
  for (const [name, { map }] of Object.entries(kind.fields)) {
    const text = member(next, name);
    if (map === undefined || typeof text !== 'string') continue;
    const [was, seen] = [row, shown].map((one) => entriesOf(map, observedValue(kind, name, one)));
    const stays = ([key, value]: readonly [string, string]) => was?.get(key) === value && seen?.has(key) !== true;
    after[name] = map.write(new Map([...map.read(text)].filter((entry) => !stays(entry)))).text;
  }
  return { row: shown, next: after };
}

function entriesOf(map: MapCodec, text: Json | undefined): ReadonlyMap<string, string> {
  return map.read(typeof text === 'string' ? text : '');
}

/** Stands for a value that is not known before the apply: no value that is known equals it. */
const notKnown = '(not known)';
