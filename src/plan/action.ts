import type { Operation } from '../api/contract.ts';
import type { Diagnostic, Position } from '../diagnostics/diagnostic.ts';
import type { Json } from '../formats/json.ts';
import type { Field } from '../kind/field.ts';
import type { Kind } from '../kind/kind.ts';
import type { WebAddress } from '../kind/service.ts';
import type { Probe } from '../kind/written-keys.ts';
import type { FieldUnit } from '../formats/units.ts';
import type { Parts } from '../kind/lifecycle.ts';
import { outputValue } from '../kind/row-values.ts';
import type { Outputs, Wanted } from '../manifest/wanted.ts';
import type { Observed } from '../observe/observed.ts';
import type { Secret } from '../secrets/secret.ts';
import type { Deploys } from '../state/record.ts';
import type { State } from '../state/state.ts';
import type { Accepted } from './find-acceptance.ts';
import type { Cause, Decision } from './decide.ts';
import type { JudgedAttribute } from './standing.ts';

/** The words for what happens to a resource, in documents and progress. */
export type ActionName =
  | 'create'
  | 'update'
  | 'move'
  | 'replace'
  | 'delete'
  | 'adopt'
  | 'forget'
  | 'deploy'
  | 'run'
  | 'no-op';

/** A value as people may see it. */
export type Shown =
  | { readonly is: 'value'; readonly value: Json }
  /** A value with `(sensitive)` in place of each secret part. */
  | { readonly is: 'masked'; readonly value: Json }
  | { readonly is: 'hidden' }
  | { readonly is: 'absent' }
  | { readonly is: 'known after apply' };

/** One difference of a resource, for people. */
export interface Change {
  /** Where it stands in YAML: `source.branch`, `env.REGION`. */
  readonly path: string;
  readonly cause: Cause;
  readonly before: Shown;
  readonly after: Shown;
  /** The unit of the number, or of numbers in the value. */
  readonly unit?: FieldUnit;
  /** A summary of hidden text: `lines 3 to 5 of 40, before 39`. */
  readonly summary?: string;
  /** What was settled last, where all three differ. */
  readonly last?: Shown;
  /** Where the user wrote it. */
  readonly position?: Position;
  /** It takes effect when the service is deployed next. */
  readonly atDeploy: boolean;
  /** Only a new object can have it. */
  readonly forcesReplacement: boolean;
}

/** Where one member of a request comes from. */
export type Member =
  | { readonly is: 'value'; readonly value: Secret<Json> }
  /** Filled in when its references are known. */
  | { readonly is: 'wanted'; readonly field: Field; readonly wanted: Wanted }
  /** A map, written as text; keys that are not ours stay when `keepOthers`. */
  | {
      readonly is: 'map';
      readonly field: Field;
      readonly name: string;
      readonly entries: ReadonlyMap<string, Wanted>;
      readonly keepOthers: boolean;
      readonly removed: readonly string[];
      /** Keys that stay as the platform has them. */
      readonly kept?: ReadonlySet<string>;
    }
  /** A set that others add to; `formerly` is what was ours in it. */
  | { readonly is: 'set'; readonly field: Field; readonly wanted: Wanted; readonly formerly: readonly string[] }
  /** The id of a resource. */
  | { readonly is: 'id'; readonly address: string }
  /** The mark of the deployment that this request starts. */
  | { readonly is: 'mark' }
  /** As the object has it at the moment of the call. */
  | { readonly is: 'as read'; readonly from: string };

/** One request of an action. */
export interface Step {
  readonly operation: Operation;
  /** `reset`: sets the status of a service, so that what it becomes is the outcome of its deployment. */
  readonly role: 'create' | 'update' | 'move' | 'delete' | 'reset' | 'deploy' | 'run';
  readonly members: Readonly<Record<string, Member>>;
  /** Members that change something; the operation requires the rest. */
  readonly changed: readonly string[];
}

/** One field, or one key of a map, with what was decided about it; apply settles it when the effect was read back. */
export interface AttributeChange extends JudgedAttribute {
  readonly decision: Decision;
  /** A person accepted what the platform has. */
  readonly accepted?: Accepted | undefined;
}

/** The changes of a plan that only a deployment of the service puts into effect. */
export interface Staleness {
  /** Code has to be fetched. */
  readonly code?: true;
  /** What changes, as paths below the service. */
  readonly because: readonly string[];
  /** The actions that write it. */
  readonly through: readonly string[];
  /** It may come to nothing: all of it is known only after apply. */
  readonly isPending?: true;
}

