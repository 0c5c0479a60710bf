import type { PlanDocument } from '../documents.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { renderPlan } from '../plan-text.ts';
import { printable } from '../printable.ts';
import type { Style } from '../style.ts';
import { textView } from '../text-view.ts';

/** The result of `plan`. */
interface PlanResult {
  readonly plan: PlanDocument;
  /** Nothing is cut short. */
  readonly isFull: boolean;
  /** The file that the plan was saved to. */
  readonly savedTo: string | undefined;
  /** The command line that applies that file. */
  readonly command: string;
  /** The command line that shows all of the plan. */
  readonly showing: string;
}

/** Prints what `plan` reports. */
export interface PlanCommandView extends View {
  readonly plan: (result: PlanResult) => void;
}

const reports = () => import('./plan-reports.ts');

/** The formats of `plan`. */
export const planFormats: Formats<PlanCommandView> = {
  text: (screen) => ({
    ...textView(screen),
    plan: ({ plan, isFull, savedTo, command }) => {
      screen.out(renderPlan(plan, styleFor(isFull, screen.outStyle)));
      if (savedTo === undefined) return;
      const name = printable(savedTo);
      screen.out(`Saved to ${name}. To apply this plan and nothing else, run:\n  ${printable(command)}\n`);
    },
  }),
  json: (screen) => ({ ...jsonView(screen), plan: ({ plan }) => printJson(screen, plan) }),
  markdown: async (screen) => (await reports()).markdown(screen),
  sarif: async (screen) => (await reports()).sarif(screen),
  junit: async (screen) => (await reports()).junit(screen),
  html: async (screen) => (await reports()).html(screen),
};

/** A style in which nothing is cut short, where that is asked for. */
export function styleFor(isFull: boolean, style: Style): Style {
  return isFull ? { ...style, isFull } : style;
}
