import { onceFor } from '../api/once.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { safeguards } from '../diagnostics/safeguards.ts';
import { type Row, isRow } from '../formats/json.ts';
import { type Kind, kindsIn } from '../kind/kind.ts';
import type { Parts } from '../kind/lifecycle.ts';
import { idsBelow, rowsBelow } from '../kind/row-values.ts';
import type { ObservedObject } from '../observe/observed.ts';
import type { Action, Step, Target } from './action.ts';
import type { PlanInput } from './input.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { weigh } from './risks.ts';
import { lossAsShown, rowsOf, shownRow } from './shown-rows.ts';
import { deleteSteps } from './steps.ts';

/** The deletion of an object, by an action that may create a new one. */
interface PlannedDeletion extends Pick<Target, 'dataAtRisk' | 'notes'> {
  readonly teardown: readonly Step[];
  readonly holds: Parts | undefined;
}

/** Plans the requests that delete an object; notes what forbids it, and what is deleted with it. */
export function planDeletion(
  input: PlanInput,
  about: Pick<Target, 'kind' | 'address' | 'block' | 'options' | 'protect' | 'position'>,
  object: ObservedObject,
  { action, parent }: { readonly action: 'delete' | 'replace'; readonly parent: Action | undefined },
): PlannedDeletion {
  const { kind, address, block, options, protect } = about;
  const shown = onceFor((row: Row) => shownRow(input, { kind, address, block, row }));
  const above = rowsOf(input, parent);
  // A deposed object is deleted, and its block has another one.
  const becomes = address === block ? action : 'replace';
  const lossOf = (row: Row, parent: Row) => kind.lifecycle?.dataAtRisk?.({ row, parent, options, action: becomes });
  const loss = lossAsShown(lossOf(object.row, above.row), () => lossOf(shown(object.row), above.shown()));
  const isProtected = protect === true || parent?.protect === true;
  const { dataAtRisk, warnings } = weigh(loss === undefined ? [] : [loss], { address, isProtected });
  const holds = kind.lifecycle?.holds === undefined ? undefined : kind.lifecycle.holds(shown(object.row));
  const notes = [
    ...(protect === true ? [protectedFrom(action, about, input)] : []),
    ...foreignContents(input, about, object),
    ...unmanagedInside(input, about, object),
    ...warnings,
  ];
  return { teardown: deleteSteps(about), holds, dataAtRisk, notes };
}

function protectedFrom(
  action: 'delete' | 'replace',
  { address, position }: Pick<Target, 'address' | 'position'>,
  { destroys }: Pick<PlanInput, 'destroys'>,
): Diagnostic {
  const message = `${address} is protected and would be ${action}d`;
  const remedy = destroys
    ? 'Write protect: false in its block, apply, and destroy again.'
    : remediesOfProtected[action];
  return diagnostic(safeguards.protected.code, message, { remedy, address, position });
}

const remediesOfProtected = {
  delete: 'Put its block back; to delete it, write protect: false, apply, and remove the block then.',
  replace: 'Undo the change, or write protect: false and apply that first.',
};

/** The notes about what is deleted with an object, and is neither in the state nor in the manifest. */
function unmanagedInside(
  input: PlanInput,
  { kind, address }: Pick<Target, 'kind' | 'address'>,
  object: ObservedObject,
): Diagnostic[] {
  const services = servicesInside(input, kind, object);
  const others = unmanagedBelow(input, kind, object);
  const message = `${address} holds ${counted(services.length)} not in the state: ${services.join(', ')}`;
  const along = `what is below ${address} and not in the manifest goes with it: ${others.join(', ')}`;
  const remedy = removalRemedy(kind, input);
  return [
    ...(services.length === 0 ? [] : [diagnostic(safeguards['services of others'].code, message, { remedy, address })]),
    ...(others.length === 0 ? [] : [diagnostic('goes-along', along, { address })]),
  ];
}

