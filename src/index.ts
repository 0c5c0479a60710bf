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
export type { Manifest, ManifestOptions } from './library/manifest.ts';
export { validate } from './library/manifest.ts';
export type { Platform, PlatformOptions } from './library/platform.ts';
export { platformAt } from './library/platform.ts';
export type { Plan } from './library/plan.ts';
export { planDocument, planFile, planText } from './library/plan.ts';
export type { Result } from './library/result.ts';
export { resultDocument, resultText } from './library/result.ts';
export type { DriftOptions, PlanOptions, Session } from './library/session.ts';
export { drift, plan, session } from './library/session.ts';
export type { ApplyRequest, Project } from './library/project.ts';
export { open } from './library/project.ts';

export type { ApplyOptions, SessionOptions } from './workflow/session.ts';
export type { Permissions } from './plan/safeguard.ts';
export type { Deploying } from './apply/run.ts';
export type { ApplyEvent } from './apply/job.ts';
export type { Environment } from './project/folder.ts';

export type { Failure } from './api/errors.ts';
export { PlatformError } from './api/errors.ts';
export type { Code } from './diagnostics/codes.ts';
export type { Diagnostic, Position } from './diagnostics/diagnostic.ts';
export { Stop } from './diagnostics/diagnostic.ts';

export { manifestSchema } from './manifest/json-schema.ts';
export type { DriftDocument, PlanDocument, ResultDocument } from './render/documents.ts';
