import type { PlanDocument } from '../documents.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { renderPlan } from '../plan-text.ts';
import { printable } from '../printable.ts';
import { textView } from '../text-view.ts';

/** The result of `import`: the object at the address, and the plan of the next apply. */
interface ImportResult {
  readonly plan: PlanDocument;
  readonly address: string;
  readonly id: string;
}

/** Prints what `import` reports. */
export interface ImportView extends View {
  readonly imported: (result: ImportResult) => void;
}

/** The formats of `import`. */
export const importFormats: Formats<ImportView> = {
  text: (screen) => ({
    ...textView(screen),
    imported: ({ address, id, plan }) => {
      screen.out(`Adopted ${printable(id)} at ${printable(address)}. The next apply would do this:\n\n`);
      screen.out(renderPlan(plan, screen.outStyle));
    },
  }),
  json: (screen) => ({ ...jsonView(screen), imported: ({ plan }) => printJson(screen, plan) }),
};
