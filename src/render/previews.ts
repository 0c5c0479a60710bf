import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnosticJson } from './diagnostics-json.ts';
import type { PreviewsDocument } from './document-schemas.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** A preview that is there. */
interface PreviewEntry {
  readonly id: string;
  readonly environment: string;
  /** When its last apply began: ISO 8601. */
  readonly applied: string;
  /** undefined: it stays until it is closed. */
  readonly until: string | undefined;
}

/** The previews of a root file, and what `preview prune` did. */
export interface PreviewsReport {
  readonly previews: readonly PreviewEntry[];
  /** Environments that are called like previews, and that no state has. */
  readonly strays: readonly { readonly name: string; readonly id: string }[];
  readonly removed: readonly { readonly id: string; readonly because: string }[];
  readonly failed: readonly { readonly id: string; readonly diagnostics: readonly Diagnostic[] }[];
}

/** The document of `preview list` and `preview prune`. */
export function previewsJson({ previews, strays, removed, failed }: PreviewsReport): PreviewsDocument {
  return {
    format: 'trueup/previews',
    version: 1,
    previews: previews.map(({ until = null, ...one }) => ({ ...one, until })),
    strays: [...strays],
    removed: removed.map(({ id, because }) => ({ id, because })),
    failed: failed.map(({ id, diagnostics }) => ({ id, diagnostics: diagnostics.map((one) => diagnosticJson(one)) })),
  };
}

/** Renders what was removed, the previews that are there, and environments that no state has. */
export function renderPreviews({ previews, strays, removed, failed }: PreviewsReport, style: Style): string {
  const width = Math.max(0, ...previews.map(({ environment }) => environment.length));
  const lines = [
    ...removed.map(({ id, because }) => `removed ${id}: ${because}`),
    ...failed.map(({ id }) => style.paint('bad', `could not remove ${id}`)),
    ...previews.map(({ environment, applied, until }) => {
      const end = until === undefined ? '' : `, until ${until}`;
      return `${environment.padEnd(width)}  ${style.paint('faint', `applied last at ${applied}${end}`)}`;
    }),
    ...strays.map(
      ({ name, id }) =>
        `${printable(name)} (${printable(id)}) is not on this list: delete it on the platform if no other root file has it`,
    ),
  ];
  return lines.length === 0 ? 'There are no previews.\n' : lines.map((line) => `${line}\n`).join('');
}
