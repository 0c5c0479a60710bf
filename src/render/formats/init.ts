import type { NamedProject } from '../../observe/reader.ts';
import type { Formats } from '../format.ts';
import { counted } from '../lines.ts';
import { printable } from '../printable.ts';
import { shellWord } from '../../diagnostics/shell-word.ts';
import { printJson } from '../json-view.ts';
import type { ExportReport, ExportView } from './export.ts';
import { exportFormats, exportJson } from './export.ts';

/** Prints what `init` reports: what there is, the export, and what to do next. */
export interface InitView extends ExportView {
  /** The projects that there are, before the question for one; `more`: others that are not shown. */
  readonly projects: (shown: readonly NamedProject[], more: number) => void;
  /** The project that a number of the list means; `called`: the ids of others that have this number as their name. */
  readonly chosen: (what: {
    readonly number: string;
    readonly name: string;
    readonly called: readonly string[];
  }) => void;
  readonly found: (what: { readonly project: string; readonly kinds: ReadonlyMap<string, number> }) => void;
  /** A manifest without resources; `file`: its name, which `files` has among others. */
  readonly empty: (
    written: Pick<ExportReport, 'project' | 'folder' | 'files' | 'counts'> & { readonly file: string },
  ) => void;
  readonly ready: (about: {
    readonly isExported: boolean;
    /** The key was typed: later runs need it from the environment. */
    readonly needsKey: boolean;
  }) => void;
}

/** The formats of `init`. */
export const initFormats: Formats<InitView> = {
  text: (screen) => ({
    ...exportFormats.text(screen),
    projects: (shown, more) => {
      const names = shown.map(({ name }) => printable(name));
      const width = Math.max(...names.map((name) => name.length));
      const lines = shown.map(({ services }, at) => {
        const [number, name = ''] = [String(at + 1).padStart(String(shown.length).length), names[at]];
        return `  ${number}  ${name.padEnd(width)}  ${counted(services, 'service')}`;
      });
      screen.out(`${['Projects:', ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n')}\n`);
    },
    chosen: ({ number, name, called }) => {
      const line = `Number ${number} is ${printable(name)}.`;
      const others = called.map((id) => ` The project with the name ${number}: trueup init --project ${shellWord(id)}`);
      screen.out(`${[line, ...others].join('')}\n`);
    },
    found: ({ project, kinds }) => {
      const counts = [...kinds].map(([section, count]) => `${section} ${count}`).join(', ');
      screen.out(`Project ${printable(project)}, by section: ${counts}.\n`);
    },
    empty: ({ folder, file }) => screen.out(`Wrote ${printable(file)} in ${printable(folder)}, without resources.\n`),
    ready: ({ isExported, needsKey }) => {
      const lines = [
        ...(needsKey ? ['Set TRUEUP_API_KEY to the key: it was not saved.'] : []),
        `Next: trueup ${isExported ? 'plan' : 'export'}`,
      ];
      screen.out(`${lines.join('\n')}\n`);
    },
  }),
  json: (screen) => ({
    ...exportFormats.json(screen),
    projects: () => {},
    chosen: () => {},
    found: () => {},
    empty: (written) => printJson(screen, exportJson({ ...written, blocks: new Map(), secrets: [], notes: [] })),
    ready: () => {},
  }),
};
