import * as z from 'zod';
import type { Json } from '../formats/json.ts';

/**
 * The JSON documents that `--format json` prints: one per run, and of `apply` and `destroy` one per line. Within a
 * version members are added, never removed or changed; readers ignore what they do not know.
 */

/** A document with its name and its version. */
function document<Name extends string, Version extends 1 | 2, Shape extends z.core.$ZodLooseShape>(
  name: Name,
  version: Version,
  shape: Shape,
) {
  return z.object({ format: z.literal(`trueup/${name}` as const), version: z.literal(version), ...shape });
}

const int = z.number().int();
const strings = z.array(z.string());
const json = z.json() as z.ZodType<Json>; // the same, spelled with readonly
const requests = z.object({ reads: int, writes: int });
const position = z.object({
  file: z.string(),
  line: int,
  column: int,
  endColumn: int.optional(),
});

const diagnostic = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'note']),
  message: z.string(),
  details: strings.optional(),
  remedy: z.string().optional(),
  address: z.string().optional(),
  position: position.optional(),
  /** The line at `position`, in which what may be secret is masked; `from` and `to`: the part that it is about, as offsets. */
  quote: z.object({ text: z.string(), from: int, to: int }).optional(),
  /** `manifest`: a warning of the manifest; `state`: why the state could not be written; left out for all others. */
  source: z.enum(['manifest', 'state']).optional(),
});
const diagnostics = z.array(diagnostic);

const actionName = z.enum(['create', 'update', 'move', 'replace', 'delete', 'adopt', 'forget', 'deploy', 'no-op']);

const waitsFor = z.enum(['queue', 'deployment', 'answer', 'earlier']);

const shown = z.discriminatedUnion('is', [
  z.object({ is: z.literal('value'), value: json }),
  /** With `(sensitive)` in place of each secret part. */
  z.object({ is: z.literal('masked'), value: json }),
  z.object({ is: z.literal('hidden') }),
  z.object({ is: z.literal('absent') }),
  z.object({ is: z.literal('known after apply') }),
]);

const unit = z.enum(['bytes', 'nanocpus', 'nanoseconds']);
const unitOf = z.union([unit, z.record(z.string(), unit)]);

const change = z.object({
  path: z.string(),
  cause: z.enum([
    'create',
    'delete',
    'first managed',
    'drift',
    'edit',
    'conflict',
    'removed',
    'known after apply',
    'ignored',
    'unproven',
  ]),
  before: shown,
  after: shown,
  last: shown.optional(),
  /** The unit of the number, or of members of the value by their names; values are the platform's numbers. */
  unit: unitOf.optional(),
  summary: z.string().optional(),
  atDeploy: z.boolean(),
  forcesReplacement: z.boolean(),
  position: position.optional(),
});

const action = z.object({
  address: z.string(),
  kind: z.string(),
  action: actionName,
  id: z.string().optional(),
  parent: z.string().optional(),
  /** Addresses that this one depends on, also unchanged ones. */
  dependsOn: strings.optional(),
  /** The former address, which `moved:` replaces in the state. */
  movedFrom: z.string().optional(),
  /** Of a replacement: the new object comes before the old one goes. */
  createsBeforeDestroy: z.boolean().optional(),
  /** Its parent brings it. */
  comesWithParent: z.literal(true).optional(),
  /** No request of its own deletes it: the platform deletes it with its parent. */
  goesWithParent: z.literal(true).optional(),
  /** Of a deletion below another one: the address of the outermost object that the plan deletes, such as the service. */
  goesWith: z.string().optional(),
  /** Of a deletion: why. `block elsewhere`: a block of its kind and key is new at another address. */
  why: z.enum(['block removed', 'block elsewhere', 'replaced', 'destroy']).optional(),
  /** Of a deletion for `block elsewhere`: the address of that block. */
  elsewhere: z.string().optional(),
  /** Of a deployment: an earlier run started it. */
  underWay: z.literal(true).optional(),
  /** Number of requests that apply sends for it. */
  requests: int,
  /** Apply sends no request for it: only the state changes, or the object goes with its parent. */
  sendsNothing: z.literal(true).optional(),
  /** The actions that apply ends before it begins this one, as far as they send requests. */
  after: z.array(z.object({ address: z.string(), action: actionName })).optional(),
  changes: z.array(change),
  /** Of a deployment: what it puts into effect; left out for the first one. */
  because: strings.optional(),
  /** Of what goes: the names of its parts, such as `services`. */
  holds: z.record(z.string(), strings).optional(),
  /** A person asked for the replacement, with --replace. */
  asked: z.literal(true).optional(),
  dataAtRisk: z.string().optional(),
  protect: z.boolean().optional(),
  needsConsent: z.boolean(),
  notes: z.array(diagnostic),
  position: position.optional(),
});

