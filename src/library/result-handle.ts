import type { ApplyResult } from '../apply/job.ts';
import { appliedPlan, resultDocument as documentOf } from '../documents/result-document.ts';
import type { PlanDocument, ResultDocument } from '../render/document-schemas.ts';
import { resultViews } from '../render/views.ts';
import { type Handle, createHandles } from './handle.ts';

/** The result of an apply, to be read as a document. */
export type Result = Handle<'result'>;

const handles = createHandles<'result', ResultDocument>('result');

/** Keeps what users may know of a result. Never throws. */
export function keepResult(
  result: ApplyResult,
  about: {
    readonly plan: PlanDocument;
    readonly counts: { readonly reads: number; readonly writes: number };
    readonly isInterrupted: boolean;
  },
): Result {
  return handles.make(documentOf({ ...about, plan: appliedPlan(about.plan), result }));
}

/** The result as the document `trueup/result`, version 2. @throws {TypeError} when it is no result of Trueup. */
export function resultDocument(result: Result): ResultDocument {
  return handles.read(result);
}

/** The result as `trueup apply` prints it, without colour. @throws {TypeError} when it is no result of Trueup. */
export function resultText(result: Result): string {
  return resultViews.text(handles.read(result));
}