/** Whether an object without a recorded id was created by a person, or has something that Trueup cannot have created. */
export function isForeign(input: PlanInput, kind: Kind, object: ObservedObject): boolean {
  if (object.foundBy === 'key') return true;
  return [...servicesInside(input, kind, object), ...unmanagedBelow(input, kind, object)].length > 0;
}

/** The remedy for a deletion that would take along what the state does not have. */
function removalRemedy({ kind }: Kind, { destroys }: Pick<PlanInput, 'destroys'>): string {
  const keep = destroys ? '' : ` To keep the ${kind}, put its block back.`;
  return `Move them to another ${kind}, or delete them on the platform, and plan again.${keep}`;
}

/**
 * Services inside an object that Trueup does not manage, each with its name, its id and the data that would be lost. Kinds
 * of services that Trueup does not know count too: every list of an environment is one of services.
 */
function servicesInside(input: PlanInput, kind: Kind, object: ObservedObject): string[] {
  const managed = managedIds(input);
  const listed = kindsIn(input.kinds, kind);
  const services = listed.flatMap(({ kind: child }) => (child.service === undefined ? [] : child));
  if (services.length === 0) return [];
  const known = services.flatMap((child) =>
    rowsBelow(kind, object.row, child).flatMap((row) => {
      const id = String(row[child.identity.id]);
      const data = child.lifecycle?.dataAtRisk?.({ row, parent: object.row, options: {}, action: 'delete' });
      const risk = data === undefined ? '' : `; ${input.redact(data.what)} would be lost`;
      return managed.has(id) ? [] : [`${input.redact(nameOf(child.kind, row))} (${id}${risk})`];
    }),
  );
  const lists = new Set(listed.map(({ at }) => at));
  const unknown = Object.entries(object.row).flatMap(([list, rows]) =>
    lists.has(list) || !Array.isArray(rows) ? [] : rows.filter(isRow).map((row) => input.redact(nameOf(list, row))),
  );
  return [...known, ...unknown];
}

/** The errors for an object that goes with all that is in it: something of others is in it, or may be. */
function foreignContents(
  input: PlanInput,
  { kind, address }: Pick<Action, 'kind' | 'address'>,
  object: ObservedObject,
): Diagnostic[] {
  const { contents } = kind.lifecycle ?? {};
  if (contents === undefined) return [];
  const refuse = (message: string, remedy: string) =>
    diagnostic(safeguards['services of others'].code, message, { remedy, address });
  if (input.observed.role === 'member') {
    const message = `${address} would be deleted with everything in it, and a member does not see everything`;
    return [refuse(message, 'Use the API key of an owner or admin.')];
  }
  const managed = managedIds(input);
  const others = contents(object.row).filter(({ id }) => !managed.has(id));
  if (others.length === 0) return [];
  const remedy = removalRemedy(kind, input);
  const shown = someOf(others.map(({ id, what }) => `${input.redact(what)} (${id})`));
  return [refuse(`${address} holds what is not in the state: ${shown}`, remedy)];
}

function nameOf(kind: string, { name }: Row): string {
  return typeof name === 'string' ? `${kind} ${name}` : kind;
}

function counted(services: number): string {
  return services === 1 ? 'a service that is' : `${services} services that are`;
}

/** Other undeclared objects of the platform below an object: they are deleted with it. */
function unmanagedBelow(input: PlanInput, kind: Kind, object: ObservedObject): string[] {
  const managed = managedIds(input);
  return kindsIn(input.kinds, kind).flatMap(({ kind: child }) => {
    if (child.service !== undefined) return [];
    const others = idsBelow(kind, object.row, child).filter((id) => !managed.has(id));
    return others.length === 0 ? [] : [`${others.length} of ${child.section}`];
  });
}

/** The ids of all objects that Trueup manages: one found by its key alone is another person's, unless a block takes it over. */
const managedIds = onceFor(({ observed, resources }: PlanInput): ReadonlySet<string> => {
  const declared = new Set(resources.map(({ address }) => address));
  const managed = [...observed.objects].flatMap(([address, { id, foundBy }]) =>
    foundBy === 'key' && !declared.has(address) ? [] : [id],
  );
  return new Set(managed);
});
