import { flags } from '../diagnostics/safeguards.ts';
import { groupBy } from '../kind/group.ts';
import { blockAddress } from '../kind/address.ts';
import type { ShownAction, ShownPlan } from '../plan/action.ts';
import { countIgnored, hasChanges } from '../plan/action.ts';
import { diffLines, diffStyle, textBlock, unpainted } from './diff-lines.ts';
import { renderBlocks } from './equal-groups.ts';
import { groupActions } from './groups.ts';
import { counted, requestCounts } from './lines.ts';
import { code, codeBlock } from './markdown.ts';
import type { Parts, Place, ReportBlock } from './markdown-report.ts';
import {
  composeReport,
  diagnosticParts,
  fitting,
  fittingBlocks,
  renderPosition,
  renderPositions,
  reportBlock,
  reportTop,
  sizeOf,
  tooLong,
} from './markdown-report.ts';
import type { PlanView } from './plan-text.ts';
import { conditions, effects, narrowing } from './plan-text.ts';
import { printable } from './printable.ts';
import type { ReviewSite } from './review-site.ts';
import { actionWords, countActions, ignoredWords, noChanges, within } from './words.ts';

/** How the readers of a plan go on. */
interface NextSteps {
  /** The command line that shows all that a report cuts. */
  readonly showing: string;
  /** The command line that applies this plan; undefined: it was not saved. */
  readonly applying: string | undefined;
}

/**
 * Renders a plan as Markdown for a comment of a pull request: counts first, then what is deleted and what data is at risk,
 * then what restarts, then each change, folded. Cuts changes where the comment would be too long, and says so.
 * @throws {Stop} `refused`, when the names of all that is deleted or at risk are too long
 */
export function renderPlanMarkdown(view: PlanView, site: ReviewSite, { showing, applying }: NextSteps): string {
  const { plan, counts, about, isFull } = view;
  const place = { site, commit: about?.commit?.id };
  const naming = { nameOf: code, isFull: isFull === true };
  const sentences = [...effects(plan, naming), ...conditions(view), ...narrowing(plan, naming)];
  const errors = [...plan.diagnostics, ...plan.actions.flatMap(({ notes }) => notes)].filter(isError);
  const others = plan.diagnostics.filter((item) => !isError(item));
  const blocks = changeBlocks({ plan, isFull: isFull === true }, place);
  const frame = {
    top: reportTop('plan', `plan: ${summary(plan, errors.length)}`, site, about),
    end: [
      ...(applying === undefined ? [] : [`To apply this plan and nothing else: ${code(applying)}`]),
      `<sub>planned with ${requestCounts(counts)}</sub>`,
    ],
    showing,
  };
  return composeReport(frame, [
    (room) => losses(plan, place, room),
    (room) => fitting(sentences, room / 4, 'sentence'),
    (room) => fitting(diagnosticParts(errors, place), room / 2, 'error'),
    (room) => fitting(diagnosticParts(others, place), room / 4, 'warning or note'),
    (room) => fittingBlocks(blocks, room, { noun: 'change', ends: 'the places of changes in the manifest' }),
  ]);
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error';
}

function summary(plan: ShownPlan, errors: number): string {
  const ignored = countIgnored(plan.actions);
  const counts = [...countActions(within(plan))]
    .filter(([name]) => name !== 'no-op')
    .map(([name, count]) => `${count} ${actionWords[name].plan}`);
  const changes = hasChanges(plan) ? [[counts.join(', '), ...ignoredWords(ignored)].join('. ')] : [];
  if (errors > 0) return [`cannot be applied, ${counted(errors, 'error')}`, ...changes].join('; ');
  return changes[0] ?? noChanges(ignored, plan);
}

