import { groupBy } from '../kind/group.ts';
import { type Change, inAmounts, renderChange } from './change-text.ts';
import { renderDiagnostic } from './diagnostics-text.ts';
import type { DriftAcceptDocument, DriftDocument, Shown } from './document-schemas.ts';
import { counted, fold, hanging, indented, requestCounts } from './fold-lines.ts';
import { renderHead } from './plan-head.ts';
import { printable } from './printable.ts';
import { unmarked } from './rotated.ts';
import type { Style, Tone } from './style.ts';
import { inlineShown } from './value-text.ts';
import { verdictOf } from './verdict.ts';

/** A finding of `drift`. */
export type Finding = DriftDocument['findings'][number];

/** Renders what `drift` found as text: counts first, then what is new, what is known, and what to do. `applying`: the command line of an apply. */
export function renderDrift(drift: DriftDocument, applying: string, style: Style): string {
  const blocks: string[][] = [
    renderHead(drift, style),
    verdict(drift, style),
    ...byStatus(drift.findings).flatMap(({ title, tone, found }) =>
      section(style.paint(tone, `${title} (${found.length})`), found, style),
    ),
    ...resolved(drift, style),
    ...ignored(drift, style),
    ...drift.diagnostics.flatMap((item) => (item.source === 'manifest' ? [] : [renderDiagnostic(item, style)])),
    ...whatToDo(drift, applying, style),
    [...remembered(drift, style), style.paint('faint', `compared with ${requestCounts(drift.requests)}`)],
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Returns true for drift that counts as new. */
export function isFresh({ status }: Pick<Finding, 'status'>): boolean {
  return status === 'new' || status === 'expired';
}

/** Renders what `drift accept` did. */
export function renderDriftAccept({ memory, accepted }: DriftAcceptDocument, style: Style): string {
  const [first] = accepted;
  const { until = '', because = '' } = first?.accepted ?? {};
  const lines = accepted.map((finding) => `  ${printable(subjectOf(finding))}`);
  const head = `Accepted ${counted(accepted.length, 'finding')} until ${until}, because ${printable(because)}:`;
  return [...fold(head, 0, style), ...lines, ...fold(`Written to ${printable(memory.location)}.`, 0, style), ''].join(
    '\n',
  );
}

/** The statuses of findings, in the order in which a reader needs them. */
export const statuses: Readonly<Record<Finding['status'], { readonly title: string; readonly tone: Tone }>> = {
  new: { title: 'New', tone: 'bad' },
  expired: { title: 'Accepted until a day that has passed', tone: 'bad' },
  known: { title: 'Known', tone: 'change' },
  accepted: { title: 'Accepted', tone: 'info' },
  'not yet applied': { title: 'Not yet applied', tone: 'info' },
};

/** Findings by their status, in the order of the statuses. */
export function byStatus<One extends Pick<Finding, 'status'>>(findings: readonly One[]) {
  return (Object.keys(statuses) as Finding['status'][]).flatMap((status) => {
    const found = findings.filter((finding) => finding.status === status);
    return found.length === 0 ? [] : [{ status, ...statuses[status], found }];
  });
}

/** The first line: what matters, with all counts. */
function verdict(drift: DriftDocument, style: Style): string[] {
  const words = fold(verdictOf(drift), 0, style).map((part) => style.paint('strong', part));
  const legend = legendOf(drift.findings).join('; ');
  return legend === '' ? words : [...words, ...fold(legend, 0, style).map((line) => style.paint('faint', line))];
}

/** The two values that drift shows, and those of a change that is not applied yet, for the sorts that are there. */
export function legendOf(
  findings: readonly Finding[],
  between = (before: string, after: string) => `${before} -> ${after}`,
): string[] {
  const has = (isPending: boolean) =>
    findings.some(({ is, path }) => path !== undefined && (is === 'not yet applied') === isPending);
  return [
    ...(has(false) ? [`drift: ${between('last applied', 'on the platform')}`] : []),
    ...(has(true) ? [`not yet applied: ${between('on the platform', 'in the manifest')}`] : []),
  ];
}

/** Findings by their object: its address, or its kind and id. */
export function bySubject(found: readonly Finding[]): Map<string, Finding[]> {
  return groupBy(found.map((finding) => [finding.address ?? `${finding.kind} ${finding.objectId ?? ''}`, finding]));
}

function section(title: string, found: readonly Finding[], style: Style): string[][] {
  const groups = [...bySubject(found)].map(([subject, group]) => [
    `  ${printable(subject)}${placeOf(group, style)}`,
    ...group.flatMap((finding) => indented(renderFinding(finding, style), 4)),
  ]);
  const [first = [], ...rest] = groups;
  return [[title, ...first], ...rest];
}

/** The line of the manifest that the first of some findings is about. */
function placeOf(group: readonly Finding[], style: Style): string {
  const at = group.find(({ position }) => position !== undefined)?.position;
  return at === undefined ? '' : style.paint('faint', printable(`  ${at.file}:${at.line}`));
}

/** Renders one finding, without its address. */
export function renderFinding(finding: Finding, style: Style): string[] {
  return [...whatIs(finding, style), ...story(finding, style)];
}

function whatIs(finding: Finding, style: Style): string[] {
  const { path } = finding;
  return path === undefined ? hanging(printable(foundWords(finding)), 2, 6, style) : change(finding, path, style);
}

/** What was found at an object as a whole, as a clause without its address. */
export function foundWords({
  is,
  objectId = '',
  kind,
  summary,
  name,
}: Pick<Finding, 'is' | 'kind'> & Partial<Record<'objectId' | 'summary' | 'name', string | undefined>>): string {
  const more = summary === undefined ? '' : `, ${summary}`;
  switch (is) {
    case 'missing':
      return `gone from the platform (${kind} ${objectId})${more}`;
    case 'unmanaged':
      return `on the platform only: ${kind} ${name === undefined ? objectId : `${name} (${objectId})`}${more}; neither the manifest nor the state names it`;
    case 'duplicate':
      return `may have a duplicate: ${kind} ${objectId}; one create can have made both`;
    case 'drifted':
      return summary ?? 'drifted';
    case 'not yet applied':
      return summary ?? 'changed in the manifest';
    default:
      return is satisfies never;
  }
}

/** A field: what was applied and what the platform has; of a change, what the platform has and the manifest wants. */
function change(finding: Finding, path: string, style: Style): string[] {
  const { is, edited, applied, platform, manifest } = finding;
  const sides: Sides =
    is === 'drifted'
      ? { before: unmarked(known(applied, edited === true ? undefined : manifest)), after: platform ?? absent }
      : { before: platform ?? applied ?? absent, after: manifest ?? absent };
  const shown = between(finding, path, sides, style);
  if (edited !== true) return shown;
  const words = `The manifest has a third value, not yet applied: ${printable(inlineShown(inAmounts(finding, unmarked(manifest ?? absent))))}.`;
  return [...shown, ...indented(fold(words, 6, style), 2)];
}

/** Renders what adopting a finding changes in the manifest: its value there and the one of the platform. */
export function renderAdoption(
  finding: Pick<Finding, 'is' | 'unit' | 'path' | 'manifest' | 'platform'>,
  style: Style,
): string[] {
  // A summary counts the lines of the manifest, and not those that come.
  const { is, unit, path, manifest = absent, platform = absent } = finding;
  return path === undefined ? [] : between({ is, unit }, path, { before: manifest, after: platform }, style);
}

type Sides = Pick<Change, 'before' | 'after'>;

function between(
  { is, unit, summary }: Pick<Finding, 'is' | 'unit' | 'summary'>,
  path: string,
  sides: Sides,
  style: Style,
): string[] {
  // Nothing of either side shows, or only parts that are the same.
  if (is === 'drifted' && JSON.stringify(sides.before) === JSON.stringify(sides.after)) {
    const details = summary === undefined ? '' : `; ${summary}`;
    return hanging(printable(`~ ${path}: (sensitive; changed on the platform${details})`), 2, 6, style);
  }
  return renderChange(
    { path, cause: 'edit', ...sides, unit, summary, atDeploy: false, forcesReplacement: false },
    4,
    style,
  );
}

const absent: Shown = { is: 'absent' };

/** What was applied last; where the state has only a digest of it, what the manifest still says. */
function known(applied: Shown | undefined, manifest: Shown | undefined): Shown {
  return applied === undefined || (applied.is === 'hidden' && manifest !== undefined) ? (manifest ?? absent) : applied;
}

/** What the memory and a person say of a finding, a clause each. */
export function storyOf({ status, since, accepted, flapping }: Finding): string[] {
  const words: string[] = [];
  if (accepted !== undefined) {
    const { until, because, by } = accepted;
    words.push(`${status === 'expired' ? 'was accepted' : 'accepted'} until ${until} by ${by}: ${because}`);
  } else if (status === 'known' && since !== undefined) words.push(`known since ${since}`);
  if (flapping === undefined) return words;
  const { changes, since: first } = flapping;
  return [...words, `changed ${changes} times since ${first}: find out who changes it back before you repair it`];
}

function story(finding: Finding, style: Style): string[] {
  return storyOf(finding).flatMap((words) =>
    indented(hanging(printable(words), 2, 6, style), 2).map((line) => style.paint('faint', line)),
  );
}

function resolved(drift: DriftDocument, style: Style): string[][] {
  if (drift.resolved.length === 0) return [];
  const names = drift.resolved.map((entry) => `  ${printable(subjectOf(entry))}`);
  return [[style.paint('good', `Resolved (${names.length})`), ...names]];
}

function ignored({ ignored: left = [] }: DriftDocument, style: Style): string[][] {
  if (left.length === 0) return [];
  const names = left.map((one) => {
    return `  ${printable(subjectOf(one))}${one.because === undefined ? '' : `: ${printable(one.because)}`}`;
  });
  return [[style.paint('faint', `Ignored (${names.length})`), ...names]];
}

/** Names an object, or one field of it. */
export function subjectOf({
  address,
  path,
  kind,
  objectId = '',
}: Partial<Pick<Finding, 'address' | 'path' | 'kind' | 'objectId'>>): string {
  return `${address ?? `${kind ?? ''} ${objectId}`}${path === undefined ? '' : ` ${path}`}`;
}

/** The commands for the first new finding of each sort; without one, for what is not applied yet. */
function whatToDo({ findings }: DriftDocument, applying: string, style: Style): string[][] {
  const fresh = findings.filter(isFresh);
  const isPending = findings.some(({ status }) => status === 'not yet applied');
  const blocks = [...groupBy(fresh.map((finding) => [sortOf(finding), finding]))].flatMap(([, alike]) => {
    const [finding] = alike;
    if (finding === undefined) return [];
    const others = alike.length - 1;
    const title = `What to do about ${printable(subjectOf(finding))}${others === 0 ? '' : `, and ${others} more like it`}:`;
    return [[...fold(title, 0, style), ...(finding.remedies ?? []).flatMap((remedy) => remedyLines(remedy, style))]];
  });
  const known = findings.filter(({ status }) => status === 'known');
  if (fresh.length === 0 && known.length > 0) blocks.push(fold(knownWords(known), 0, style));
  if (isPending) blocks.push([`To apply what is not yet applied:`, `  ${printable(applying)}`]);
  return blocks;
}

/** Findings of one sort have the same remedies, but for their words. */
function sortOf({ is, remedies = [] }: Finding): string {
  return [is, ...remedies.map(({ command }) => command !== undefined)].join(' ');
}

/** The commands for what is known: which of them do something depends on whether the manifest has it. */
function knownWords(known: readonly Finding[]): string {
  const declared = known.filter(({ is }) => is !== 'unmanaged' && is !== 'duplicate');
  const what = declared.length === known.length ? 'what is known' : 'what is declared';
  return [
    ...(declared.length > 0 ? [`trueup apply puts back ${what}, trueup drift adopt keeps it`] : []),
    ...(known.some(({ is }) => is === 'unmanaged') ? ['trueup export --unmanaged declares what is not managed'] : []),
    'trueup drift accept leaves it until a day.',
  ].join(', ');
}

/** What a remedy does, and its command on a line of its own, which is never folded: it is there to be copied. */
function remedyLines({ aim, command }: NonNullable<Finding['remedies']>[number], style: Style): string[] {
  if (command === undefined) return indented(hanging(`${aim}.`, 2, 6, style), 2);
  return [`  ${aim}:`, `    ${style.paint('info', printable(command))}`];
}

function remembered({ memory, notified = [] }: DriftDocument, style: Style): string[] {
  const receivers = notified.map(({ as, host }) => `${host} (${as})`);
  return [
    ...(receivers.length === 0 ? [] : fold(`Notified ${printable(receivers.join(', '))}.`, 0, style)),
    ...(memory.isUpdated ? fold(`Remembered in ${printable(memory.location)}.`, 0, style) : []),
  ];
}
