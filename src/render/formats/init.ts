import type { Formats } from '../format.ts';
import { printable } from '../printable.ts';
import type { ExportView } from './export.ts';
import { exportFormats } from './export.ts';

/** Prints what `init` reports: what there is, the export, and what to do next. */
export interface InitView extends ExportView {
  readonly found: (what: { readonly project: string; readonly kinds: ReadonlyMap<string, number> }) => void;
  readonly ready: (about: {
    readonly folder: string;
    readonly file: string;
    readonly isExported: boolean;
    /** The key was typed: later runs need it from the environment. */
    readonly needsKey: boolean;
  }) => void;
}

/** The formats of `init`. */
export const initFormats: Formats<InitView> = {
  text: (screen) => ({
    ...exportFormats.text(screen),
    found: ({ project, kinds }) => {
      const counts = [...kinds].map(([section, count]) => `${count} ${section}`).join(', ');
      screen.out(`Project ${printable(project)} has ${counts}.\n`);
    },
    ready: ({ folder, file, isExported, needsKey }) => {
      const lines = [
        ...(isExported ? [] : [`Wrote ${printable(file)} in ${printable(folder)}, without resources.`]),
        ...(needsKey ? ['Set TRUEUP_API_KEY to the key: it was not saved.'] : []),
        `Next: trueup ${isExported ? 'plan' : 'export'}`,
      ];
      screen.out(`${lines.join('\n')}\n`);
    },
  }),
  json: (screen) => ({ ...exportFormats.json(screen), found: () => {}, ready: () => {} }),
};