/** The members of a head: where a document comes from. */
const about = {
  /** `emulator`, or the address. */
  platform: z.string().optional(),
  /** The version of the platform, where it tells it. */
  platformVersion: z.string().optional(),
  project: z.object({ id: z.string(), name: z.string().optional() }).optional(),
  /** `serial`: its version; left out while there is no state. */
  state: z.object({ location: z.string(), serial: int.optional() }).optional(),
  /**
   * `differing`: files of the manifest that the index of git does not have with the same content; `isClean`: they are proved
   * to be as the commit has them.
   */
  commit: z.object({ id: z.string(), differing: int.optional(), isClean: z.literal(true).optional() }).optional(),
};

/** What was compared with the platform, and what was not. */
const comparison = {
  /** Number of declared fields, and keys of maps, that were compared with the platform. */
  compared: int,
  /** Everything declared that was not compared, and why. */
  notCompared: z.array(
    z.object({
      address: z.string(),
      /** The field; left out for an object as a whole. */
      path: z.string().optional(),
      why: z.enum(['secret missing', 'not recorded', 'not returned', 'cannot be decrypted', 'left out']),
      /** Names of the secrets that the run does not have. */
      secrets: strings.optional(),
      position: position.optional(),
    }),
  ),
  /** Number of fields that differ on the platform and that apply leaves as they are: notes say why. */
  left: int,
  /** Number of fields that the platform ignores and that apply does not write again. */
  ignored: int,
};

/** What `plan` prints, and `apply` and `destroy` first. */
export const planDocument = document('plan', 2, {
  hasChanges: z.boolean(),
  /** `trueup destroy`: everything that the state holds goes. */
  destroys: z.literal(true).optional(),
  /** Numbers of actions by their names. */
  summary: z.partialRecord(actionName, int),
  /** Numbers of deletions; `along`: what goes with a deleted service, or another object above it. */
  deletes: z
    .object({
      environments: int,
      services: int,
      along: int,
      others: int,
    })
    .optional(),
  ...comparison,
  requests,
  ...about,
  /** Addresses of the services that restart. */
  restarts: strings.optional(),
  /** Secrets that get new values, by name: where, and the services that restart because of them. */
  rotated: z.array(z.object({ secret: z.string(), writtenAt: strings, restarts: strings })).optional(),
  /** Addresses of the services that are deleted and created again. */
  recreates: strings.optional(),
  /** Addresses of the services whose deployment an earlier run started. */
  waitsFor: strings.optional(),
  /** Addresses of the services with changes that need a deployment, which the plan does not include. */
  notDeployed: strings.optional(),
  /** Addresses of everything whose values were changed on the platform, and are overwritten. */
  overwrites: strings.optional(),
  /** Addresses of everything whose data is at risk. */
  dataAtRisk: strings.optional(),
  /** Number of objects of the project that neither the manifest nor the state names. */
  unmanaged: int.optional(),
  /** Of `apply` and `destroy`: the permissions that the command line gives. */
  allowed: z.object({ adoption: z.boolean(), dataLoss: z.boolean() }).optional(),
  /** In the order of the manifest; changes in the order of their lines. */
  actions: z.array(action),
  /** What a narrowed plan has, and the changes that it leaves out; `needs`: why, where no word names it. */
  narrowed: z
    .object({
      targets: strings,
      excludes: strings,
      leftOut: z.array(z.object({ address: z.string(), action: actionName, needs: z.string().optional() })),
      /** Services that keep the old values of secrets, by the names of those that have one; of a result, those that are written. */
      oldSecrets: z.array(z.object({ address: z.string(), secrets: strings, writtenAt: strings })).optional(),
    })
    .optional(),
  diagnostics,
});

