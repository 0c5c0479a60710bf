import type { DriftDocument } from '../render/document-schemas.ts';
import { type Handle, createHandles } from './handle.ts';
import type { Plan } from './plan-handle.ts';

/** What a comparison found, to be read as a document, and the plan that puts it right. */
export type Drift = Handle<'drift'>;

const handles = createHandles<'drift', { readonly document: DriftDocument; readonly plan: Plan }>('drift');

/** Keeps what users may know of a comparison. Never throws. */
export function keepDrift(document: DriftDocument, plan: Plan): Drift {
  return handles.make({ document, plan });
}

/** What was found as the document `trueup/drift`, version 2. @throws {TypeError} when it is none of Trueup. */
export function driftDocument(drift: Drift): DriftDocument {
  return handles.read(drift).document;
}

/**
 * The plan that the comparison was made from: it writes back what drifted, and what the manifest says beside that and was not
 * applied yet. @throws {TypeError} when it is none of Trueup.
 */
export function driftPlan(drift: Drift): Plan {
  return handles.read(drift).plan;
}
