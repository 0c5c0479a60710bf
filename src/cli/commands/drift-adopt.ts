import { defined } from '../../formats/json.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import type { Finding } from '../../drift/finding.ts';
import { groupBy } from '../../kind/group.ts';
import { masking } from '../../manifest/quote.ts';
import { type AdoptResult, adoptDrift } from '../../drift/adopt.ts';
import { refuseWrites } from '../../drift/drift-run.ts';
import { loadManifest } from '../../project/load.ts';
import { diagnosticJson } from '../../render/diagnostics-json.ts';
import { renderDiagnostics } from '../../render/diagnostics-text.ts';
import type { DriftAdoptDocument } from '../../render/document-schemas.ts';
import { renderAdoption } from '../../render/drift-text.ts';
import { type Screen, reportFormats } from '../../render/output-format.ts';
import { maskedChanges } from '../../render/hunks.ts';
import { counted, fold, indented } from '../../render/fold-lines.ts';
import { printable } from '../../render/printable.ts';
import type { Style } from '../../render/style.ts';
import { textDifference } from '../../render/text-lines.ts';
import { maskText } from '../../secrets/looks-secret.ts';
import { defineCommand } from '../command.ts';
import { loadFor, withConnection } from '../connect.ts';
import { driftedField } from '../option-sets.ts';
import { usage } from '../settle-options.ts';
import { withoutMark } from '../../formats/utf8.ts';

/** What `drift adopt` did. */
interface Adoption extends Omit<AdoptResult, 'files'> {
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

const formats = reportFormats<Adoption>({
  text: (result, screen) => {
    screen.out(adoptionText(result, screen));
    if (result.left.length > 0) screen.err(renderDiagnostics(result.left, screen.errStyle));
  },
  json: ({ adopted, left, isWritten, deploys, differences, others }): DriftAdoptDocument => ({
    format: 'trueup/drift-adopt',
    version: 1,
    written: isWritten,
    files: differences.map(({ path }) => path),
    adopted: adopted.map(({ finding: { is, address = '', path }, file }) => ({
      is,
      address,
      ...defined({ path }),
      file,
    })),
    deploys: [...deploys],
    ...(others.length === 0
      ? {}
      : {
          others: others.map(({ file, addresses, removed }) => ({
            file,
            addresses: [...addresses],
            ...(removed.length === 0 ? {} : { removed: [...removed] }),
          })),
        }),
    diagnostics: left.map(diagnosticJson),
  }),
});

function adoptionText(result: Adoption, { outStyle: style }: Screen): string {
  const { adopted, isWritten, deploys, differences, others } = result;
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
          `The next apply deploys ${someOf(deploys.map(printable), 5)}: what runs may not have these values.`,
          0,
          style,
        );
  const stages = others.flatMap(({ file, addresses, removed }) => {
    const deletes =
      removed.length === 0 ? '' : ` Its next apply deletes ${someOf(removed.map(printable), 5)} on its platform.`;
    return fold(`This changes ${printable(file)} too: ${someOf(addresses.map(printable), 5)}.${deletes}`, 0, style);
  });
  return `${[...lines, head, ...subjects, ...stages, ...end].join('\n')}\n`;
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

/** Writes what the platform has into the manifest. Sends GETs only. */
export const command = defineCommand({
  arguments: { '[address...]': 'addresses, as trueup drift prints them; the block of a missing object is removed' },
  options: {
    ...driftedField,
    '--all': 'every drifted field that was not accepted, instead of addresses',
    '--everywhere': 'also change values that other blocks or root files share, for all of them',
    '--dry-run': 'show what would change, and write nothing',
  },
  notes: 'Only the values change: comments, order, quotes, anchors and line breaks stay. A secret is never written.',
  examples: [
    'trueup drift adopt production.compose.shop --field env.REGION --field source',
    'trueup drift adopt production.compose.shop production.redis.cache',
    'trueup drift adopt --all --dry-run',
  ],
  formats,
  execute: async (run, view, { args: subjects, flags: { field: fields = [], all, dryRun, everywhere } }) => {
    const { options } = run;
    const isAll = all === true;
    checkSubjects(subjects, { fields, isAll });
    const { manifest } = await loadFor(run, loadManifest);
    const purpose = { purpose: 'drift adopt', mayWrite: refuseWrites };
    return withConnection(run, manifest.settings, purpose, async (connection) => {
      const request = { subjects, fields, isAll, writes: dryRun !== true, isEverywhere: everywhere === true };
      const result = await adoptDrift(manifest, connection, { options, now: run.clock.wall(), request });
      // What only the platform has shows no more here than in the list of what was adopted.
      const hidden = result.adopted.flatMap(({ finding: { platform, path = '' } }) =>
        platform?.is === 'hidden' ? (/[^.[\]"]+(?="?\]?$)/.exec(path) ?? []) : [],
      );
      const ofUser = manifest.resources.flatMap(({ privateKeys: own }) => [...(own ?? [])]);
      const privateKeys = new Set([...ofUser, ...hidden]);
      const masked = masking(manifest.texts.values(), options.kinds, privateKeys);
      const shown = (path: string, text: string) =>
        manifest.texts.has(path) ? masked(withoutMark(text)) : maskText(text, { privateKeys });
      view.report({
        ...result,
        differences: result.files.map(({ path, before, after }) => {
          const texts = [shown(path, before), shown(path, after)] as const;
          return { path, before: texts[0], after: texts[1], masked: maskedChanges([before, after], texts) };
        }),
      });
      return result.left.length > 0 ? 'failed' : 'done';
    });
  },
});

/** @throws {Stop} `usage`, when nothing says what is adopted, or too much */
function checkSubjects(
  subjects: readonly string[],
  { fields, isAll }: { readonly fields: readonly string[]; readonly isAll: boolean },
): void {
  if (isAll && (subjects.length > 0 || fields.length > 0)) {
    throw usage('--all takes neither addresses nor --field', 'Leave one of them out.');
  }
  if (!isAll && subjects.length === 0) {
    throw usage('no address says what to adopt', 'Name addresses as trueup drift prints them, or write --all.');
  }
  if (fields.length > 0 && subjects.length > 1) throw usage('--field takes one address', 'Adopt one after the other.');
}
