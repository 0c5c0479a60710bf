import type { DriftAcceptDocument, DriftDocument } from '../documents.ts';
import { renderDrift, renderDriftAccept } from '../drift-text.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { textView } from '../text-view.ts';
import { styleFor } from './plan.ts';

/** The result of `drift`. */
interface DriftResult {
  readonly drift: DriftDocument;
  /** Nothing is cut short. */
  readonly isFull: boolean;
  /** The command line that applies. */
  readonly applying: string;
  /** The command line that shows all that was found. */
  readonly showing: string;
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
    drift: ({ drift, applying, isFull }) => screen.out(renderDrift(drift, applying, styleFor(isFull, screen.outStyle))),
  }),
  json: (screen) => ({ ...jsonView(screen), drift: ({ drift }) => printJson(screen, drift) }),
  markdown: async (screen) => (await reports()).markdown(screen),
  sarif: async (screen) => (await reports()).sarif(screen),
  junit: async (screen) => (await reports()).junit(screen),
  html: async (screen) => (await reports()).html(screen),
};

/** Prints what `drift accept` reports. */
export interface DriftAcceptCommandView extends View {
  readonly accepted: (document: DriftAcceptDocument) => void;
}

/** The formats of `drift accept`. */
export const driftAcceptFormats: Formats<DriftAcceptCommandView> = {
  text: (screen) => ({
    ...textView(screen),
    accepted: (document) => screen.out(renderDriftAccept(document, screen.outStyle)),
  }),
  json: (screen) => ({ ...jsonView(screen), accepted: (document) => printJson(screen, document) }),
};