/** The deployments of a service, as known and as planned. */
interface ServicePlan {
  /** The deployments in the state, brought up to date with those that the platform lists. */
  readonly known: Deploys | undefined;
  readonly staleness: Staleness | undefined;
  /**
   * The digest of everything declared that a deployment takes in; undefined while some of it is not known. With `like`,
   * in the form of that one.
   */
  readonly inputs: (outputs: Outputs, like?: string) => string | undefined;
  /** It needs a deployment, and this plan has none. */
  readonly isLeft: boolean;
}

/** What every action has. */
export interface Target {
  /** Names the action in its plan. */
  readonly address: string;
  /** The address of its block: another one for a deployment, a run, and a deposed object. */
  readonly block: string;
  /** The service whose row holds the object, or the object itself: one write at a time goes to a scope. */
  readonly scope: string;
  readonly kind: Kind;
  /** The id on the platform; undefined when there is none yet. */
  readonly id: string | undefined;
  readonly parent: string | undefined;
  /** Its former address in the state, which `moved:` replaces. */
  readonly movedFrom: string | undefined;
  readonly changes: readonly Change[];
  readonly attributes: readonly AttributeChange[];
  /** Addresses whose objects must exist before. */
  readonly dependsOn: readonly string[];
  readonly options: Readonly<Record<string, Json>>;
  readonly notes: readonly Diagnostic[];
  /** The data that this deletes or leaves behind, in words. */
  readonly dataAtRisk: string | undefined;
  readonly protect: boolean | undefined;
  readonly position: Position | undefined;
  /** Of a service that stays or comes. */
  readonly service: ServicePlan | undefined;
}

/** An address that apply asks after a deployment, until it answers as a probe says. */
export interface Question {
  /** The address of the block with the probe. */
  readonly block: string;
  /** The URL as people may see it; undefined: not known yet, or a part of it is concealed. */
  readonly shown: string | undefined;
  /** Where the block leads, once its values are known. */
  readonly at: (outputs: Outputs) => WebAddress | undefined;
  readonly probe: Probe;
}

/** The requests that write back what a plan changes of an object, with the former values. */
export interface Restoring {
  readonly address: string;
  readonly steps: readonly Step[];
}

type None = readonly [];

/** Requests that make or change an object, and requests that take one away, which come first. */
interface Requests<Steps, Teardown> {
  readonly steps: Steps;
  readonly teardown: Teardown;
}

type Making = Requests<readonly Step[], None>;

/** Who takes an object away: a request of its own, or the platform, with its parent. `holds`: the parts of what goes. */
type TakingAway<Steps> = { readonly holds: Parts | undefined } & (
  | ({ readonly by: 'request' } & Requests<Steps, readonly Step[]>)
  | ({ readonly by: 'parent' } & Requests<Steps, None>)
);

/** An object that is there: found by its key or its pin, or made by the platform along with its parent. */
type Adoption = { readonly action: 'adopt' } & Making &
  (
    | { readonly from: 'key'; readonly needsConsent: boolean }
    | { readonly from: 'pin' | 'parent'; readonly needsConsent: false }
  );

type Replacement = {
  readonly action: 'replace';
  /** `--replace` asked for it. */
  readonly isRequested: boolean;
  /** The attributes of the object that goes, compared with the manifest. */
  readonly replaced: readonly AttributeChange[];
} & (
  | ({ readonly order: 'delete first' } & TakingAway<readonly Step[]>)
  /** The old object is still there when it is done, and goes by an action of its own. */
  | ({ readonly order: 'create first' } & Making)
);

type Deletion = {
  readonly action: 'delete';
  /** Addresses whose actions come before the teardown, because their objects still use what goes. */
  readonly follows: readonly string[];
} & TakingAway<None>;

/** Its address leaves the state, and nothing is sent. */
interface Forgetting extends Requests<None, None> {
  readonly action: 'forget';
  readonly why: 'parent goes' | 'gone' | 'stays there' | 'not known';
}

/**
 * `because`: what it puts into effect, as paths below the service; empty for what was saved before. `under way`: an earlier
 * run started one, and apply follows that one first. `after`: the deployments that have to succeed before, by `after:` of its
 * block. `asks`: what apply asks for when it has succeeded. One without requests only follows that of the earlier run.
 */
type Deployment = {
  readonly action: 'deploy';
  readonly after: readonly string[];
  readonly asks: readonly Question[];
  /** What writes the former values back when it fails; undefined: nothing does. */
  readonly restores: readonly Restoring[] | undefined;
} & Making &
  ({ readonly start: 'first' | 'under way' } | { readonly start: 'again'; readonly because: readonly string[] });

/** Runs a command of the object, once in the life of the object. */
type SingleRun = { readonly action: 'run' } & Making;

/**
 * Nothing is done to the object; with `move` it gets another address in the state. `held`: nothing can be done about it yet,
 * as its notes say. `left out`: the plan was narrowed and leaves it out, or did not read it; it is neither counted nor shown.
 * What is known of both stays as it is.
 */
