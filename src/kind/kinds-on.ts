import type { Contract, Operation } from '../api/contract.ts';
import { onceFor } from '../api/once.ts';
import type { KindCommand } from './kind-command.ts';
import { defined } from '../formats/json.ts';
import type { Field, Union } from './field.ts';
import type { Kind } from './kind.ts';
import type { Operations } from './kind-operations.ts';
import type { ParentLink } from './parent.ts';
import type { Service } from './service.ts';
import { takes, updatesOf } from './row-values.ts';

/** Returns true for an operation that a platform serves. */
export type Serves = (operation: Operation) => boolean;

/**
 * The kinds as a platform can, without the operations that it does not serve. A kind that it cannot read, or that stands
 * below such kinds only, is left out; so is a field that no operation carries any more. A kind that lacks nothing is the
 * same object. Never throws.
 */
export function kindsOn(kinds: readonly Kind[], serves: Serves): readonly Kind[] {
  const there = new Map(kinds.map((kind) => [kind.kind, kind]));
  const known = new Set(there.keys());
  const isThere = (name: string): boolean => there.has(name) || !known.has(name);
  const canStand = ({ kind, parents, operations }: Kind): boolean =>
    serves(operations.read) &&
    Object.entries(parents).some(([parent, link]) => parent !== kind && isThere(parent) && isListed(link, serves));
  for (let before = Number.NaN; before !== there.size;) {
    before = there.size;
    for (const kind of there.values()) if (!canStand(kind)) there.delete(kind.kind);
  }
  const gone = new Set([...known].filter((name) => !there.has(name)));
  return [...there.values()].map((kind) => kindOn(kind, serves, gone));
}

/** The kinds as a platform of this contract can: the same objects for the same kinds and contract. Never throws. */
export function kindsThere(kinds: readonly Kind[], { operations }: Contract): readonly Kind[] {
  return kindsWith(operations)(kinds);
}

const kindsWith = onceFor((operations: Contract['operations']) =>
  onceFor((kinds: readonly Kind[]) => kindsOn(kinds, (operation) => operations.has(operation))),
);

/** A kind as a platform can that serves its read; `gone` has the kinds that the platform does not have. */
function kindOn(full: Kind, serves: Serves, gone: ReadonlySet<string>): Kind {
  const parents = Object.entries(full.parents);
  const kept = parents.filter(([parent, link]) => !gone.has(parent) && isListed(link, serves));
  const named = Object.values(full.fields).some(({ refersTo = '' }) => gone.has(refersTo));
  if (kept.length === parents.length && !named && operationsOf(full).every(serves)) return full;
  let kind = full;
  for (const [operation, change] of Object.entries(full.without ?? {})) {
    if (!serves(operation as Operation)) kind = change(kind); // the keys of `without` are operations
  }
  const { unions, commands, service } = kind;
  const on = { ...kind, parents: Object.fromEntries(kept), operations: operationsOn(kind.operations, serves) };
  const fields = Object.entries(kind.fields).flatMap(([name, field]) => fieldOn(name, field, { full, on, gone }));
  const left = new Set(fields.map(([name]) => name));
  const changed = defined({
    unions: unions?.map((union) => unionOn(union, left)),
    commands: commands && commandsOn(commands, serves),
    service: service && serviceOn(service, serves),
  });
  return { ...on, fields: Object.fromEntries(fields), ...changed };
}

/** Whether the objects of a kind can be listed below a parent. */
function isListed({ listed }: ParentLink, serves: Serves): boolean {
  return !('call' in listed) || serves(listed.call);
}

/** The operations that a kind names, those of `onChange.through` excepted: a kind that has such says `without` them. Never throws. */
export function operationsOf({
  operations,
  parents,
  unions = [],
  commands = {},
  service,
  without = {},
}: Kind): Operation[] {
  const { create, read, readMore, update = [], delete: remove, move } = operations;
  const { setStatus, logs, deploymentLog, explains } = service ?? {};
  const ofCommands = Object.values(commands).flatMap((command) =>
    [command].flat().flatMap((one) => ('call' in one ? [one.call] : [])),
  );
  const lists = Object.values(parents).flatMap(({ listed }) => ('call' in listed ? [listed.call] : []));
  const ofUnions = unions.flatMap(({ calls = {}, creates = {} }) => [
    ...Object.values(calls),
    ...Object.values(creates),
  ]);
  const named = [
    lists,
    create,
    read,
    readMore,
    update,
    ofUnions,
    remove,
    move?.call,
    setStatus,
    logs,
    deploymentLog,
    explains,
    ofCommands,
  ].flat();
  return [...named.filter((operation) => operation !== undefined), ...(Object.keys(without) as Operation[])]; // its keys are operations
}

function operationsOn(operations: Operations, serves: Serves): Operations {
  const { create, update = [], delete: remove, move, ...rest } = operations;
  const updates = [update].flat().filter(serves);
  const served = defined({
    create: servedBy(serves, create),
    update: updates.length === 0 ? undefined : updates,
    delete: servedBy(serves, remove),
    move: servedBy(serves, move?.call) && move,
  });
  return { ...rest, ...served };
}

function servedBy<O extends Operation>(serves: Serves, operation: O | undefined): O | undefined {
  return operation !== undefined && serves(operation) ? operation : undefined;
}

/** A field of a kind as the platform can, with its name; nothing when no operation carries it. */
function fieldOn(
  name: string,
  field: Field,
  { full, on, gone }: { readonly full: Kind; readonly on: Kind; readonly gone: ReadonlySet<string> },
): [string, Field][] {
  const { refersTo, ...nameless } = field;
  const known = refersTo !== undefined && gone.has(refersTo) ? nameless : field;
  const lost = updatesOf(full).find((operation) => takes(operation, name));
  if (lost === undefined || updatesOf(on).some((operation) => takes(operation, name)) || hasOwnCall(on, name)) {
    return [[name, known]];
  }
  const { create } = on.operations;
  if (create === undefined || !takes(create, name)) return [];
  if ((field.onChange ?? 'write') !== 'write') return [[name, known]];
  const refuse = `the platform does not serve ${lost}, the operation for it; undo the change`;
  return [[name, { ...known, onChange: { refuse } }]];
}

/** Whether the case of a union has an operation of its own, which carries a field. */
function hasOwnCall({ unions = [] }: Kind, name: string): boolean {
  return unions.some(({ tag, cases, calls }) => {
    const names = Object.values(cases).flatMap((fields) => Object.values(fields));
    return calls !== undefined && (tag === name || names.includes(name));
  });
}

/** A union with the fields that are left. */
function unionOn(union: Union, left: ReadonlySet<string>): Union {
  const cases = Object.entries(union.cases).map(([word, fields]) => {
    return [word, Object.fromEntries(Object.entries(fields).filter(([, name]) => left.has(name)))] as const;
  });
  return { ...union, cases: Object.fromEntries(cases) };
}

function commandsOn(commands: NonNullable<Kind['commands']>, serves: Serves): NonNullable<Kind['commands']> {
  const possible = Object.entries(commands).map(([name, command]): [string, KindCommand[]] => {
    return [name, [command].flat().filter((one) => 'cannot' in one || serves(one.call))];
  });
  return Object.fromEntries(possible.filter(([, alternatives]) => alternatives.length > 0));
}

function serviceOn({ setStatus, logs, deploymentLog, explains, ...rest }: Service, serves: Serves): Service {
  const served = defined({
    setStatus: servedBy(serves, setStatus),
    logs: servedBy(serves, logs),
    deploymentLog: servedBy(serves, deploymentLog),
    explains: servedBy(serves, explains),
  });
  return { ...rest, ...served };
}
