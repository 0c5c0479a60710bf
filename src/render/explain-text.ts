import { type Code, codes } from '../diagnostics/codes.ts';
import type { LineOrigin } from '../git/blame.ts';
import { pageOf } from '../manifest/unknown-key.ts';
import type { ExplainedAddress } from '../plan/explain-address.ts';
import { defined } from '../formats/json.ts';
import type { ValueOrigin } from '../manifest/value-origin.ts';
import { renderOrigins } from './value-origins.ts';
import { renderDiagnostic } from './diagnostics-text.ts';
import type { AddressDocument } from './document-schemas.ts';
import { renderGroups } from './equal-groups.ts';
import { groupActions } from './groups.ts';
import { fold, hanging, indented, requestCounts } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** What is known of a code of diagnostics. */
export interface Explanation {
  readonly code: Code;
  /** Texts that show it: files of a manifest that has the mistake, and what a run reported. */
  readonly examples: readonly string[];
}

/** What the next plan does at an address. */
type PlannedAt = NonNullable<AddressDocument['planned']>;

/** What is known about an address. */
export interface AboutAddress {
  readonly explained: ExplainedAddress;
  /** Undefined: git does not know. */
  readonly origin: LineOrigin | undefined;
  /** Where its values come from; undefined in a manifest without stages, templates and changes. */
  readonly values?: readonly ValueOrigin[] | undefined;
  /** Undefined: nothing was planned. */
  readonly planned?: PlannedAt;
}

/** What a code means and what to do, with examples. */
export function explanationText({ code, examples }: Explanation, outStyle: Style): string {
  const { severity, meaning, remedy } = codes[code];
  const title = outStyle.paint('strong', `${severity}[${code}]`);
  return [
    [title, ...fold(meaning, 0, outStyle)],
    ...examples.map((example) => indented(example.split('\n'), 2)),
    indented(hanging(`-> ${remedy}`, 3, 2, outStyle), 2),
  ]
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

/** What is known of an address. */
export function addressText({ explained, origin, values = [], planned }: AboutAddress, style: Style): string {
  const { address, path, kind, position, dependsOn, neededBy, deploysAfter = [], leftOut } = explained;
  const name = printable(path === '' ? address : `${address}: ${path}`);
  const place =
    position === undefined ? 'in the state only' : printable(`${position.file}:${position.line}:${position.column}`);
  const facts = [
    `declared: ${place}`,
    ...(origin === undefined ? [] : [`line: ${originWords(origin)}`]),
    `fields: ${pageOf({ kind })}`,
    ...(dependsOn.length === 0 ? [] : [`needs: ${dependsOn.map(printable).join(', ')}`]),
    ...(deploysAfter.length === 0 ? [] : [`deploys after: ${deploysAfter.map(printable).join(', ')}`]),
    ...(leftOut.length === 0 ? [] : [`left out of previews: ${leftOut.join(', ')}`]),
    ...(neededBy.length === 0 ? [] : [`needed by: ${neededBy.map(printable).join(', ')}`]),
  ];
  const head = [
    `${style.paint('strong', name)} (${kind})`,
    ...indented(
      facts.flatMap((fact) => hanging(fact, 2, 2, style)),
      2,
    ),
  ];
  const origins = values.length === 0 ? [] : [renderOrigins(values, style)];
  const blocks = [head, ...origins, ...(planned === undefined ? [] : plannedBlocks(planned, style))];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function originWords(origin: LineOrigin): string {
  if (origin.is === 'not committed') return 'not committed yet';
  const { commit, author, date, subject } = origin;
  return printable(`changed last by ${author} in ${commit.slice(0, 12)} on ${date}: ${subject}`);
}

function plannedBlocks({ actions, diagnostics, requests }: PlannedAt, style: Style): string[][] {
  const groups = renderGroups(groupActions(actions), style);
  const lines = actions
    .flatMap(({ sends }) => sends)
    .flatMap(({ method, operation, changes, with: others }) => {
      const required = others.length === 0 ? '' : ` (with ${others.join(', ')})`;
      const words = `${method} ${operation}: ${changes.join(', ') || 'no fields'}${required}`;
      return indented(hanging(words, 2, 2, style), 2);
    });
  return [
    ...(groups.length === 0 ? [['The next plan changes nothing here.']] : groups),
    ...diagnostics.map((item) => renderDiagnostic(item, style)),
    ...(lines.length === 0 ? [] : [['Apply would send:', ...lines]]),
    [style.paint('faint', `planned with ${requestCounts(requests)}`)],
  ];
}

/** The same as a document. */
export function addressJson({ explained, origin, values, planned }: AboutAddress): AddressDocument {
  const { address, path, kind, position, dependsOn, neededBy, deploysAfter, leftOut } = explained;
  return {
    format: 'trueup/address',
    version: 1,
    address,
    path: path === '' ? undefined : path,
    kind,
    page: pageOf({ kind }),
    position,
    line: origin,
    dependsOn,
    neededBy,
    ...defined({ deploysAfter, values }),
    leftOut: leftOut.length === 0 ? undefined : leftOut,
    planned,
  };
}