export interface Keeping extends Requests<None, None> {
  readonly action: 'no-op' | 'move';
  readonly kept: 'as wanted' | 'held' | 'left out';
}

/** What an action does, with what only that has. An update without requests changes the state. */
export type Doing =
  | ({ readonly action: 'create' | 'update' | 'move' } & Making)
  | Adoption
  | Replacement
  | Deletion
  | Forgetting
  | Deployment
  | SingleRun
  | Keeping;

/** The change of one object. Apply sends its requests and no others. */
export type Action = Target & Doing;

/** The name of an action, by which documents have it too. */
type Named = Readonly<Record<'action', ActionName>>;

/** Whether an action creates an object where there was none. */
export function isCreation({ action }: Named): boolean {
  return action === 'create';
}

/** Whether an action changes an object that stays where it is. */
export function isUpdate<T extends Named>(one: T): one is T & { readonly action: 'update' } {
  return one.action === 'update';
}

/** Whether an action takes over an object that is there, or comes with its parent. */
export function isAdoption({ action }: Named): boolean {
  return action === 'adopt';
}

/** Whether an action deletes an object, and no new one takes its place. */
export function isDeletion<T extends Named>(one: T): one is T & { readonly action: 'delete' } {
  return one.action === 'delete';
}

/** Whether an action deploys a service. */
export function isDeployment<T extends Named>(one: T): one is T & { readonly action: 'deploy' } {
  return one.action === 'deploy';
}

/** Whether an action runs a command of an object once. */
export function isRun({ action }: Named): boolean {
  return action === 'run';
}

/** Whether an action deploys or runs an object: it has an address beside that of the action which makes the object. */
export function isBeside(one: Named): boolean {
  return isDeployment(one) || isRun(one);
}

/** Whether an action changes something, on the platform or in the state. */
export function isChange({ action }: Named): boolean {
  return action !== 'no-op';
}

/** Whether the object at an address goes, with or without a new one in its place. */
export function deletesObject({ action }: Named): boolean {
  return action === 'delete' || action === 'replace';
}

/** Whether an address has no object in the state any more when the action is done. */
export function leavesState({ action }: Named): boolean {
  return action === 'delete' || action === 'forget';
}

/** Whether Trueup managed an object before, and goes on managing it. */
export function stays({ action }: Named): boolean {
  return action === 'update' || action === 'move' || action === 'no-op';
}

/** Whether the plan compares an object that is there with its block. */
export function isCompared(one: Named): boolean {
  return !isCreation(one) && !leavesState(one) && !isBeside(one);
}

/** Whether the object of an action is new when it is done. */
export function createsObject(one: Action): boolean {
  return isCreation(one) || isReplacement(one) || comesWithParent(one);
}

/** Whether the platform makes the object along with its parent: apply finds it below that, and creates none. */
export function comesWithParent(one: Action): boolean {
  return 'from' in one && one.from === 'parent';
}

/** Whether the platform takes the object of an action away with its parent. */
export function goesWithParent(one: Action): boolean {
  return ('by' in one && one.by === 'parent') || ('why' in one && one.why === 'parent goes');
}

/** Whether the object of an action is one that a new object took the place of. */
export function isDeposed(one: Action): boolean {
  return one.address !== one.block && !isBeside(one);
}

/** What people call an action by: the address of its object, or of the one that it deploys or runs. */
export function shownAddress(one: Action): string {
  return isBeside(one) ? one.block : one.address;
}

/** Whether a replacement creates the new object before the old one goes. */
export function createsFirst(one: Action): boolean {
  return 'order' in one && one.order === 'create first';
}

/** Whether `--replace` asked for a replacement. */
export function isRequested(one: Action): boolean {
  return 'isRequested' in one && one.isRequested;
}

/** Whether an action adopts an object that another person created. */
export function needsConsent(one: Action): boolean {
  return 'needsConsent' in one && one.needsConsent;
}

/** Whether an object stays as it is: an action changes its address in the state, or nothing. */
export function isKept(one: Action): one is Target & Keeping {
  return 'kept' in one;
}

/** Whether nothing can be done about an object, or the plan leaves it out: what is known of it stays as it is. */
export function isDeferred(one: Action): boolean {
  return isKept(one) && one.kept !== 'as wanted';
}

/** Whether the plan was narrowed and leaves an object out, or did not read it. */
export function isLeftOut(one: Action): boolean {
  return isKept(one) && one.kept === 'left out';
}

/** Whether an action counts in its plan. What is left out gets another address in the state all the same. */
export function isIncluded(one: Action): boolean {
  return !isLeftOut(one) || isChange(one);
}

