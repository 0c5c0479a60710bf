import { withoutSlash } from '../api/slash.ts';
import { groupBy } from '../kind/group.ts';
import { plain } from '../kind/codecs.ts';
import { type Json, canonical, defined } from '../formats/json.ts';
import { fieldOfAttribute, pathOf } from '../kind/attribute.ts';
import type { Field } from '../kind/field.ts';
import { contains } from '../kind/shared-set.ts';
import { fieldPath, observedValue } from '../kind/row-values.ts';
import { mergeOption } from '../kind/written-keys.ts';
import { resolveField } from '../manifest/fields.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { type Resource, wantedAttributes } from '../manifest/resource.ts';
import type { Settings } from '../manifest/settings.ts';
import { referenceName } from '../manifest/reference.ts';
import { type Outputs, type Wanted, resolve } from '../manifest/wanted.ts';
import { type StateKey, isSameMac } from '../secrets/state-key.ts';
import {
  type Action,
  type Member,
  type Narrowing,
  type Plan,
  type Step,
  createsObject,
  deletesObject,
  isChange,
  isKept,
  isLeftOut,
  needsConsent,
  outputsOf,
} from './action.ts';
import { everything } from './narrow.ts';
import { actionsByAddress, recordedAt } from './relations.ts';
import type { FactKind, PlanFacts, PlanFile } from './plan-file.ts';
import { writesOrRemoves } from './decide.ts';

/** What a plan is made of. */
interface Declared extends Pick<Manifest, 'resources' | 'accepted'> {
  readonly settings: Pick<Settings, 'rootFile' | 'platform' | 'project' | 'moved'>;
}

/** What a plan was made for, beside what it says itself. */
export interface Purpose extends Pick<PlanFile, 'deploys'> {
  readonly manifest: Declared;
  /** Nothing is left out and nothing replaced on purpose by default. */
  readonly narrowing?: Narrowing;
}

/** The key of the MACs in a plan file. */
type PlanKey = Pick<StateKey, 'planMac'>;

/** Makes the file of a plan, for its review: the same plan gives the same file, but for the time. Never throws. */
export function planFile(
  plan: Plan,
  { manifest, deploys, narrowing = everything }: Purpose,
  made: {
    /** The version of Trueup. */
    readonly version: string;
    /** ISO 8601. */
    readonly at: string;
    /** What `plan` printed, as `documents/plan-document.ts` makes it. */
    readonly shown: string;
  },
  key: PlanKey & Pick<StateKey, 'encryptPlan'>,
): PlanFile {
  const { platformVersion, organizationId, projectId, ...compared } = planFacts(plan, manifest, key);
  const { rootFile: root = 'trueup.yaml', platform, project } = manifest.settings;
  const file: PlanFile = {
    format: 'trueup/plan-file',
    version: 6,
    madeBy: made.version,
    madeAt: made.at,
    root,
    platform: platformName(platform),
    ...defined({ platformVersion }),
    organizationId,
    projectId,
    ...(project === projectId ? {} : { project }),
    deploys,
    destroys: plan.destroys,
    narrowing: narrowing as PlanFile['narrowing'], // the form of a file spells it without readonly
    ...compared,
    shown: key.encryptPlan(made.shown),
    mac: '',
  };
  return { ...file, mac: macOf(file, key) };
}

/**
 * Makes what of a plan file is compared with another plan. `created`: the addresses of blocks whose objects are as if they were
 * still to be created, for a plan from before that. Never throws.
 */
export function planFacts(
  plan: Plan,
  manifest: Declared,
  key: PlanKey,
  created: ReadonlySet<string> = new Set(),
): PlanFacts {
  const { base, saved, observed, destroys } = plan;
  const sign: Sign = (scope, content) => key.planMac(canonical(['fact', ...scope, content]));
  const accepted = destroys ? [] : manifest.accepted.map(({ position: _position, ...entry }) => asJson(entry));
  const moves = destroys ? [] : manifest.settings.moved.map(({ from, to }) => [from, to]);
  return {
    ...defined({ platformVersion: base.platform?.version ?? undefined }),
    organizationId: observed.organizationId,
    projectId: observed.projectId,
    state:
      saved === undefined
        ? { lineage: base.lineage }
        : {
            lineage: saved.lineage,
            serial: saved.serial,
            content: sign(['state'], asJson([saved.resources, saved.deployments])),
          },
    moved: sign(['moved'], moves),
    accepted: sign(['accepted'], accepted),
    facts: signedFacts(plan, destroys ? [] : manifest.resources.filter(isWithin(plan)), { sign, created }),
  };
}

