import * as z from 'zod';
import {
  type Frozen,
  head,
  comparison,
  action,
  actionName,
  diagnostics,
  document,
  int,
  position,
  requests,
  strings,
  waitsFor,
} from './schema-parts.ts';

/** What `plan` prints, and `apply` and `destroy` first. */
export const planDocument = document('plan', 2, {
  hasChanges: z.boolean(),
  /** `trueup destroy`: everything that the state holds goes. */
  destroys: z.literal(true).optional(),
  /** Numbers of actions by their names. */
  summary: z.partialRecord(actionName, int),
  /** Numbers of deletions; `along`: what is below a deleted service, or below another deleted object. */
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
  ...head,
  /** Addresses of the services that restart. */
  restarts: strings.optional(),
  /**
   * Secrets that get new values, by name: where, the services that restart because of them, the services that change first
   * because others connect to them with the secret, and those others.
   */
  rotated: z
    .array(
      z.object({
        secret: z.string(),
        writtenAt: strings,
        restarts: strings,
        changedFirst: strings.optional(),
        clients: strings.optional(),
      }),
    )
    .optional(),
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
  ...head,
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

export type PlanDocument = Frozen<z.output<typeof planDocument>>;
export type EventDocument = Frozen<z.output<typeof eventDocument>>;
export type ResultDocument = Frozen<z.output<typeof resultDocument>>;
