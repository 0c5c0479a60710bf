import { position } from '../manifest/tree.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { pathOf } from '../kind/attribute.ts';
import { same } from '../formats/json.ts';
import { type Resource, wantedAttributes } from '../manifest/resource.ts';
import { type PlanFacts, type PlanFile, comparedFacts, subjectsOf } from './plan-file.ts';
import { type Compared, surprises, whatIsLeftOut } from './reviewed-sentences.ts';

/** What comparing needs. */
interface ComparisonInput {
  readonly reviewed: PlanFacts;
  readonly now: PlanFacts;
  /** The project as the manifest names it. */
  readonly project: string;
  /** What is declared now: sentences name its lines and its references. */
  readonly resources: readonly Resource[];
  /** An apply of the reviewed plan began and did not end: the state may have gone on since. */
  readonly continues?: boolean;
}

/** Says how a file is of another platform or project than the manifest, which is known before any request. */
export function elsewhere(
  { platform, projectId, project = projectId }: PlanFile,
  now: { readonly platform: string; readonly project: string },
): Diagnostic[] {
  const differs = (what: string, planned: string, named: string): Diagnostic[] =>
    planned === named ? [] : [outdated(`the plan is for ${what} ${planned}, and the manifest names ${named}`)];
  return [...differs('the platform', platform, now.platform), ...differs('project', project, now.project)];
}

/** Whether a plan that is made now is exactly the one that was reviewed, made from the same state. Never throws. */
export function isSamePlan(reviewed: PlanFacts, now: PlanFacts): boolean {
  return comparedFacts.every((name) => same(reviewed[name], now[name]));
}

/**
 * Compares a plan that was reviewed with the plan that is made now. What is made now may be less, because a person did
 * it already, and nothing else: no request, no member and no permission that was not reviewed, and nothing is
 * overwritten that was not seen. Errors say what is not as it was; without any, notes say what is not needed any more.
 */
export function comparePlans({ reviewed, now, project, resources, continues }: ComparisonInput): Diagnostic[] {
  const otherPlatform = aboutPlatform(reviewed, now, project);
  if (otherPlatform.length > 0) return otherPlatform;
  const isLater = continues === true && isLaterState(reviewed, now);
  const otherState = isLater ? undefined : aboutState(reviewed, now);
  if (otherState !== undefined) return [outdated(otherState)];
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  const compared = subjectsOf({ ...reviewed.facts, ...now.facts }).flatMap(({ address, block, part }) => {
    const [old, present] = [reviewed.facts[address], now.facts[address]];
    if (same(old, present)) return [];
    const isBeside = part === 'deployment' || part === 'run';
    const named = isBeside ? block : address;
    const mapOf = (facts = {}) => new Map<string, string>(Object.entries(facts));
    return [{ block: named, isBeside, reviewed: mapOf(old), now: mapOf(present), resource: declared.get(named) }];
  });
  const about = (isBeside: boolean): Diagnostic[] =>
    compared.flatMap((one) => {
      if (one.isBeside !== isBeside) return [];
      const { block: address, resource } = one;
      return surprises({ ...one, wanted: wantedIn(resource) }).map((message) =>
        outdated(message, { address, position: resource && position(resource.at) }),
      );
    });
  const moved = [
    ...(reviewed.moved === now.moved ? [] : [outdated('moved: was changed after the plan was made')]),
    ...(reviewed.accepted === now.accepted ? [] : [outdated('the accepted drift was changed after the plan was made')]),
    ...about(false),
  ];
  // What has to be deployed follows from the rest.
  const found = moved.length > 0 ? moved : about(true);
  if (found.length > 0) return found;
  return compared.flatMap((one) =>
    whatIsLeftOut(one).map((message) => diagnostic('not-needed', message, { address: one.block })),
  );
}

function outdated(message: string, about: Parameters<typeof diagnostic>[2] = {}): Diagnostic {
  return diagnostic('plan-outdated', message, about);
}

function wantedIn(resource: Resource | undefined): Compared['wanted'] {
  if (resource === undefined) return new Map();
  const { kind } = resource;
  return new Map(wantedAttributes(resource).map(({ attribute, wanted }) => [pathOf(kind, attribute), wanted]));
}

/** Says how the name of the project means another one, and how the platform has another version than the plan was made with. */
function aboutPlatform(reviewed: PlanFacts, now: PlanFacts, project: string): Diagnostic[] {
  const [planned, id] = [reviewed.projectId, now.projectId];
  const [then, version] = [reviewed, now].map(({ platformVersion = 'unknown' }) => platformVersion);
  const upgrade = `the plan was made with version ${then} of the platform, which has version ${version} now`;
  return [
    ...(planned === id ? [] : [outdated(`the plan is for project ${planned}, and ${project} is ${id} now`)]),
    ...(then === version ? [] : [outdated(upgrade)]),
  ];
}

/** Whether the state is what became of the one that the plan was made from. */
function isLaterState({ organizationId, state }: PlanFacts, now: PlanFacts): boolean {
  if (organizationId !== now.organizationId || state.lineage !== now.state.lineage) return false;
  return !('serial' in state) || ('serial' in now.state && now.state.serial >= state.serial);
}

/** How the organization or the state is another one than the plan was made from; undefined when it is the same. */
function aboutState(reviewed: PlanFacts, now: PlanFacts): string | undefined {
  if (reviewed.organizationId !== now.organizationId) {
    return `the plan is for organization ${reviewed.organizationId}, and the API key acts in ${now.organizationId}`;
  }
  const [old, present] = [reviewed.state, now.state];
  if (!('serial' in old)) {
    if (!('serial' in present)) return undefined;
    return old.lineage === present.lineage
      ? 'the plan was applied already, wholly or in part'
      : 'there is a state by now, and there was none when the plan was made';
  }
  if (!('serial' in present)) return 'the state that the plan was made from is not there';
  if (old.lineage !== present.lineage) return 'the state is another one than the plan was made from';
  if (old.serial !== present.serial) {
    const versions = `the plan was made from version ${old.serial} of the state, and it is at version ${present.serial}`;
    return present.serial > old.serial
      ? `${versions}: this plan or another was applied since, wholly or in part`
      : `${versions}: an older one was put in its place`;
  }
  return old.content === present.content
    ? undefined
    : 'the state was written to since the plan was made: a run began to apply it, or another, and did not end';
}