/** The parts of an object that goes, by their nouns. */
export function partsIn(one: Action): Parts | undefined {
  return 'holds' in one ? one.holds : undefined;
}

/** The addresses whose actions come before a deletion, because their objects still use what goes. */
export function followedBy(one: Action): readonly string[] {
  return 'follows' in one ? one.follows : [];
}

/** What a deployment puts into effect, as paths below its service; undefined for the first one, and for other actions. */
export function becauseOf(one: Action): readonly string[] | undefined {
  if (!('start' in one) || one.start === 'first') return undefined;
  return one.start === 'again' ? one.because : [];
}

/** The deployments that have to succeed before that of an action, because its block says so. */
export function awaitedBy(one: Action): readonly string[] {
  return 'after' in one ? one.after : [];
}

/** The addresses that apply asks after a deployment. */
export function askedAfter(one: Action): readonly Question[] {
  return 'asks' in one ? one.asks : [];
}

/** Whether an earlier run started a deployment, and apply follows that one first. */
export function isUnderWay(one: Action): boolean {
  return 'start' in one && one.start === 'under way';
}

/** Whether a new object takes the place of another one. */
export function isReplacement(one: Named): boolean {
  return one.action === 'replace';
}

/** Whether an object is moved: below another parent, or to another address in the state. */
export function isMove({ action }: Named): boolean {
  return action === 'move';
}

/** Parts of a plan, as addresses or patterns with `*`; each includes everything below it. */
export interface Narrowing {
  /** Nothing else; everything when there are none. */
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  /** Addresses whose objects are deleted and created again on purpose. */
  readonly replaces: readonly string[];
  /** Drift that was accepted is written back as well. */
  readonly includesAccepted?: true;
  /** Changes whose deployment failed before are planned again. */
  readonly retriesFailed?: true;
  /** Nothing but the deployments that an earlier run started. */
  readonly followsOnly?: true;
}

/** A change that a narrowed plan leaves out. */
export interface LeftOut {
  readonly address: string;
  readonly action: ActionName;
  /** The address without which it cannot be done, and which is left out. */
  readonly needs?: string | undefined;
}

/** A service that keeps the old values of secrets, by the names of those that have one. */
export interface OldSecret {
  readonly address: string;
  readonly secrets: readonly string[];
  /** The addresses at which the plan writes the new values. */
  readonly writtenAt: readonly string[];
}

/** The part that a plan was narrowed to, and the changes that it leaves out. */
export interface Narrowed extends Pick<Narrowing, 'targets' | 'excludes'> {
  readonly leftOut: readonly LeftOut[];
  /** Services among what is left out that use a secret of which the plan writes a new value; left out for none. */
  readonly oldSecrets?: readonly OldSecret[];
}

/** Everything that a run would do: the only input of apply. */
export interface Plan {
  /** The state it was made from, with the addresses that `moved:` gave. */
  readonly base: State;
  /** The state as it is kept; undefined when there is none yet. */
  readonly saved: State | undefined;
  /** The platform as the plan read it. */
  readonly observed: Observed;
  readonly actions: readonly Action[];
  /** `trueup destroy`: everything that the state holds goes. */
  readonly destroys: boolean;
  /** Its targets and exclusions, and the changes that they leave out. */
  readonly narrowed: Narrowed | undefined;
  /** Errors, warnings and notes that belong to no action. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Looks up outputs that are known when the plan is made: of objects that are there and stay. */
export function outputsOf(actions: ReadonlyMap<string, Action>, objects: Observed['objects']): Outputs {
  return ({ address, output }) => {
    const action = actions.get(address);
    const object = objects.get(address);
    if (action === undefined || object === undefined || createsObject(action)) return undefined;
    return outputValue(action.kind, output, object.id, object.row);
  };
}

/** Whether an action sends something, or its object goes with its parent. */
export function isEffective({ action, steps, teardown }: Pick<Action, 'action' | 'steps' | 'teardown'>): boolean {
  return steps.length > 0 || teardown.length > 0 || action === 'delete';
}

/** Whether a plan would change the platform or the state. What apply only learns about the platform counts for nothing. */
export function hasChanges(plan: Pick<Plan, 'actions'>): boolean {
  return plan.actions.some(isChange);
}

/** Whether the platform ignores the value of an attribute, and the plan does not write it again. */
export function isIgnored({ decision }: Pick<AttributeChange, 'decision'>): boolean {
  return decision.do === 'nothing' && decision.ignored === true;
}

/** Counts the fields, and keys of maps, that the platform ignores and that a plan does not write again. */
export function countIgnored(actions: readonly Action[]): number {
  const ignoredOf = (action: Action) => (isLeftOut(action) ? 0 : action.attributes.filter(isIgnored).length);
  return actions.reduce((sum, action) => sum + ignoredOf(action), 0);
}