/** The same in version 1, by an earlier Trueup. */
export const planDocument1 = planDocument
  .partial({ compared: true, notCompared: true, left: true, ignored: true })
  .extend({ version: z.literal(1), actions: z.array(action.partial({ requests: true })) });

/** An ISO day in UTC, such as 2026-07-05. */
const day = z.iso.date();

const acceptance = z.object({ until: day, because: z.string(), by: z.string() });

const findingName = z.enum(['drifted', 'missing', 'unmanaged', 'not yet applied', 'duplicate']);

const finding = z.object({
  /** Digest of kind, object and field: the same in every run and every format. */
  id: z.string(),
  is: findingName,
  address: z.string().optional(),
  kind: z.string(),
  objectId: z.string().optional(),
  name: z.string().optional(),
  /** The attribute, as in the changes of a plan; left out where the finding is about the object as a whole. */
  path: z.string().optional(),
  applied: shown.optional(),
  platform: shown.optional(),
  manifest: shown.optional(),
  /** The unit of the number, as in the changes of a plan. */
  unit: unitOf.optional(),
  /** What can be said of hidden text. */
  summary: z.string().optional(),
  /** Of drift: the manifest has a third value, which was never applied. */
  edited: z.literal(true).optional(),
  /** `expired`: was accepted until a day that has passed; counts as new. */
  status: z.enum(['new', 'known', 'accepted', 'expired', 'not yet applied']),
  /** The day on which a run found it first. */
  since: day.optional(),
  accepted: acceptance.optional(),
  /** The platform's value changed several times within 30 days. */
  flapping: z.object({ changes: int, since: day }).optional(),
  /** The line of the field, else of the block. */
  position: position.optional(),
  remedy: z.string(),
  /** The same, one by one; a command as a shell takes it. */
  remedies: z.array(z.object({ aim: z.string(), command: z.string().optional() })).optional(),
});

const findingKey = finding.pick({ id: true, is: true, address: true, path: true });

/** With what names an object without an address. */
const findingSubject = findingKey.extend({ kind: z.string(), objectId: z.string().optional() });

const receiverForm = z.enum(['json', 'slack', 'discord', 'teams']);

const driftSummary = z.object({
  new: int,
  known: int,
  accepted: int,
  expired: int,
  'not yet applied': int,
  ignored: int,
  resolved: int,
});

/** What `drift` prints. */
export const driftDocument = document('drift', 2, {
  /** 0: nothing new, and nothing known; 1: that too, and a notification failed; 2: new drift; 8: known or accepted drift only. */
  exitCode: z.literal([0, 1, 2, 8]),
  requests,
  ...about,
  /** `isUpdated`: this run wrote it. */
  memory: z.object({ location: z.string(), isUpdated: z.boolean() }),
  compared: comparison.compared,
  notCompared: comparison.notCompared,
  summary: driftSummary,
  /** By address, then by path; objects without an address last. */
  findings: z.array(finding),
  /** In the memory, and gone now. */
  resolved: z.array(findingSubject),
  /** With --full: what the rules under `drift.ignore` leave out. */
  ignored: z.array(findingSubject.extend({ because: z.string().optional() })).optional(),
  /** Receivers that confirmed a notification; left out where there is none. */
  notified: z.array(z.object({ as: receiverForm, host: z.string() })).optional(),
  diagnostics,
});

