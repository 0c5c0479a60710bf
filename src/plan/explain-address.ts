import { endpointOf } from '../api/contract.ts';
import { dependencies } from '../graph/order.ts';
import { type Action, type Step, becauseOf, shownAddress } from './action.ts';
import type { Position } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { position } from '../manifest/tree.ts';
import type { PartOfManifest } from '../manifest/value-at.ts';

/** A request that the next apply would send. */
interface PlannedRequest {
  /** By its path on the platform. */
  readonly operation: string;
  readonly method: string;
  /** Members that change something. */
  readonly changes: readonly string[];
  /** Members that the operation requires beside them. */
  readonly with: readonly string[];
}

/** What the next apply would do to an object, or to the value of a field. */
export interface ExplainedAction {
  readonly action: Action;
  /** In the order in which they are sent. */
  readonly sends: readonly PlannedRequest[];
}

/** What is known about an address. */
export interface ExplainedAddress {
  /** The address of the resource. */
  readonly address: string;
  /** The path of a field below it; empty for the resource. */
  readonly path: string;
  readonly kind: string;
  /** Undefined: the manifest does not declare it, only the state has it. */
  readonly position: Position | undefined;
  readonly dependsOn: readonly string[];
  readonly neededBy: readonly string[];
  /** The services that are deployed before it by `after:`. */
  readonly deploysAfter: readonly string[] | undefined;
  /** What its block has, and a preview does not. */
  readonly leftOut: readonly string[];
}

/** Explains a part of the manifest. */
export function explainPart(
  { resource, path, values }: PartOfManifest,
  { resources: all, leftOut }: Pick<Manifest, 'resources' | 'leftOut'>,
): ExplainedAddress {
  const [first] = values;
  const { address, kind } = resource;
  return {
    address,
    path: path.join('.'),
    kind: kind.kind,
    position: path.length > 0 && first !== undefined ? position(first.wanted.at) : position(resource.at),
    dependsOn: needsOf(path.length > 0 ? valuesNeed(values) : dependencies(resource), address),
    deploysAfter: path.length > 0 ? undefined : resource.after?.map((one) => one.address),
    leftOut: path.length > 0 ? [] : (leftOut.get(address) ?? []),
    neededBy: path.length > 0 ? [] : all.filter((one) => dependencies(one).includes(address)).map((one) => one.address),
  };
}

function valuesNeed(values: PartOfManifest['values']): string[] {
  return values.flatMap(({ wanted }) => wanted.references.map(({ address }) => address));
}

/** Explains an object that only the state has; undefined: the plan has none at this address. */
export function explainRemoved(address: string, actions: readonly Action[]): ExplainedAddress | undefined {
  const action = actions.find((one) => one.address === address);
  if (action === undefined) return undefined;
  return {
    address,
    path: '',
    kind: action.kind.kind,
    position: undefined,
    deploysAfter: undefined,
    leftOut: [],
    dependsOn: needsOf(action.dependsOn, address),
    neededBy: needsOf(actions.filter(({ dependsOn }) => dependsOn.includes(address)).map(shownAddress), address),
  };
}

function needsOf(addresses: readonly string[], own: string): string[] {
  return [...new Set(addresses)].filter((address) => address !== own).toSorted();
}

/** The actions of a plan for an address; of a field, only the changes, the requests and the deployment with it. */
export function actionsAt(
  { address, path }: Pick<ExplainedAddress, 'address' | 'path'>,
  fields: ReadonlySet<string>,
  actions: readonly Action[],
): ExplainedAction[] {
  const own = actions.filter((action) => shownAddress(action) === address);
  if (path === '') return own.map((action) => ({ action, sends: requestsOf(action, () => true) }));
  return own.flatMap((action): ExplainedAction[] => {
    if (becauseOf(action)?.includes(path) === true) return [{ action, sends: requestsOf(action, () => true) }];
    const changes = action.changes.filter((change) => change.path === path || change.path.startsWith(`${path}.`));
    if (changes.length === 0) return [];
    const carries = ({ changed }: Step) => changed.some((name) => fields.has(name));
    return [{ action: { ...action, changes }, sends: requestsOf(action, carries) }];
  });
}

function requestsOf({ teardown, steps }: Action, isMeant: (step: Step) => boolean): PlannedRequest[] {
  return [...teardown, ...steps].filter(isMeant).map(({ operation, members, changed }) => ({
    operation,
    method: endpointOf(operation).method,
    changes: changed,
    with: Object.keys(members).filter((name) => !changed.includes(name)),
  }));
}
