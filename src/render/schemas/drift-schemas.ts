import * as z from 'zod';
import {
  type Frozen,
  head,
  comparison,
  diagnostics,
  document,
  int,
  position,
  requests,
  shown,
  single,
  strings,
  unitOf,
} from './schema-parts.ts';

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
  single,
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
  /** 0: nothing new, and nothing known; 1: that too, and a notification failed or a field could not be read; 2: new drift; 8: known or accepted drift only. */
  exitCode: z.literal([0, 1, 2, 8]),
  requests,
  ...head,
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
  ...head,
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

/** What `drift adopt` prints; `written`: the files were written. `diagnostics`: why others were not adopted. */
export const driftAdoptDocument = document('drift-adopt', 1, {
  written: z.boolean(),
  files: strings,
  adopted: z.array(z.object({ is: findingName, address: z.string(), path: z.string().optional(), file: z.string() })),
  /** Addresses of the services that the next apply deploys: what runs may not have these values. */
  deploys: strings,
  /** With --everywhere: other root files, each with the addresses whose blocks change in it too; `removed`: go from it. */
  others: z.array(z.object({ file: z.string(), addresses: strings, removed: strings.optional() })).optional(),
  diagnostics,
});

export type DriftDocument = Frozen<z.output<typeof driftDocument>>;
export type DriftAdoptDocument = Frozen<z.output<typeof driftAdoptDocument>>;
export type DriftNotificationDocument = Frozen<z.output<typeof driftNotificationDocument>>;
export type DriftAcceptDocument = Frozen<z.output<typeof driftAcceptDocument>>;
