import { plain } from '../kind/codecs.ts';
import type { Json } from '../kind/json.ts';
import { canonical } from '../kind/json.ts';
import { replacedAddress } from '../kind/address.ts';
import { fieldOfAttribute, pathOf } from '../kind/attribute.ts';
import type { Field } from '../kind/field.ts';
import { contains } from '../kind/shared-set.ts';
import { fieldPath, observedValue, outputValue } from '../kind/wire.ts';
import { mergeOption } from '../kind/written.ts';
import { resolveField } from '../manifest/fields.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Settings } from '../manifest/settings.ts';
import type { Outputs, Reference, Wanted } from '../manifest/wanted.ts';
import type { Action, Member, Plan, Step } from './action.ts';
import type { FiledAction, FiledMember, FiledStep, FiledValue, PlanFile } from './file.ts';

/** What a plan file is made from, beside the plan. */
export interface FileInput {
  readonly plan: Plan;
  /** What the plan was made for: nothing for one that destroys. */
  readonly resources: readonly Resource[];
  readonly settings: Pick<Settings, 'platform' | 'moved'>;
  readonly deploys: boolean;
  readonly destroys: boolean;
  /** The version of Trueup. */
  readonly madeBy: string;
  /** In ISO 8601. */
  readonly madeAt: string;
  /** Makes the digest of a text with the key of the plan's state. */
  readonly digest: (text: string) => string;
}

/** Makes the file of a plan: the same plan gives the same file, but for the time. */
export function planFile(input: FileInput): PlanFile {
  const { plan, resources, settings, digest } = input;
  const { base, saved, observed } = plan;
  const sign: Sign = (scope, content) => digest(canonical(['plan file', ...scope, content]));
  const outputs = outputsOf(plan);
  const file: PlanFile = {
    format: 'trueup/plan-file',
    version: 1,
    madeBy: input.madeBy,
    madeAt: input.madeAt,
    platform: platformName(settings.platform),
    organizationId: observed.organizationId,
    projectId: observed.projectId,
    deploys: input.deploys,
    destroys: input.destroys,
    state:
      saved === undefined
        ? { lineage: base.lineage, digestKey: base.digestKey }
        : { lineage: saved.lineage, serial: saved.serial, content: sign(['state'], asJson(saved.resources)) },
    moved: sign(
      ['moved'],
      settings.moved.map(({ from, to }) => [from, to]),
    ),
    resources: resources.map((resource) => ({
      address: resource.address,
      declared: declaredIn(resource, sign),
    })),
    actions: plan.actions.flatMap((action) => filed(action, { plan, sign, outputs })),
    seal: '',
  };
  return { ...file, seal: sealOf(file, digest) };
}

/** Whether a file is as it was made, by somebody who has the key. */
export function isIntact(file: PlanFile, digest: (text: string) => string): boolean {
  return file.seal === sealOf(file, digest);
}

/** A platform as a plan file names it. */
export function platformName(platform: Settings['platform']): string {
  return platform === 'emulator' ? platform : new URL(platform.url).href.replace(/\/+$/, '');
}

function sealOf(file: PlanFile, digest: (text: string) => string): string {
  return digest(canonical(['plan file', 'seal', asJson({ ...file, seal: '' })]));
}

/** Makes the digest of a value where it stands, so that equal values in two places have different ones. */
type Sign = (scope: readonly string[], content: Json) => string;

interface Filing {
  readonly plan: Plan;
  readonly sign: Sign;
  readonly outputs: Outputs;
}

/** What is plain data and has nothing but JSON in it. */
function asJson(content: object): Json {
  return content as unknown as Json; // its type says it member by member
}

/** The outputs that are known when the plan is made. */
function outputsOf({ actions, observed }: Plan): Outputs {
  const byAddress = new Map(actions.map((action) => [action.address, action]));
  return ({ address, output }) => {
    const action = byAddress.get(address);
    const object = observed.objects.get(address);
    if (action === undefined || object === undefined || action.createsObject) return undefined;
    return outputValue(action.kind, output, object.id, object.row);
  };
}

function declaredIn(resource: Resource, sign: Sign): { path: string; value: FiledValue }[] {
  const { address, kind, fields, maps, options, pinned, mapMode } = resource;
  const declared: { path: string; value: FiledValue }[] = [];
  const say = (path: string, content: Json): void => {
    declared.push({ path, value: { digest: sign([address, path], content) } });
  };
  const want = (path: string, wanted: Wanted): void => {
    declared.push({ path, value: { ...whatIsWritten(wanted, sign, [address, path]), ...marks(wanted) } });
  };
  for (const [name, wanted] of Object.entries(fields)) want(fieldPath(kind, name), wanted);
  for (const [field, entries] of Object.entries(maps)) {
    say(fieldPath(kind, field), 'a map');
    for (const [key, wanted] of entries) want(pathOf(kind, { field, key }), wanted);
  }
  for (const [name, content] of Object.entries(options)) say(name, content);
  const merge = mergeOption(kind);
  if (merge !== undefined) say(merge.name, mapMode);
  if (pinned !== undefined) say('id', pinned);
  return declared;
}

