import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { DriftAcceptView, DriftView } from '../drift-json.ts';
import { diagnosticsInOrder } from '../canonical.ts';
import { driftAcceptJson, driftJson } from '../drift-json.ts';
import { renderDrift, renderDriftAccept } from '../drift-text.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { textView } from '../text-view.ts';

/** The result of `drift`. */
interface DriftResult extends DriftView {
  /** Warnings of the manifest, which people have read on stderr. */
  readonly warnings: readonly Diagnostic[];
}

/** Prints what `drift` reports. */
export interface DriftCommandView extends View {
  readonly drift: (result: DriftResult) => void;
}

const reports = () => import('./drift-reports.ts');

/** The formats of `drift`. */
export const driftFormats: Formats<DriftCommandView> = {
  text: (screen) => ({
    ...textView(screen),
    drift: (result) => screen.out(renderDrift(result, screen.outStyle)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    drift: (result) => printJson(screen, driftJson(withDriftWarnings(result))),
  }),
  markdown: async (screen) => (await reports()).markdown(screen),
  sarif: async (screen) => (await reports()).sarif(screen),
  junit: async (screen) => (await reports()).junit(screen),
  html: async (screen) => (await reports()).html(screen),
};

/** What was found, with the warnings of the manifest among its diagnostics. */
export function withDriftWarnings({ drift, warnings, ...view }: DriftResult): DriftView {
  return { ...view, drift: { ...drift, diagnostics: diagnosticsInOrder([...warnings, ...drift.diagnostics]) } };
}

/** Prints what `drift accept` reports. */
export interface DriftAcceptCommandView extends View {
  readonly accepted: (result: DriftAcceptView) => void;
}

/** The formats of `drift accept`. */
export const driftAcceptFormats: Formats<DriftAcceptCommandView> = {
  text: (screen) => ({
    ...textView(screen),
    accepted: (result) => screen.out(renderDriftAccept(result, screen.outStyle)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    accepted: (result) => printJson(screen, driftAcceptJson(result)),
  }),
};
