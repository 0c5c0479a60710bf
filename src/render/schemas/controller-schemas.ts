import * as z from 'zod';
import { type Frozen, actionName, document, int, strings } from './schema-parts.ts';
import { driftDocument } from './drift-schemas.ts';
import { planDocument, resultDocument } from './plan-schemas.ts';

/** The documents of `/api/v1` of a controller. Moments are texts of ISO 8601. */

const labels = z.record(z.string(), z.string());

const stack = z.object({
  id: z.string(),
  source: z.string(),
  path: z.string(),
  platform: z.string(),
  policy: z.enum(['automatic', 'approval', 'never']),
  labels,
  state: z.enum([
    'failed',
    'no worker',
    'approval',
    'drifted',
    'ending',
    'running',
    'approved',
    'refused',
    'wave',
    'planned',
    'behind',
    'paused',
    'in step',
    'gone',
  ]),
  /** Of a preview: the number of its pull request, where it answers, and until when it stays. */
  pull: z.number().optional(),
  addresses: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
  lastsUntil: z.string().optional(),
  /** The commit that its source has, and the one that the platform was last in step with. */
  wanted: z.string().optional(),
  applied: z.string().optional(),
  lookedAt: z.string().optional(),
  problem: z.string().optional(),
  paused: z.object({ until: z.string(), by: z.string(), because: z.string() }).optional(),
  /** The plan that waits. */
  plan: z
    .object({
      digest: z.string(),
      commit: z.string(),
      cause: z.enum(['commit', 'drift']),
      madeAt: z.string(),
      summary: z.partialRecord(actionName, int),
      /** A person has to approve it, by the policy of the stack or by what the plan does. */
      needsApproval: z.boolean(),
      isApproved: z.boolean().optional(),
      /** Why it takes the place of a plan that was approved. */
      because: z.string().optional(),
    })
    .optional(),
  /** The wave that does not let the commit in yet. */
  wave: z.string().optional(),
  /** The run that goes on. */
  run: z.object({ id: z.string(), kind: z.string(), beganAt: z.string() }).optional(),
  /** Its page. */
  address: z.string(),
});

const run = z.object({
  id: z.string(),
  kind: z.string(),
  cause: z.string(),
  commit: z.string(),
  plan: z.string().optional(),
  beganAt: z.string(),
  endedAt: z.string().optional(),
  ending: z.string().optional(),
  verdicts: z.array(z.object({ who: z.string(), approves: z.boolean(), because: z.string() })),
  address: z.string(),
});

/** What `GET /api/v1/stacks` gives: a part of a list. */
export const controllerStacksDocument = document('controller-stacks', 1, {
  /** How many match, on all parts together. */
  found: int,
  stacks: z.array(stack),
  /** `after` of the next part; left out of the last one. */
  next: z.string().optional(),
});

/** What `GET /api/v1/stacks/ID` gives, and what an act on it answers. */
export const controllerStackDocument = document('controller-stack', 1, { stack, runs: z.array(run) });

/** What `GET /api/v1/plans/DIGEST` gives, and what a verdict on it answers. */
export const controllerPlanDocument = document('controller-plan', 1, {
  digest: z.string(),
  stack: z.string(),
  commit: z.string(),
  cause: z.enum(['commit', 'drift']),
  /**
   * `waits`: for an approval; `wave`, `paused`: for its wave, for the end of a pause; `next`: the next free worker applies it by the
   * policy; `failed`: its run did not do all of it; `outdated`: its stack wants another commit; `ended`: its policy applies none.
   */
  state: z.enum([
    'waits',
    'wave',
    'paused',
    'approved',
    'next',
    'refused',
    'runs',
    'applied',
    'failed',
    'superseded',
    'outdated',
    'expired',
    'ended',
    'gone',
  ]),
  madeAt: z.string(),
  expiresAt: z.string(),
  verdicts: z.array(
    z.object({ who: z.string(), role: z.string(), approves: z.boolean(), because: z.string(), at: z.string() }),
  ),
  /** The run that applies it, or did. */
  run: z.string().optional(),
  /** Addresses of what loses data: an approval needs `dataLoss`. */
  dataLoss: strings,
  plan: planDocument,
  address: z.string(),
});

/** What `GET /api/v1/runs/ID` gives. */
export const controllerRunDocument = document('controller-run', 1, {
  stack: z.string(),
  run,
  /** What it applies. */
  plan: planDocument.optional(),
  /** How far it is, as long as it goes on. */
  progress: z
    .object({
      /** Actions; those that are over, that run, and that failed. */
      all: int,
      over: int,
      running: int,
      failed: int,
      actions: z.array(
        z.object({
          /** Of a deployment, that of its service. */
          address: z.string(),
          action: actionName,
          stage: z.enum(['to come', 'started', 'waiting', 'done', 'failed', 'unverified', 'skipped']),
          /** What a deployment waits for. */
          waitsFor: z.enum(['queue', 'deployment', 'answer', 'earlier', 'health', 'probe']).optional(),
          /** How long it took, or has been running. */
          seconds: z.number().optional(),
        }),
      ),
    })
    .optional(),
  /** What it made. */
  document: z.union([planDocument, resultDocument, driftDocument]).optional(),
});

/** What `GET /api/v1/events` gives, the last first. */
export const controllerEventsDocument = document('controller-events', 1, {
  events: z.array(
    z.object({
      id: z.string(),
      at: z.string(),
      who: z.string(),
      what: z.string(),
      subject: z.string(),
      about: z.record(z.string(), z.json()),
    }),
  ),
  /** `before` of the next part; left out of the last one. */
  next: z.string().optional(),
});

export type ControllerStacksDocument = Frozen<z.output<typeof controllerStacksDocument>>;
export type ControllerStackDocument = Frozen<z.output<typeof controllerStackDocument>>;
export type ControllerPlanDocument = Frozen<z.output<typeof controllerPlanDocument>>;
export type ControllerRunDocument = Frozen<z.output<typeof controllerRunDocument>>;
export type ControllerEventsDocument = Frozen<z.output<typeof controllerEventsDocument>>;