/** The same in version 1, by an earlier Trueup. */
export const driftDocument1 = driftDocument.partial({ compared: true, notCompared: true }).extend({
  version: z.literal(1),
  resolved: z.array(findingSubject.partial({ kind: true })),
  ignored: z.array(findingSubject.partial({ kind: true }).extend({ because: z.string().optional() })).optional(),
});

/** What a receiver of notifications gets, in the form json: no values, and no remedies. */
export const driftNotificationDocument = document('drift-notification', 1, {
  time: z.iso.datetime(),
  /** 0: nothing new, and nothing known; 2: new drift; 8: known or accepted drift only. */
  exitCode: z.literal([0, 2, 8]),
  ...about,
  /** The address of the run of the pipeline. */
  run: z.string().optional(),
  summary: driftSummary,
  /** New and expired ones first, then known and accepted ones; 100 at most. */
  findings: z.array(
    finding.pick({
      id: true,
      is: true,
      address: true,
      kind: true,
      objectId: true,
      name: true,
      path: true,
      status: true,
      since: true,
      position: true,
    }),
  ),
  /** In the memory, and gone now; 100 at most. */
  resolved: z.array(findingKey),
  /** Numbers of findings that are not listed: those above 100, and what is not yet applied. */
  omitted: z.object({ findings: int, resolved: int }),
});

/** What `drift accept` prints. */
export const driftAcceptDocument = document('drift-accept', 1, {
  memory: z.object({ location: z.string() }),
  accepted: z.array(findingKey.extend({ accepted: acceptance })),
});

const event = document('event', 1, { time: z.iso.datetime(), requests });

/** What `apply` and `destroy` print while they go on. */
export const eventDocument = z.discriminatedUnion('event', [
  event.extend({
    event: z.enum(['started', 'waiting', 'done', 'failed', 'unverified', 'skipped']),
    address: z.string(),
    action: actionName,
    kind: z.string(),
    for: waitsFor.optional(),
    seconds: z.number().optional(),
  }),
  event.extend({
    event: z.literal('heartbeat'),
    running: z.array(
      z.object({ address: z.string(), action: actionName, for: waitsFor.optional(), seconds: z.number() }),
    ),
  }),
]);

/** What `apply` and `destroy` print last. */
export const resultDocument = document('result', 2, {
  ending: z.enum(['done', 'failed', 'partly']),
  interrupted: z.boolean(),
  exitCode: int,
  requests,
  ...about,
  ...comparison,
  destroys: planDocument.shape.destroys,
  narrowed: planDocument.shape.narrowed,
  /** Secrets that got new values, by name: the services that run with theirs, and those that do not yet. */
  rotated: z.array(z.object({ secret: z.string(), restarted: strings, notRestarted: strings })).optional(),
  outcomes: z.array(
    z.object({
      address: z.string(),
      kind: z.string(),
      action: actionName,
      id: z.string().optional(),
      result: z.enum(['done', 'failed', 'skipped', 'ignored', 'unverified']),
      /** Why the run had stopped before it was its turn. */
      stopped: z.string().optional(),
      /** Number of requests that change it, as planned; those that only delete it do not count. */
      writes: int,
      diagnostics,
      position: position.optional(),
    }),
  ),
  /** Of the manifest, of the plan, and why the state could not be written. */
  diagnostics,
});

/** The same in version 1, by an earlier Trueup. */
export const resultDocument1 = resultDocument
  .partial({ compared: true, notCompared: true, left: true, ignored: true })
  .extend({
    version: z.literal(1),
    outcomes: z.array(resultDocument.shape.outcomes.element.partial({ writes: true })),
  });

/** What any command prints when it ends with an error. */
export const errorDocument = document('error', 1, {
  exitCode: int,
  diagnostics,
});

