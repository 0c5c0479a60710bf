import { groupBy } from '../kind/group.ts';
import { deletionReason, permission } from './action-sentence.ts';
import { diffLines, diffStyle, textBlock, unpainted } from './diff-lines.ts';
import type { PlanDocument } from './document-schemas.ts';
import { renderBlocks } from './equal-groups.ts';
import { type PlannedAction, groupActions } from './groups.ts';
import { counted, requestCounts } from './fold-lines.ts';
import { code, codeBlock } from './markdown.ts';
import {
  type Parts,
  type Place,
  type ReportBlock,
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
import { conditions, effects, narrowing } from './plan-text.ts';
import { printable } from './printable.ts';
import type { ReviewSite } from './report-links.ts';
import { countsOf, errorsIn, titleOf } from './verdict.ts';
import { actionWords, isRemoval } from './action-words.ts';

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
export function renderPlanMarkdown(
  plan: PlanDocument,
  site: ReviewSite,
  { showing, applying, isFull = false }: NextSteps & { readonly isFull?: boolean | undefined },
): string {
  const place = { site, commit: plan.commit?.id };
  const naming = { nameOf: code, isFull };
  const sentences = [...effects(plan, naming), ...conditions(plan), ...narrowing(plan, naming)];
  const errors = errorsIn(plan);
  const others = plan.diagnostics.filter((item) => !isError(item));
  const blocks = changeBlocks(plan, isFull, place);
  const frame = {
    site,
    top: reportTop('plan', `plan: ${summary(plan, errors.length)}`, site, plan),
    end: [
      ...(applying === undefined ? [] : [`To apply this plan and nothing else: ${code(applying)}`]),
      `<sub>planned with ${requestCounts(plan.requests)}</sub>`,
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

function summary(plan: PlanDocument, errors: number): string {
  const title = titleOf(plan);
  if (errors === 0) return title;
  return [`cannot be applied, ${counted(errors, 'error')}`, ...(title === '' ? [] : [title])].join('; ');
}

/** Everything that is deleted, and all data at risk: with reasons, or where that is too long, the names. */
function losses(plan: PlanDocument, place: Place, room: number): Parts {
  const actions = plan.actions.filter((action) => isRemoval(action) || action.dataAtRisk !== undefined);
  if (actions.length === 0) return { parts: [], cuts: [] };
  const atRisk = actions.filter(({ dataAtRisk }) => dataAtRisk !== undefined).length;
  const counts = [...countsOf(plan, actions.filter(isRemoval)), ...(atRisk === 0 ? [] : [`data of ${atRisk} at risk`])];
  const heading = `#### Deletions and data at risk: ${counts.join(', ')}`;
  const whole = [heading, ...actions.map((action) => lossLine(action, place))];
  if (sizeOf(whole) <= room * maxShareOfLosses) return { parts: whole, cuts: [] };
  const names = [heading, codeBlock(textBlock(lossNames(actions).map(printable)), 'text')];
  const bytes = sizeOf(names);
  if (bytes > room) throw tooLong(bytes, 'the names of all that the plan deletes or puts at risk');
  return { parts: names, cuts: ['the ids, parts and reasons of what is deleted or at risk'] };
}

/** The share of a comment from which on deletions are listed by their names. */
const maxShareOfLosses = 0.7;

function lossLine(action: PlannedAction, place: Place): string {
  const { address, id, holds = {}, dataAtRisk, position, createsBeforeDestroy } = action;
  const { along, because } = deletionReason(action, code);
  const words = [
    ...(isRemoval(action)
      ? [`**${createsBeforeDestroy === true ? 'replace (create first)' : actionWords[action.action].sign}**`]
      : []),
    code(address),
    ...(id === undefined || !isRemoval(action) ? [] : [`(${code(id)})`]),
    ...(along === undefined ? [] : [`with ${along}`]),
    ...(because === undefined ? [] : [`(${because})`]),
  ].join(' ');
  const parts = Object.entries(holds).map(([noun, names]) => `${noun} ${names.map(code).join(', ')}`);
  const risk = dataAtRisk === undefined ? [] : [`**data at risk**: ${code(dataAtRisk)} (${permission(action, code)})`];
  const line = [words, ...(parts.length === 0 ? [] : [`with ${parts.join('; ')}`])].join(', ');
  return `- ${[line, ...risk].join(': ')}${position === undefined ? '' : ` ${renderPosition(position, place)}`}`;
}

/** A line for each section that something goes from. */
function lossNames(actions: readonly PlannedAction[]): string[] {
  const pairs = actions.flatMap(({ action, address, dataAtRisk }) => {
    const [section, name] = /^(.+)\.([A-Za-z_][\w-]*)$/.exec(address)?.slice(1) ?? [];
    const where = section === undefined ? '' : ` ${section}`;
    const what = name ?? address;
    return [
      ...(isRemoval({ action }) ? [[`${action}${where}:`, what] as const] : []),
      ...(dataAtRisk === undefined ? [] : [[`data at risk${where}:`, what] as const]),
    ];
  });
  return [...groupBy(pairs)].map(([start, names]) => `${start} ${names.join(', ')}`);
}

function changeBlocks(plan: PlanDocument, isFull: boolean, place: Place): ReportBlock[] {
  const style = { ...diffStyle, isFull };
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