/** Whether a file is as it was made, by a person who has the key. */
export function isIntact(file: PlanFile, key: PlanKey): boolean {
  return isSameMac(file.mac, macOf(file, key));
}

/** A platform as a plan file names it. */
export function platformName(platform: Settings['platform']): string {
  return platform.emulator ? 'emulator' : withoutSlash(new URL(platform.url).href);
}

function macOf(file: PlanFile, key: PlanKey): string {
  return key.planMac(canonical(['file', asJson({ ...file, mac: '' })]));
}

/** Makes the digest of a value where it stands, so that equal values in two places have different ones. */
type Sign = (scope: readonly string[], content: Json) => string;

/** A fact before its digests are made: its kind, the rest of its path, and a text in clear or what to make digests of. */
type Fact = readonly [FactKind, path: string, content: string | readonly Json[]];

/** What is plain data and has nothing but JSON in it. */
function asJson(content: object): Json {
  return content as unknown as Json; // its type says it member by member
}

/** Tells the resources that a narrowed plan leaves out, and need not be as they were when it was reviewed. */
function isWithin({ narrowed, actions }: Plan): (resource: Resource) => boolean {
  const within = new Set(actions.flatMap((action) => (isLeftOut(action) ? [] : [action.address])));
  return ({ address }) => narrowed === undefined || within.has(address);
}

function signedFacts(
  plan: Plan,
  resources: readonly Resource[],
  { sign, created }: { readonly sign: Sign; readonly created: ReadonlySet<string> },
): PlanFile['facts'] {
  const actions = plan.actions.filter((action) => isChange(action) || action.dataAtRisk !== undefined);
  const known = outputsOf(actionsByAddress(plan.actions), plan.observed.objects);
  const outputs: Outputs = (reference) => (created.has(reference.address) ? undefined : known(reference));
  const knows = { plan, outputs, created };
  const facts = groupBy([
    ...resources.map((resource) => [resource.address, declaredIn(resource)] as const),
    ...actions.map((one) => [one.address, isChange(one) ? doneBy(one, knows) : atRisk(one)] as const),
  ]);
  const signed = [...facts].map(([address, made]) => {
    const entries = made
      .flatMap((some) => [...some])
      .map(([kind, path, content]) => [
        path === '' ? kind : `${kind} ${path}`,
        typeof content === 'string' ? content : content.map((one) => sign([address, kind, path], one)).join(' '),
      ]);
    return [address, Object.fromEntries(entries)];
  });
  return Object.fromEntries(signed);
}

function* declaredIn(resource: Resource): Iterable<Fact> {
  const { kind, maps, options, pinned, mapMode, after, probe, createOnly } = resource;
  const merge = mergeOption(kind);
  yield ['block', '', ''];
  // An empty map is more than none: all of its keys go.
  for (const field of Object.keys(maps)) yield ['declared', fieldPath(kind, field), ['a map']];
  for (const { attribute, wanted } of wantedAttributes(resource)) {
    const path = pathOf(kind, attribute);
    yield ['declared', path, [asWritten(wanted)]];
    if (wanted.missing.length > 0) yield ['missing', path, [wanted.missing]];
  }
  for (const [name, content] of Object.entries(options)) yield ['declared', name, [content]];
  if (merge !== undefined) yield ['declared', merge.name, [mapMode]];
  if (pinned !== undefined) yield ['declared', 'id', [pinned]];
  if (after !== undefined) yield ['declared', 'after', [after.map(({ address }) => address)]];
  if (probe !== undefined) yield ['declared', 'probe', [asJson(probe)]];
  if (createOnly !== undefined) yield ['declared', 'createOnly', [[...createOnly].toSorted()]];
}

/** A value as it is written, with the references and the missing secrets in it. */
function asWritten(wanted: Wanted): { readonly [key: string]: Json } {
  const resolved = resolve(wanted, () => undefined);
  return resolved.is === 'known' ? { value: resolved.value } : { shape: asJson(wanted.content.reveal()) };
}

function* atRisk({ dataAtRisk }: Action): Iterable<Fact> {
  if (dataAtRisk !== undefined) yield ['risk', '', dataAtRisk];
}

interface Known {
  readonly plan: Plan;
  readonly outputs: Outputs;
  readonly created: ReadonlySet<string>;
}