/** What `validate` prints when the manifest is valid. */
export const validationDocument = document('validation', 1, {
  resources: int,
  /** Secrets that the environment does not have: values that hold them were not checked. */
  secretsMissing: strings.optional(),
  diagnostics,
});

/** What `state list` prints. */
export const stateListDocument = document('state-list', 1, {
  serial: int.optional(),
  resources: z.array(z.object({ address: z.string(), kind: z.string(), id: z.string().nullable() })),
});

const stored = z.union([z.object({ value: z.json() }), z.object({ digest: z.literal(true) })]);

/** What `state show` prints. */
export const stateShowDocument = document('state-resource', 1, {
  address: z.string(),
  kind: z.string(),
  id: z.string().nullable(),
  parent: z.string().nullable(),
  dependsOn: strings,
  fields: z.record(z.string(), z.object({ wanted: stored, answered: stored, kept: z.boolean() })),
  options: z.record(z.string(), z.json()),
});

/** What `state mv` and `state rm` print. */
export const stateEditDocument = document('state-edit', 1, {
  serial: int,
  dryRun: z.boolean(),
  moved: z.array(z.object({ from: z.string(), to: z.string(), kind: z.string(), id: z.string().nullable() })),
  removed: z.array(
    z.object({ address: z.string(), kind: z.string(), id: z.string().nullable(), protected: z.boolean() }),
  ),
});

/** What `state unlock` prints: the holder that lost the lock, or null. */
export const unlockDocument = document('unlock', 1, {
  removed: z.object({ owner: z.string(), purpose: z.string(), since: z.string() }).nullable(),
});

/** What `state key` prints without `--print`. */
export const stateKeyDocument = document('state-key', 1, {
  state: z.string(),
  /** The variable or the file that has the key. */
  key: z.string(),
  /** The state has a new key. */
  rotated: z.boolean(),
  /** A state of an earlier version was written with a MAC. */
  migrated: z.boolean(),
});

/** What `state accept-older` prints. */
export const acceptOlderDocument = document('accept-older', 1, {
  /** The version of the state afterwards; left out where there is no state. */
  serial: int.optional(),
  /** false: the state is the newest one, and nothing was changed. */
  accepted: z.boolean(),
});

/** What `graph` prints. */
export const graphDocument = document('graph', 1, {
  /** Each after its parent. */
  resources: z.array(
    z.object({
      address: z.string(),
      kind: z.string(),
      parent: z.string().optional(),
      /** Addresses of its parent and of what its fields refer to. */
      dependsOn: strings,
      position,
    }),
  ),
});

/** What `emulate` prints when it listens. */
export const emulatorDocument = document('emulator', 1, {
  url: z.string(),
  apiKey: z.string(),
});

/** What `call --list` prints. The answer of a call is printed as it came, without a document around it. */
export const operationsDocument = document('operations', 1, {
  operations: z.array(
    z.object({
      operation: z.string(),
      method: z.enum(['GET', 'POST']),
      asksFirst: z.string().optional(),
      members: z.array(z.object({ name: z.string(), required: z.boolean(), secret: z.boolean(), takes: z.string() })),
    }),
  ),
});

/** What `run` prints. */
export const runDocument = document('run', 1, {
  verb: z.string(),
  exitCode: int,
  requests,
  outcomes: z.array(
    z.object({
      address: z.string(),
      kind: z.string(),
      id: z.string(),
      operation: z.string(),
      result: z.enum(['done', 'ordered', 'failed', 'not tried']),
      answer: z.json().optional(),
      status: z.string().optional(),
      renewed: z.object({ member: z.string(), value: z.string() }).optional(),
      diagnostics,
    }),
  ),
});

