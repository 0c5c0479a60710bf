import type { Diagnostic, Position } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { blockAddress } from '../kind/address.ts';
import { same } from '../kind/json.ts';
import type { FiledValue, PlanFile } from './file.ts';
import { sentence, surprises, whatIsLeftOut } from './surprises.ts';

/** How a plan that was reviewed and the plan that is made now differ. */
export interface Comparison {
  /** What is not as it was; when there is something, nothing may be sent. */
  readonly moved: readonly Diagnostic[];
  /** What was reviewed and is not needed any more. */
  readonly leftOut: readonly Diagnostic[];
}

/** What comparing needs. */
export interface ComparisonInput {
  readonly reviewed: PlanFile;
  readonly now: PlanFile;
  /** Whether the reviewed one is as it was made. */
  readonly isIntact: boolean;
  readonly positionOf: (address: string) => Position | undefined;
}

/** Says how a file is of another platform or project than the manifest; that can be told before any request. */
export function elsewhere(reviewed: PlanFile, now: Pick<PlanFile, 'platform' | 'projectId'>): Diagnostic[] {
  const found: Diagnostic[] = [];
  const differs = (what: string, planned: string, named: string): void => {
    if (planned === named) return;
    found.push(diagnostic('plan-outdated', `the plan is for ${what} ${planned}, and the manifest names ${named}`));
  };
  differs('the platform', reviewed.platform, now.platform);
  differs('project', reviewed.projectId, now.projectId);
  return found;
}

/**
 * Compares a plan that was reviewed with the plan that is made now. What is made now may be less, because somebody did
 * it already, and nothing else: no request, no member and no permission that was not reviewed, and nothing is
 * overwritten that was not seen.
 */
export function comparePlans(input: ComparisonInput): Comparison {
  const { reviewed, now, isIntact } = input;
  const moved = aboutState(reviewed, now);
  if (moved.length > 0) return { moved: moved.map(untied), leftOut: [] };
  if (!isIntact) {
    const message = 'the plan file is damaged, or somebody changed it after it was made';
    return { moved: [untied(message)], leftOut: [] };
  }
  const declared = aboutManifest(input);
  const found = [...declared, ...aboutPlatform(input, new Set(declared.map(({ address }) => address)))];
  return { moved: found, leftOut: found.length > 0 ? [] : leftOut(reviewed, now) };
}

function untied(message: string): Diagnostic {
  return diagnostic('plan-outdated', message);
}

function tied({ positionOf }: ComparisonInput, address: string, message: string): Diagnostic {
  return diagnostic('plan-outdated', message, { address, position: positionOf(address) });
}

function aboutState(reviewed: PlanFile, now: PlanFile): string[] {
  if (reviewed.organizationId !== now.organizationId) {
    return [`the plan is for organization ${reviewed.organizationId}, and the API key acts in ${now.organizationId}`];
  }
  const [old, present] = [reviewed.state, now.state];
  if ('digestKey' in old) {
    if ('digestKey' in present) return [];
    return old.lineage === present.lineage
      ? ['the plan was applied already, wholly or in part']
      : ['there is a state by now, and there was none when the plan was made'];
  }
  if ('digestKey' in present) return ['the state that the plan was made from is not there'];
  if (old.lineage !== present.lineage) return ['the state is another one than the plan was made from'];
  if (old.serial !== present.serial) {
    const versions = `the plan was made from version ${old.serial} of the state, and it is at version ${present.serial}`;
    return present.serial > old.serial
      ? [`${versions}: this plan or another was applied since, wholly or in part`]
      : [`${versions}: an older one was put in its place`];
  }
  return old.content === present.content
    ? []
    : ['the state was written to since the plan was made: a run began to apply it, or another, and did not end'];
}

function aboutManifest(input: ComparisonInput): Diagnostic[] {
  const { reviewed, now } = input;
  const found: Diagnostic[] = [];
  if (reviewed.moved !== now.moved) found.push(untied('moved: says something else than when the plan was made'));
  const present = new Map(now.resources.map((item) => [item.address, item]));
  const planned = new Set(reviewed.resources.map(({ address }) => address));
  for (const { address, declared } of reviewed.resources) {
    const resource = present.get(address);
    const messages =
      resource === undefined
        ? [`${address} is not declared any more`]
        : edits(address, valuesOf(declared), valuesOf(resource.declared));
    found.push(...messages.map((message) => tied(input, address, message)));
  }
  for (const { address } of now.resources) {
    if (!planned.has(address)) {
      found.push(tied(input, address, `${address} was not declared when the plan was made`));
    }
  }
  return found;
}

type Declared = PlanFile['resources'][number]['declared'];

function valuesOf(declared: Declared): ReadonlyMap<string, FiledValue> {
  return new Map(declared.map(({ path, value }) => [path, value]));
}

/** What is declared otherwise than it was, one sentence for each reason. */
function edits(address: string, then: ReadonlyMap<string, FiledValue>, now: ReadonlyMap<string, FiledValue>): string[] {
  const edited: string[] = [];
  const concealed: string[] = [];
  const missing: string[] = [];
  for (const path of new Set([...then.keys(), ...now.keys()])) {
    const [old, present] = [then.get(path), now.get(path)];
    if (old === undefined || present === undefined) edited.push(path);
    else if (present.missing !== undefined && !same(old.missing, present.missing)) missing.push(path);
    // What the plan did not know it does not say: what comes of it now is no request that was reviewed.
    else if (old.missing !== undefined && present.missing === undefined) continue;
    else if (old.digest !== present.digest) (present.concealed === true ? concealed : edited).push(path);
  }
  return [
    ...sentence(edited, (paths) => `${paths} of ${address} is declared otherwise than when the plan was made`),
    ...sentence(
      concealed,
      (paths) =>
        `${paths} of ${address} has another value: what flows into it from a secret or the environment changed`,
    ),
    ...sentence(missing, (paths) => `${paths} of ${address} needs a secret that this run does not have`),
  ];
}

/** What the actions do that was not reviewed. The manifest and the state are the same, so the platform is not. */
function aboutPlatform(input: ComparisonInput, touched: ReadonlySet<string | undefined>): Diagnostic[] {
  const { reviewed, now } = input;
  const planned = new Map(reviewed.actions.map((action) => [action.address, action]));
  const unknown = new Map(
    reviewed.resources.map(({ address, declared }) => [
      address,
      declared.flatMap(({ path, value }) => (value.missing === undefined ? [] : path)),
    ]),
  );
  const about = (isDeployment: boolean): Diagnostic[] =>
    now.actions.flatMap((action) => {
      const { address } = action;
      const block = blockAddress(address);
      // What the manifest says otherwise is planned otherwise.
      if ((action.action === 'deploy') !== isDeployment || touched.has(block)) return [];
      const messages = surprises(action, planned.get(address), unknown.get(address) ?? []);
      return messages.map((message) => tied(input, block, message));
    });
  const found = about(false);
  // What has to be deployed follows from the rest.
  return found.length > 0 || touched.size > 0 ? found : about(true);
}

function leftOut(reviewed: PlanFile, now: PlanFile): Diagnostic[] {
  const present = new Map(now.actions.map((action) => [action.address, action]));
  return reviewed.actions.flatMap((old) => {
    const address = blockAddress(old.address);
    return whatIsLeftOut(old, present.get(old.address)).map((message) =>
      diagnostic('not-needed', message, { address }),
    );
  });
}