function* doneBy(action: Action, { plan, outputs, created }: Known): Iterable<Fact> {
  for (const word of outcomes(action)) yield ['action', word, ''];
  if (action.movedFrom !== undefined) yield ['moved', action.movedFrom, ''];
  if (action.id !== undefined && !created.has(action.block)) yield ['id', '', action.id];
  yield* overwrittenBy(action, plan);
  for (const { severity, message } of action.notes) if (severity === 'warning') yield ['warning', message, ''];
  yield* atRisk(action);
  if (needsConsent(action)) yield ['consent', '', ''];
  for (const { attribute, accepted } of action.attributes)
    if (accepted?.over === true) yield ['lapsed', pathOf(action.kind, attribute), accepted.until];
  const sent: string[] = [];
  for (const [at, step] of [...action.teardown, ...action.steps].entries()) {
    const name = stepName(step, sent);
    yield ['send', name, ''];
    yield ['order', `${name} in ${at < action.teardown.length ? 'teardown' : 'steps'}`, ''];
    for (const earlier of sent) yield ['order', `${name} after ${earlier}`, ''];
    for (const member of step.changed) yield ['changed', `${name} ${member}`, ''];
    for (const [member, from] of Object.entries(step.members)) {
      yield ['member', `${name} ${member}`, [contentOf(from, outputs)]];
      for (const key of from.is === 'map' ? from.removed : []) yield ['member', `${name} ${member} ${key}`, ''];
    }
    sent.push(name);
  }
}

/** The action, and what it comes to when a person does the first step of it by hand. */
function outcomes(one: Action): string[] {
  const { action, id } = one;
  if (isKept(one)) return [];
  if (action === 'move') return ['move', 'update'];
  if (action === 'delete') return ['delete', 'forget gone'];
  if (action === 'forget') return id === undefined ? ['forget gone'] : ['forget', 'forget gone'];
  return [action];
}

/** An operation with its role, `compose.update:update`; numbered when there is one of that name already. */
function stepName({ operation, role }: Step, sent: readonly string[]): string {
  const name = `${operation}:${role}`;
  return sent.includes(name) ? `${name}:${sent.length}` : name;
}

/** All that a request says in one member, but for the keys that it removes. */
function contentOf(from: Member, outputs: Outputs): Json {
  switch (from.is) {
    case 'value':
      return { value: from.value.reveal() };
    case 'wanted':
      return valueOf(from.field, from.wanted, outputs);
    case 'map': {
      const entries = [...from.entries].map(([key, wanted]) => [key, valueOf(from.field, wanted, outputs)] as const);
      return { keepsOthers: from.keepOthers, entries: Object.fromEntries(entries) };
    }
    case 'set':
      return { set: valueOf(from.field, from.wanted, outputs), formerly: from.formerly };
    case 'id':
    case 'as read':
    case 'mark':
      return asJson(from);
    default:
      return from satisfies never;
  }
}

/** A wanted value as it would be sent, as far as it is known. */
function valueOf(field: Field, wanted: Wanted, outputs: Outputs): Json {
  const resolved = resolveField(field, wanted, outputs);
  if (resolved.is === 'known') return { value: resolved.value };
  return { ...asWritten(wanted), ...(resolved.is === 'pending' ? { after: resolved.on.map(referenceName) } : {}) };
}

/** What the platform has where something is overwritten, and of what goes everything that is known to be ours. */
function* overwrittenBy(action: Action, plan: Plan): Iterable<Fact> {
  const { address, kind, attributes } = action;
  const was = (path: string, field: Field, content: Json): Fact => {
    const normal = (field.codec ?? plain).normal(content);
    // Others may go on adding to a set.
    return ['was', path, field.codec === contains && Array.isArray(normal) ? (normal as Json[]) : [normal]];
  };
  if (deletesObject(action)) {
    const record = plan.base.resources[recordedAt(plan.base, action)];
    const row = plan.observed.objects.get(address)?.row;
    if (record === undefined || row === undefined) return;
    for (const name of new Set(Object.keys(record.pairs).map(fieldOfAttribute))) {
      const field = kind.fields[name];
      if (field !== undefined) yield was(fieldPath(kind, name), field, observedValue(kind, name, row) ?? null);
    }
  } else if (!createsObject(action)) {
    for (const { attribute, field, decision, before } of attributes) {
      if (!writesOrRemoves(decision)) continue;
      yield was(pathOf(kind, attribute), field, before.reveal());
    }
  }
}
