import type { Operation } from '../../src/api/contract.ts';
import { status } from '../../src/api/member-types.ts';
import type { KindCommand } from '../../src/kind/kind-command.ts';
import type { Field } from '../../src/kind/field.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { takes, updatesOf } from '../../src/kind/row-values.ts';
import { kindNamed } from './kind-place.ts';

/** One operation of a kind: what it does for it, and the fields that it carries. */
export interface KindCall {
  readonly operation: Operation;
  /** Such as `create`, `list` or `update`. */
  readonly does: string;
  readonly fields: readonly string[];
  /** What is to be added in words. */
  readonly note?: string;
}

/** Every operation that works for a kind, in the order of a life. */
export function callsOf(kind: Kind, kinds: readonly Kind[]): readonly KindCall[] {
  const { create, read, delete: remove, deleteOptions = {}, move } = kind.operations;
  return [
    ...listsOf(kind, kinds),
    { operation: read, does: 'read', fields: [] },
    ...(create === undefined ? [] : [createCall(kind, create)]),
    ...updateCalls(kind),
    ...(move === undefined
      ? []
      : [{ operation: move.call, does: 'move', fields: [], note: `its new parent as \`${move.as}\`` }]),
    ...(remove === undefined ? [] : [{ operation: remove, does: 'delete', fields: Object.keys(deleteOptions) }]),
    ...Object.entries(kind.commands ?? {}).flatMap(([name, command]) => commandCalls(name, [command].flat())),
    ...(kind.service?.logs === undefined ? [] : [{ operation: kind.service?.logs, does: '`trueup logs`', fields: [] }]),
    ...(kind.service?.deploymentLog === undefined
      ? []
      : [
          {
            operation: kind.service.deploymentLog,
            does: '`trueup logs --deployment`, the reason of a failed deployment',
            fields: [],
          },
        ]),
  ];
}

/** Where objects are listed: an operation of their own, or the read of a parent that holds them. */
function listsOf(kind: Kind, kinds: readonly Kind[]): KindCall[] {
  const notes = new Map<Operation, Set<string>>();
  for (const [parent, { listed }] of Object.entries(kind.parents)) {
    const operation = 'call' in listed ? listed.call : kindNamed(parent, kinds).operations.read;
    const given = 'call' in listed ? Object.keys(listed.with ?? {}) : [];
    const note =
      'at' in listed ? `its member \`${listed.at}\`` : given.length === 0 ? 'nothing' : `\`${given.join('`, `')}\``;
    notes.set(operation, (notes.get(operation) ?? new Set()).add(note));
  }
  return [...notes].map(([operation, told]) => ({ operation, does: 'list', fields: [], note: [...told].join(', ') }));
}

/** What create is sent: the fields that it takes, and what the place of the block decides. */
function createCall(kind: Kind, create: Operation): KindCall {
  const fields = Object.keys(kind.fields).filter((name) => takes(create, name));
  const set = new Set(Object.values(kind.parents).flatMap((link) => Object.keys(link.set)));
  const fromPlace = [...set].filter((name) => takes(create, name) && !fields.includes(name));
  const note = fromPlace.length === 0 ? {} : { note: `from its place \`${fromPlace.join('`, `')}\`` };
  return { operation: create, does: 'create', fields, ...note };
}

/** Which operation carries which field of an object that exists, or that create does not take. */
function updateCalls(kind: Kind): KindCall[] {
  const carried = new Map<Operation, string[]>();
  const add = (operation: Operation | undefined, name: string) => {
    if (operation === undefined) return;
    const names = carried.get(operation) ?? [];
    if (!names.includes(name)) carried.set(operation, [...names, name]);
  };
  const chosen = new Set<string>();
  for (const { tag, cases, calls } of kind.unions ?? []) {
    for (const [word, fields] of Object.entries(calls === undefined ? {} : cases)) {
      for (const name of [tag, ...Object.values(fields)]) {
        chosen.add(name);
        add(calls?.[word], name);
      }
    }
  }
  for (const [name, field] of Object.entries(kind.fields)) {
    for (const { call } of routesOf(field).calls) add(call, name);
    if (chosen.has(name) || !mayBeUpdated(kind, name, field)) continue;
    add(
      updatesOf(kind).find((operation) => takes(operation, name)),
      name,
    );
  }
  return [...carried].map(([operation, fields]) => ({ operation, does: 'update', fields }));
}

/** Whether an update ever carries a field: a new value, one written back on drift, or one that create does not take. */
function mayBeUpdated(kind: Kind, name: string, field: Field): boolean {
  const { onChange = 'write', rowOnly } = field;
  const isFixed = onChange === 'replace' || (typeof onChange === 'object' && 'refuse' in onChange);
  return !isFixed || rowOnly === true || (kind.operations.create !== undefined && !takes(kind.operations.create, name));
}

/** The operations of its own that carry a field, and what is said where none does: whatever the object's status is. */
export function routesOf(field: Field): { calls: { call: Operation; as: string }[]; notes: string[] } {
  const { onChange, examples } = field;
  if (typeof onChange !== 'object' || !('through' in onChange)) return { calls: [], notes: [] };
  const routes = status.options.map((word) =>
    onChange.through({ applicationStatus: word, composeStatus: word }, examples[0]),
  );
  const calls = new Map(routes.flatMap((route) => ('call' in route ? [[route.call, route] as const] : [])));
  return {
    calls: [...calls.values()],
    notes: [...new Set(routes.flatMap((route) => ('call' in route ? [] : [route.note])))],
  };
}

/** The operations of a command of `trueup run`. */
function commandCalls(name: string, alternatives: readonly KindCommand[]): KindCall[] {
  const operations = new Set(alternatives.flatMap((one) => ('call' in one ? [one.call] : [])));
  return [...operations].map((operation) => ({ operation, does: `\`trueup run ${name}\``, fields: [] }));
}
