import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Finding } from '../../drift/finding.ts';
import { diagnosticJson } from '../diagnostics-json.ts';
import { renderDiagnostics } from '../diagnostics-text.ts';
import type { DriftAdoptDocument } from '../documents.ts';
import type { Formats, Screen, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { groupBy } from '../../kind/group.ts';
import { renderAdoption } from '../drift-text.ts';
import { counted, fold, indented, listed } from '../lines.ts';
import { printable } from '../printable.ts';
import type { Style } from '../style.ts';
import { textDifference } from '../text-lines.ts';
import { textView } from '../text-view.ts';

/** What `drift adopt` did. */
interface Adoption {
  readonly adopted: readonly { readonly finding: Finding; readonly file: string }[];
  /** Why others were not adopted. */
  readonly left: readonly Diagnostic[];
  readonly isWritten: boolean;
  /** Addresses of the services that the next apply deploys. */
  readonly deploys: readonly string[];
  /** The texts of the files before and after, without what may be secret. */
  readonly differences: readonly Difference[];
}

interface Difference {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** The lines of `after` that change only in what is masked, by their numbers. */
  readonly masked: ReadonlyMap<number, string>;
}

/** Prints what `drift adopt` reports. */
export interface DriftAdoptView extends View {
  readonly adopted: (result: Adoption) => void;
}

/** The formats of `drift adopt`. */
export const driftAdoptFormats: Formats<DriftAdoptView> = {
  text: (screen) => ({
    ...textView(screen),
    adopted: (result) => {
      screen.out(adoptionText(result, screen));
      if (result.left.length > 0) screen.err(renderDiagnostics(result.left, screen.errStyle));
    },
  }),
  json: (screen) => ({
    ...jsonView(screen),
    adopted: ({ adopted, left, isWritten, deploys, differences }) => {
      const document: DriftAdoptDocument = {
        format: 'trueup/drift-adopt',
        version: 1,
        written: isWritten,
        files: differences.map(({ path }) => path),
        adopted: adopted.map(({ finding: { is, address = '', path }, file }) => ({
          is,
          address,
          ...(path === undefined ? {} : { path }),
          file,
        })),
        deploys: [...deploys],
        diagnostics: left.map(diagnosticJson),
      };
      printJson(screen, document);
    },
  }),
};

function adoptionText(result: Adoption, { outStyle: style }: Screen): string {
  const { adopted, isWritten, deploys, differences } = result;
  const lines = differences.flatMap(({ path, before, after, masked }) => [
    style.paint('strong', printable(path)),
    ...textDifference([before, after], { rotated: masked, indent: 0, style }),
    '',
  ]);
  const subjects = isWritten ? adopted.map(({ finding }) => `  ${nameOf(finding)}`) : changes(adopted, style);
  const head = isWritten
    ? `Adopted ${counted(adopted.length, 'finding')}; trueup plan shows no change of:`
    : `Would adopt ${counted(adopted.length, 'finding')}; nothing was written:`;
  const end =
    deploys.length === 0
      ? []
      : fold(
          `The next apply deploys ${listed(deploys.map(printable), 5)}: what runs may not have these values.`,
          0,
          style,
        );
  return `${[...lines, head, ...subjects, ...end].join('\n')}\n`;
}

function nameOf({ is, address = '', path }: Finding): string {
  const where = path === undefined ? address : `${address}: ${path}`;
  return `${printable(where)}${is === 'missing' ? ' (block removed)' : ''}`;
}

/** The changes of the manifest by address, with values as plans show them: the differences of files mask more. */
function changes(adopted: Adoption['adopted'], style: Style): string[] {
  const fields = adopted.filter(({ finding }) => finding.path !== undefined);
  const byAddress = groupBy(fields.map(({ finding }) => [finding.address ?? '', finding]));
  return [
    ...adopted.filter(({ finding }) => finding.path === undefined).map(({ finding }) => `  ${nameOf(finding)}`),
    ...[...byAddress].flatMap(([address, found]) => [
      `  ${printable(address)}`,
      ...found.flatMap((finding) => indented(renderAdoption(finding, style), 4)),
    ]),
  ];
}
