import type { Check } from '../../operate/examine.ts';
import { doctorJson, renderChecks } from '../doctor.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { textView } from '../text-view.ts';

/** Prints what `doctor` finds. */
export interface DoctorView extends View {
  readonly checks: (
    checks: readonly Check[],
    counts: { readonly reads: number; readonly writes: number },
    exitCode: number,
  ) => void;
}

/** The formats of `doctor`. */
export const doctorFormats: Formats<DoctorView> = {
  text: (screen) => ({
    ...textView(screen),
    checks: (checks) => screen.out(renderChecks(checks, screen.outStyle)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    checks: (...shown) => printJson(screen, doctorJson(...shown)),
  }),
};