/** Everything that is deleted, and all data at risk: with reasons, or where that is too long, the names. */
function losses(plan: ShownPlan, place: Place, room: number): Parts {
  const actions = within(plan).filter((action) => isGoing(action) || action.dataAtRisk !== undefined);
  if (actions.length === 0) return { parts: [], cuts: [] };
  const atRisk = actions.filter(({ dataAtRisk }) => dataAtRisk !== undefined).length;
  const counts = [
    ...[...countActions(actions.filter(isGoing))].map(([name, count]) => `${count} ${actionWords[name].plan}`),
    ...(atRisk === 0 ? [] : [`data of ${atRisk} at risk`]),
  ];
  const heading = `#### Deletions and data at risk: ${counts.join(', ')}`;
  const whole = [heading, ...actions.map((action) => lossLine(action, place))];
  if (sizeOf(whole) <= room * mostOfLosses) return { parts: whole, cuts: [] };
  const names = [heading, codeBlock(textBlock(lossNames(actions).map(printable)), 'text')];
  const bytes = sizeOf(names);
  if (bytes > room) throw tooLong(bytes, 'the names of all that the plan deletes or puts at risk');
  return { parts: names, cuts: ['the ids, parts and reasons of what is deleted or at risk'] };
}

/** The share of a comment from which on deletions are listed by their names. */
const mostOfLosses = 0.7;

function isGoing({ action }: Pick<ShownAction, 'action'>): boolean {
  return action === 'delete' || action === 'replace';
}

function lossLine(action: ShownAction, place: Place): string {
  const { address, id, teardown, holds = {}, dataAtRisk, protect, position, createsBeforeDestroy } = action;
  const words = [
    ...(isGoing(action)
      ? [`**${createsBeforeDestroy ? 'replace (create first)' : actionWords[action.action].sign}**`]
      : []),
    code(blockAddress(address)),
    ...(id === undefined || !isGoing(action) ? [] : [`(${code(id)})`]),
    ...(isGoing(action) && teardown.length === 0 ? ['with its parent'] : []),
  ].join(' ');
  const parts = Object.entries(holds).map(([noun, names]) => `${noun} ${names.map(code).join(', ')}`);
  const permission = protect === false ? 'allowed by `protect: false`' : `apply needs \`${flags.dataLoss}\``;
  const risk = dataAtRisk === undefined ? [] : [`**data at risk**: ${code(dataAtRisk)} (${permission})`];
  const line = [words, ...(parts.length === 0 ? [] : [`with ${parts.join('; ')}`])].join(', ');
  return `- ${[line, ...risk].join(': ')}${position === undefined ? '' : ` ${renderPosition(position, place)}`}`;
}

/** A line for each section that something goes from. */
function lossNames(actions: readonly ShownAction[]): string[] {
  const pairs = actions.flatMap(({ action, address, dataAtRisk }) => {
    const [section, name] = /^(.+)\.([A-Za-z_][\w-]*)$/.exec(blockAddress(address))?.slice(1) ?? [];
    const where = section === undefined ? '' : ` ${section}`;
    const what = name ?? blockAddress(address);
    return [
      ...(isGoing({ action }) ? [[`${action}${where}:`, what] as const] : []),
      ...(dataAtRisk === undefined ? [] : [[`data at risk${where}:`, what] as const]),
    ];
  });
  return [...groupBy(pairs)].map(([start, names]) => `${start} ${names.join(', ')}`);
}

function changeBlocks({ plan, isFull }: { plan: ShownPlan; isFull: boolean }, place: Place): ReportBlock[] {
  const style = isFull ? { ...diffStyle, isFull } : diffStyle;
  return renderBlocks(groupActions(plan.actions), style).map(({ group, title, body }, at) => {
    const places = group.actions.flatMap(({ action: { position, changes } }) => [
      position,
      ...changes.map((change) => change.position),
    ]);
    return reportBlock({
      heading: at === 0 ? '#### Changes' : undefined,
      title: unpainted(title.map((line) => line.trim()).join(' ')).trim(),
      lines: body.length === 0 ? [] : diffLines(body),
      end: renderPositions(places, place),
    });
  });
}
