import type { ApplyResult } from '../apply/job.ts';
import type { Plan as MadePlan } from '../plan/action.ts';
import { renderResult } from '../render/apply-text.ts';
import type { ResultDocument } from '../render/documents.ts';
import { exitCodes, stopExits } from '../render/exit-codes.ts';
import { printed } from '../render/printable.ts';
import { endingOf } from '../render/result.ts';
import { resultJson } from '../render/result-json.ts';
import { plainStyle } from '../render/style.ts';
import type { Handle } from './handle.ts';
import { createHandles } from './handle.ts';

/** The result of an apply, to be read as a document. */
export type Result = Handle<'result'>;

const handles = createHandles<'result', { readonly document: ResultDocument; readonly text: string }>('result');

/** Keeps what users may know of a result. Never throws. */
export function keepResult(
  result: ApplyResult,
  about: {
    readonly made: MadePlan;
    readonly counts: { readonly reads: number; readonly writes: number };
    readonly isInterrupted: boolean;
  },
): Result {
  const { made, counts, isInterrupted } = about;
  const { unsaved } = result;
  const ending = endingOf(result);
  const exit = unsaved === undefined ? ending : stopExits[unsaved.failure];
  const view = { result, ending, isInterrupted, narrowed: made.narrowed, counts: { ...counts } };
  const diagnostics = [
    ...made.diagnostics,
    ...made.actions.flatMap(({ notes }) => notes),
    ...(unsaved?.diagnostics ?? []),
  ];
  return handles.make({
    document: resultJson(view, exitCodes[exit].code, diagnostics),
    text: printed(renderResult(view, plainStyle)),
  });
}

/** The result as the document `trueup/result`, version 1. @throws {TypeError} when it is no result of Trueup. */
export function resultDocument(result: Result): ResultDocument {
  return handles.read(result).document;
}

/** The result as `trueup apply` prints it, without colour. @throws {TypeError} when it is no result of Trueup. */
export function resultText(result: Result): string {
  return handles.read(result).text;
}