/** What `status` prints. */
export const statusDocument = document('status', 1, {
  requests,
  /** The version of the platform that the state remembers. */
  platformVersion: z.string().optional(),
  services: z.array(
    z.object({
      address: z.string(),
      kind: z.string(),
      id: z.string().nullable(),
      status: z.string().nullable(),
      found: z.boolean(),
      /** false: the platform serves no such kind, so nothing was read. */
      served: z.boolean().optional(),
      deployment: z
        .object({
          id: z.string(),
          status: z.string(),
          title: z.string().optional(),
          createdAt: z.string().optional(),
          finishedAt: z.string().optional(),
          errorMessage: z.string().optional(),
        })
        .optional(),
    }),
  ),
});

/** What `logs` prints. */
export const logsDocument = document('logs', 1, {
  address: z.string(),
  lines: strings,
});

/** What `output` prints; the value of a hidden one is the string `(sensitive)`. */
export const outputsDocument = document('outputs', 1, {
  outputs: z.record(z.string(), z.object({ value: z.string(), sensitive: z.boolean() })),
});

/** What `eval` prints: `(sensitive)` stands in place of what is secret or looks secret, unless `--show-secrets` is given. */
export const evaluationDocument = document('evaluation', 1, {
  value: z.json(),
  /** Something in it is secret, or looks like it. */
  sensitive: z.boolean(),
  /** What it refers to, and where that was read. */
  references: z.array(z.object({ name: z.string(), from: z.enum(['state', 'platform']) })),
});

/** What `export` and `init` print. */
export const exportDocument = document('export', 1, {
  project: z.string(),
  folder: z.string(),
  requests,
  resources: z.array(z.object({ address: z.string(), kind: z.string() })),
  files: strings,
  secrets: z.array(z.object({ name: z.string(), usedBy: strings })),
  secretsFile: z.string().optional(),
  diagnostics,
});

/** What `explain` prints. */
export const explanationDocument = document('explanation', 1, {
  code: z.string(),
  severity: z.enum(['error', 'warning', 'note']),
  meaning: z.string(),
  remedy: z.string(),
  /** The files of a manifest that has the mistake, and what a run reported. */
  examples: strings,
});

/** What `explain` prints of an address. */
export const addressDocument = document('address', 1, {
  address: z.string(),
  /** The field below it, where the address names one. */
  path: z.string().optional(),
  kind: z.string(),
  /** The page about its fields. */
  page: z.string(),
  /** Left out for what only the state has. */
  position: position.optional(),
  /** What changed its line last; left out where git does not know. */
  line: z
    .discriminatedUnion('is', [
      z.object({
        is: z.literal('committed'),
        commit: z.string(),
        author: z.string(),
        date: z.iso.date(),
        subject: z.string(),
      }),
      z.object({ is: z.literal('not committed') }),
    ])
    .optional(),
  dependsOn: strings,
  neededBy: strings,
  /** What the next plan does there; left out with --offline. */
  planned: z
    .object({
      requests,
      /** What the plan has to say about the address beside its actions. */
      diagnostics,
      actions: z.array(
        action.extend({
          /** What apply would send, in this order. */
          sends: z.array(
            z.object({
              operation: z.string(),
              method: z.string(),
              /** Members that change something. */
              changes: strings,
              /** Members that the operation requires beside them. */
              with: strings,
            }),
          ),
        }),
      ),
    })
    .optional(),
});

/** What `fmt` prints; `written`: the files that changed were written. */
export const formatDocument = document('format', 1, {
  written: z.boolean(),
  files: z.array(z.object({ path: z.string(), changed: z.boolean() })),
});

/** What `drift adopt` prints; `written`: the files were written. `diagnostics`: why others were not adopted. */
export const driftAdoptDocument = document('drift-adopt', 1, {
  written: z.boolean(),
  files: strings,
  adopted: z.array(z.object({ is: findingName, address: z.string(), path: z.string().optional(), file: z.string() })),
  /** Addresses of the services that the next apply deploys: what runs may not have these values. */
  deploys: strings,
  diagnostics,
});