/** The digest of a value as it is written, with the references and the missing secrets in it. */
function whatIsWritten(wanted: Wanted, sign: Sign, scope: readonly string[]): FiledValue {
  const content = wanted.content.reveal();
  return { digest: sign(scope, content.hollow ? { shape: asJson(content.shape) } : { value: content.value }) };
}

function marks({ isSecret, missing }: Wanted): Pick<FiledValue, 'concealed' | 'missing'> {
  return { ...(missing.length > 0 ? { missing: [...missing] } : {}), ...(isSecret ? { concealed: true } : {}) };
}

function filed(action: Action, filing: Filing): FiledAction[] {
  const { address, id, needsConsent, dataAtRisk, notes } = action;
  if (action.action === 'no-op') return [];
  const warnings = notes.flatMap(({ severity, message }) => (severity === 'warning' ? [message] : []));
  return [
    {
      address,
      action: action.action,
      ...(id === undefined ? {} : { id }),
      teardown: action.teardown.map((step) => filedStep(action, step, filing)),
      steps: action.steps.map((step) => filedStep(action, step, filing)),
      before: before(action, filing),
      ...(needsConsent ? { needsConsent } : {}),
      ...(dataAtRisk === undefined ? {} : { dataAtRisk }),
      warnings,
    },
  ];
}

function filedStep(action: Action, { operation, role, members, changed }: Step, filing: Filing): FiledStep {
  const filedMembers = Object.entries(members).map(([name, from]) =>
    filedMember(name, from, { ...filing, scope: [action.address, operation, name] }),
  );
  return { operation, role, members: filedMembers, changed: [...changed] };
}

function filedMember(name: string, from: Member, about: Filing & { readonly scope: readonly string[] }): FiledMember {
  const { sign, scope } = about;
  switch (from.is) {
    case 'value':
      return { is: 'value', name, value: { digest: sign(scope, { value: from.value.reveal() }) } };
    case 'wanted':
      return { is: 'value', name, value: valueOf(from.field, from.wanted, about) };
    case 'map':
      return {
        is: 'map',
        name,
        keepsOthers: from.keepOthers,
        entries: [...from.entries]
          .map(([key, wanted]) => ({ key, value: valueOf(from.field, wanted, { ...about, scope: [...scope, key] }) }))
          .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
        removed: [...from.removed],
      };
    case 'set': {
      const formerly = sign([...scope, 'formerly'], from.formerly);
      return { is: 'set', name, value: valueOf(from.field, from.wanted, about), formerly };
    }
    case 'id':
      return { is: 'id', name, of: from.address };
    case 'as read':
      return { is: 'as read', name, from: from.from };
    case 'mark':
      return { is: 'mark', name };
    default:
      return from satisfies never;
  }
}

/** A wanted value as it would be sent, as far as it is known. */
function valueOf(
  field: Field,
  wanted: Wanted,
  { sign, outputs, scope }: Filing & { readonly scope: readonly string[] },
): FiledValue {
  const resolved = resolveField(field, wanted, outputs);
  if (resolved.is === 'known') return { digest: sign(scope, { value: resolved.value }), ...marks(wanted) };
  const after = resolved.is === 'pending' ? resolved.on.map(nameOf) : [];
  return {
    ...whatIsWritten(wanted, sign, scope),
    ...marks(wanted),
    ...(after.length === 0 ? {} : { after }),
  };
}

/** What the platform has where something is overwritten, and of what goes everything that is known to be ours. */
function before(action: Action, { plan, sign }: Filing): FiledAction['before'] {
  const { address, kind, attributes } = action;
  const was = (path: string, field: Field, content: Json) => {
    const normal = (field.codec ?? plain).normal(content);
    const scope = [address, 'before', path];
    // Others may go on adding to a set.
    const isGrowing = field.codec === contains && Array.isArray(normal);
    return {
      path,
      was: isGrowing ? normal.map((item: Json) => sign([...scope, 'member'], item)) : [sign(scope, normal)],
    };
  };
  if (action.action === 'delete' || action.action === 'replace') {
    const { resources } = plan.base;
    const record = resources[address] ?? resources[replacedAddress(address) ?? ''];
    const row = plan.observed.objects.get(address)?.row;
    if (record === undefined || row === undefined) return [];
    const names = new Set(Object.keys(record.pairs).map(fieldOfAttribute));
    return [...names].flatMap((name) => {
      const field = kind.fields[name];
      if (field === undefined) return [];
      return [was(fieldPath(kind, name), field, observedValue(kind, name, row) ?? null)];
    });
  }
  if (action.createsObject) return [];
  return attributes.flatMap(({ attribute, field, wanted, decision, before: observed }) => {
    if (decision.do !== 'write' && decision.do !== 'remove') return [];
    const refersTo = wanted?.references.map(nameOf) ?? [];
    const entry = was(pathOf(kind, attribute), field, observed.reveal());
    return [{ ...entry, ...(refersTo.length === 0 ? {} : { refersTo }) }];
  });
}

function nameOf({ address, output }: Reference): string {
  return `${address}.${output}`;
}
