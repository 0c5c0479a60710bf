import * as z from 'zod';
import {
  type Frozen,
  action,
  diagnostics,
  document,
  int,
  position,
  requests,
  single,
  strings,
} from './schema-parts.ts';

/** What any command prints when it ends with an error. */
export const errorDocument = document('error', 1, {
  exitCode: int,
  diagnostics,
});

/** What a run for several root files prints: what each of them prints alone. */
export const stagesDocument = document('stages', 1, {
  exitCode: int,
  /** In the order of the command line; each with the documents that it printed, which have a form of their own. */
  stages: z.array(
    z.object({
      stage: z.string(),
      file: z.string(),
      exitCode: int,
      documents: z.array(z.looseObject({ format: z.string() })),
    }),
  ),
  /** Stages that were not begun, because one before them failed. */
  notRun: strings.optional(),
});

/** What `validate` prints when the manifest is valid. */
export const validationDocument = document('validation', 1, {
  resources: int,
  /** Secrets that the environment does not have: values that hold them were not checked. */
  secretsMissing: strings.optional(),
  /** Those of them that no sealed file has, where the manifest declares no other source. */
  secretsUnsealed: strings.optional(),
  /** Variables that a command line gives to each preview: values that hold them were not checked. */
  variablesMissing: strings.optional(),
  diagnostics,
});

/** What the commands of `secret` print; `written`: the sealed files that changed. */
export const secretsDocument = document('secrets', 1, {
  written: strings,
  secrets: z.array(
    z.object({
      name: z.string(),
      file: z.string().nullable(),
      /** The variable of the environment that gives the value, before any file; `secret list` alone looks for it. */
      variable: z.string().nullable(),
      uses: strings,
      sealedForAll: z.boolean(),
    }),
  ),
});

/** What `preview list` and `preview prune` print. */
export const previewsDocument = document('previews', 1, {
  previews: z.array(
    z.object({ id: z.string(), environment: z.string(), applied: z.string(), until: z.string().nullable() }),
  ),
  /** Environments that are called like previews, and that no state has. */
  strays: z.array(z.object({ name: z.string(), id: z.string() })),
  removed: z.array(z.object({ id: z.string(), because: z.string() })),
  failed: z.array(z.object({ id: z.string(), diagnostics })),
});

/** What `graph` prints. */
export const graphDocument = document('graph', 1, {
  /** Each after its parent. */
  resources: z.array(
    z.object({
      address: z.string(),
      kind: z.string(),
      single,
      parent: z.string().optional(),
      /** Addresses of its parent and of what its fields refer to. */
      dependsOn: strings,
      /** Addresses of the services in its `after:`. */
      after: strings.optional(),
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

/** A place that gives a value; `hole`: where a template has the parameter; `reset`: the `!reset` that it stands behind. */
const valuePlace = z.object({
  is: z.enum(['changes', 'block', 'template', 'parameter', 'default']),
  /** The name of the template, or of the parameter. */
  name: z.string().optional(),
  position,
  hole: position.optional(),
  reset: position.optional(),
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
  /** Addresses of the services in its `after:`. */
  deploysAfter: strings.optional(),
  /** What its block has, and a preview does not: backups, volumeBackups, protect. */
  leftOut: strings.optional(),
  /** Where its values come from; left out in a manifest without stages, templates and changes. */
  values: z
    .array(
      z.object({
        path: z.string(),
        /** The one that counts first, then those that it stands over; none for a field that `!reset` takes out. */
        places: z.array(valuePlace),
        /** The variables and parameters in its text: the place of the value, or the option that gives it. */
        uses: z.array(
          z.object({ expression: z.string(), from: z.union([z.object({ position }), z.object({ by: z.string() })]) }),
        ),
        reset: position.optional(),
      }),
    )
    .optional(),
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

const checks = z.array(
  z.object({
    name: z.string(),
    is: z.enum(['good', 'warning', 'bad', 'unknown']),
    message: z.string(),
    details: strings.optional(),
    remedy: z.string().optional(),
  }),
);

/** What `doctor` prints. */
export const doctorDocument = document('doctor', 1, { exitCode: int, requests, checks });

/** What `controller doctor` prints. */
export const controllerDoctorDocument = document('controller-doctor', 1, { exitCode: int, checks });

const enrolled = z.object({ id: z.string(), is: z.enum(['added', 'changed', 'same', 'removed']) });

/** What `controller enrol` and `controller remove` print; without `platform` and `source`, nothing was written. */
export const enrolmentDocument = document('enrolment', 1, {
  checks,
  platform: enrolled.optional(),
  source: enrolled.extend({ webhook: z.string().optional(), left: strings.optional() }).optional(),
});

/** What `controller migrate` prints. */
export const migrationDocument = document('controller-migration', 1, { migrations: strings });

/** What `controller key` prints. */
export const controllerKeyDocument = document('controller-key', 1, { key: z.string() });

/** What `controller work` and `controller serve` print when they run: whether runs are worked, and the address of the page. */
export const controllerDocument = document('controller', 1, { works: z.boolean(), page: z.string().optional() });

export type StagesDocument = Frozen<z.output<typeof stagesDocument>>;
export type ErrorDocument = Frozen<z.output<typeof errorDocument>>;
export type ValidationDocument = Frozen<z.output<typeof validationDocument>>;
export type PreviewsDocument = Frozen<z.output<typeof previewsDocument>>;
export type SecretsDocument = Frozen<z.output<typeof secretsDocument>>;
export type GraphDocument = Frozen<z.output<typeof graphDocument>>;
export type EmulatorDocument = Frozen<z.output<typeof emulatorDocument>>;
export type OperationsDocument = Frozen<z.output<typeof operationsDocument>>;
export type RunDocument = Frozen<z.output<typeof runDocument>>;
export type StatusDocument = Frozen<z.output<typeof statusDocument>>;
export type DoctorDocument = Frozen<z.output<typeof doctorDocument>>;
export type ControllerDoctorDocument = Frozen<z.output<typeof controllerDoctorDocument>>;
export type EnrolmentDocument = Frozen<z.output<typeof enrolmentDocument>>;
export type MigrationDocument = Frozen<z.output<typeof migrationDocument>>;
export type ControllerKeyDocument = Frozen<z.output<typeof controllerKeyDocument>>;
export type ControllerDocument = Frozen<z.output<typeof controllerDocument>>;
export type LogsDocument = Frozen<z.output<typeof logsDocument>>;
export type ExplanationDocument = Frozen<z.output<typeof explanationDocument>>;
export type AddressDocument = Frozen<z.output<typeof addressDocument>>;
export type FormatDocument = Frozen<z.output<typeof formatDocument>>;
export type OutputsDocument = Frozen<z.output<typeof outputsDocument>>;
export type EvaluationDocument = Frozen<z.output<typeof evaluationDocument>>;
export type ExportDocument = Frozen<z.output<typeof exportDocument>>;