/** What `doctor` prints. */
export const doctorDocument = document('doctor', 1, {
  exitCode: int,
  requests,
  checks: z.array(
    z.object({
      name: z.string(),
      is: z.enum(['good', 'warning', 'bad', 'unknown']),
      message: z.string(),
      details: strings.optional(),
      remedy: z.string().optional(),
    }),
  ),
});

/** Every document, for readers that do not know which one comes, of this version and of earlier ones. */
export const anyDocument = z.discriminatedUnion('format', [
  z.discriminatedUnion('version', [planDocument, planDocument1]),
  z.discriminatedUnion('version', [driftDocument, driftDocument1]),
  driftAcceptDocument,
  driftAdoptDocument,
  eventDocument,
  z.discriminatedUnion('version', [resultDocument, resultDocument1]),
  errorDocument,
  validationDocument,
  stateListDocument,
  stateShowDocument,
  stateEditDocument,
  graphDocument,
  emulatorDocument,
  operationsDocument,
  runDocument,
  statusDocument,
  doctorDocument,
  logsDocument,
  unlockDocument,
  stateKeyDocument,
  acceptOlderDocument,
  outputsDocument,
  evaluationDocument,
  exportDocument,
  explanationDocument,
  addressDocument,
  formatDocument,
]);

/** The words for what happens to a resource. */
export type ActionName = Frozen<z.output<typeof actionName>>;
/** A report about one thing, as a document has it. */
/** A document that no view changes. */
type Frozen<T> = Json extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Frozen<T[K]> }
      : T;

export type DiagnosticDocument = Frozen<z.output<typeof diagnostic>>;
/** A value as people may see it. */
export type Shown = Frozen<z.output<typeof shown>>;
export type PlanDocument = Frozen<z.output<typeof planDocument>>;
export type DriftDocument = Frozen<z.output<typeof driftDocument>>;
export type DriftAdoptDocument = Frozen<z.output<typeof driftAdoptDocument>>;
export type DriftNotificationDocument = Frozen<z.output<typeof driftNotificationDocument>>;
export type DriftAcceptDocument = Frozen<z.output<typeof driftAcceptDocument>>;
export type EventDocument = Frozen<z.output<typeof eventDocument>>;
export type ResultDocument = Frozen<z.output<typeof resultDocument>>;
export type ErrorDocument = Frozen<z.output<typeof errorDocument>>;
export type ValidationDocument = Frozen<z.output<typeof validationDocument>>;
export type StateListDocument = Frozen<z.output<typeof stateListDocument>>;
export type StateShowDocument = Frozen<z.output<typeof stateShowDocument>>;
export type GraphDocument = Frozen<z.output<typeof graphDocument>>;
export type EmulatorDocument = Frozen<z.output<typeof emulatorDocument>>;
export type OperationsDocument = Frozen<z.output<typeof operationsDocument>>;
export type RunDocument = Frozen<z.output<typeof runDocument>>;
export type StatusDocument = Frozen<z.output<typeof statusDocument>>;
export type DoctorDocument = Frozen<z.output<typeof doctorDocument>>;
export type StateEditDocument = Frozen<z.output<typeof stateEditDocument>>;
export type UnlockDocument = Frozen<z.output<typeof unlockDocument>>;
export type StateKeyDocument = Frozen<z.output<typeof stateKeyDocument>>;
export type AcceptOlderDocument = Frozen<z.output<typeof acceptOlderDocument>>;
export type LogsDocument = Frozen<z.output<typeof logsDocument>>;
export type ExplanationDocument = Frozen<z.output<typeof explanationDocument>>;
export type AddressDocument = Frozen<z.output<typeof addressDocument>>;
export type FormatDocument = Frozen<z.output<typeof formatDocument>>;
export type OutputsDocument = Frozen<z.output<typeof outputsDocument>>;
export type EvaluationDocument = Frozen<z.output<typeof evaluationDocument>>;
export type ExportDocument = Frozen<z.output<typeof exportDocument>>;
