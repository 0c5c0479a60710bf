/**
 * Trueup as a library: the functions behind the command line. Other entry points: `trueup/api` (the typed client of the
 * platform), `trueup/emulator`, `trueup/state` (storages of a state), `trueup/kinds` (kinds of resources) and
 * `trueup/documents` (schemas of the JSON documents).
 *
 * ```ts
 * import { open, planDocument } from 'trueup';
 *
 * const project = await open('infra');
 * const plan = await project.plan();
 * if (planDocument(plan).hasChanges) await project.apply({ plan });
 * await project.close();
 * ```
 */

export type { Handle } from './library/handle.ts';
export type { Drift } from './library/drift-handle.ts';
export { driftDocument, driftPlan } from './library/drift-handle.ts';
export type { Manifest, ManifestDocument, ManifestOptions } from './library/manifest-handle.ts';
export { manifestDocument, validate } from './library/manifest-handle.ts';
export type { Platform, PlatformOptions } from './library/platform-handle.ts';
export { platformAt } from './library/platform-handle.ts';
export type { Plan } from './library/plan-handle.ts';
export { planDocument, planFile, planText } from './library/plan-handle.ts';
export type { Result } from './library/result-handle.ts';
export { resultDocument, resultText } from './library/result-handle.ts';
export type { PooledState, StateLocation, StateOptions } from './library/state-handle.ts';
export { stateAt } from './library/state-handle.ts';
export type { DriftOptions, Output, Places, PlanOptions, Session, SessionOptions } from './library/run-session.ts';
export { drift, follow, outputs, plan, session } from './library/run-session.ts';
export type { Adoption } from './library/adopt-drift.ts';
export { adopt } from './library/adopt-drift.ts';
export type { ApplyRequest, FollowRequest, Project } from './library/open-project-folder.ts';
export { open } from './library/open-project-folder.ts';

export type { ApplyOptions } from './workflow/session.ts';
export type { Permissions } from './plan/safeguard.ts';
export type { ApplyEvent } from './apply/job.ts';
export type { Environment } from './project/folder.ts';

export type { Failure } from './api/platform-error.ts';
export { PlatformError } from './api/platform-error.ts';
export type { Code } from './diagnostics/codes.ts';
export type { Diagnostic, LockHolder, Position } from './diagnostics/diagnostic.ts';
export { Stop } from './diagnostics/diagnostic.ts';

export { manifestSchema } from './manifest/json-schema.ts';
export type { DriftDocument, PlanDocument, ResultDocument } from './render/document-schemas.ts';
