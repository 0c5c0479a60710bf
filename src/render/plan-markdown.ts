import type { Diagnostic, Position } from '../diagnostics/diagnostic.ts';
import { flags } from '../diagnostics/safeguards.ts';
import { groupBy } from '../graph/group.ts';
import { blockAddress } from '../kind/address.ts';
import type { ShownAction, ShownPlan } from '../plan/action.ts';
import { countIgnored, hasChanges } from '../plan/action.ts';
import { cut } from './columns.ts';
import { renderDiagnostic } from './diagnostics-text.ts';
import { diffLines, diffStyle, textBlock, unpainted } from './diff-lines.ts';
import { renderBlocks } from './equal-groups.ts';
import { groupActions } from './groups.ts';
import { counted, requestCounts } from './lines.ts';
import { bytesOf, code, codeBlock, foldedPart, htmlCode, link, marker } from './markdown.ts';
import { headFacts } from './plan-head.ts';
import type { PlanView } from './plan-text.ts';
import { conditions, effects, narrowing } from './plan-text.ts';
import { fitting, mostBytes, tooLong } from './report-limit.ts';
import type { ReviewSite } from './review-site.ts';
import { lineUrl } from './review-site.ts';
import { plainStyle } from './style.ts';
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
export function renderPlanMarkdown(view: PlanView, site: ReviewSite, steps: NextSteps): string {
  const { plan, counts, about, isFull } = view;
  const place = { site, commit: about?.commit?.id };
  const top = [
    marker('plan', site),
    `### Trueup plan: ${summary(plan)}`,
    ...(about === undefined
      ? []
      : [
          headFacts(about)
            .map(([name, value]) => `${name} ${code(value)}`)
            .join(' · '),
        ]),
  ];
  const end = [
    ...(steps.applying === undefined ? [] : [`To apply this plan and nothing else: ${code(steps.applying)}`]),
    `<sub>planned with ${requestCounts(counts)}</sub>`,
  ];
  const room = mostBytes - sizeOf([...top, ...end]) - cutNotice;
  const losses = renderLosses(plan, place, room);
  const cuts: string[] = [...losses.cuts];
  const middle: string[] = [...losses.parts];
  let left = room - sizeOf(middle);
  const add = (parts: readonly string[], share: number, noun: string): void => {
    const { shown, left: missing } = fitting(parts, Math.floor(left * share));
    middle.push(...shown);
    left -= sizeOf(shown);
    if (missing > 0) cuts.push(`${counted(missing, noun)} left out`);
  };
  const naming = { nameOf: code, isFull: isFull === true };
  const sentences = [...effects(plan, naming), ...conditions(view), ...narrowing(plan, naming)];
  add(sentences, 1 / 4, 'sentence');
  const notes = plan.actions.flatMap((action) => action.notes);
  const errors = [...plan.diagnostics, ...notes].filter(({ severity }) => severity === 'error');
  add(renderDiagnosticParts(errors, place), 1 / 2, 'error');
  const others = plan.diagnostics.filter(({ severity }) => severity !== 'error');
  add(renderDiagnosticParts(others, place), 1 / 4, 'warning or note');
  const changes = renderChanges(view, place, left);
  cuts.push(...changes.cuts);
  const notice =
    cuts.length === 0 ? [] : [`**Cut to ${mostBytes} bytes**: ${cuts.join('; ')}. To see all: ${code(steps.showing)}`];
  return `${joined([...top, ...middle, ...changes.parts, ...notice, ...end])}\n`;
}

/** Bytes that are kept for the notice of what was cut. */
const cutNotice = 2_000;

/** Paragraphs, and what they leave out. */
interface Parts {
  readonly parts: readonly string[];
  readonly cuts: readonly string[];
}

/** Where the lines of a plan can be read. */
interface Place {
  readonly site: ReviewSite;
  readonly commit: string | undefined;
}

function joined(parts: readonly string[]): string {
  // Items of a list stand below each other.
  return parts
    .map(
      (part, at) =>
        (at === 0 ? '' : part.startsWith('- ') && parts[at - 1]?.startsWith('- ') === true ? '\n' : '\n\n') + part,
    )
    .join('');
}

/** Bytes of paragraphs with what stands between them; rather one too many than one too few. */
function sizeOf(parts: readonly string[]): number {
  return parts.reduce((bytes, part) => bytes + bytesOf(part) + 2, 0);
}

function summary(plan: ShownPlan): string {
  const notes = plan.actions.flatMap((action) => action.notes);
  const errors = [...plan.diagnostics, ...notes].filter(({ severity }) => severity === 'error').length;
  const ignored = countIgnored(plan.actions);
  const counts = [...countActions(within(plan))]
    .filter(([name]) => name !== 'no-op')
    .map(([name, count]) => `${count} ${actionWords[name].plan}`);
  const changes = hasChanges(plan) ? [[counts.join(', '), ...ignoredWords(ignored)].join('. ')] : [];
  if (errors > 0) return [`cannot be applied, ${counted(errors, 'error')}`, ...changes].join('; ');
  return changes[0] ?? noChanges(ignored, plan);
}

/** Everything that is deleted, and all data at risk: with reasons, or where that is too long, the names. */
function renderLosses(plan: ShownPlan, place: Place, room: number): Parts {
  const actions = within(plan).filter((action) => isGoing(action) || action.dataAtRisk !== undefined);
  if (actions.length === 0) return { parts: [], cuts: [] };
  const counts = [
    ...[...countActions(actions.filter(isGoing))].map(([name, count]) => `${count} ${actionWords[name].plan}`),
    ...risks(actions.filter(({ dataAtRisk }) => dataAtRisk !== undefined).length),
  ];
  const heading = `#### Deletions and data at risk: ${counts.join(', ')}`;
  const whole = [heading, ...actions.map((action) => lossLine(action, place))];
  if (sizeOf(whole) <= room * mostOfLosses) return { parts: whole, cuts: [] };
  const names = [heading, codeBlock(textBlock(lossNames(actions)), 'text')];
  const bytes = sizeOf(names);
  if (bytes > room) throw tooLong(bytes, `the names of all that the plan deletes or puts at risk`);
  return { parts: names, cuts: ['the ids, parts and reasons of what is deleted or at risk'] };
}

/** The share of a comment from which on deletions are listed by their names. */
const mostOfLosses = 0.7;

function isGoing({ action }: ShownAction): boolean {
  return action === 'delete' || action === 'replace';
}

function risks(count: number): string[] {
  return count === 0 ? [] : [`data of ${count} at risk`];
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
      ...(isGoing({ action } as ShownAction) ? [[`${action}${where}:`, what] as const] : []),
      ...(dataAtRisk === undefined ? [] : [[`data at risk${where}:`, what] as const]),
    ];
  });
  return [...groupBy(pairs)].map(([start, names]) => `${start} ${names.join(', ')}`);
}

/** A block of changes, before it is cut. */
interface ChangeBlock {
  readonly title: string;
  readonly lines: readonly string[];
  /** Bytes of each line. */
  readonly sizes: readonly number[];
  readonly positions: string;
}

/** A block as far as it is shown. */
interface ShownBlock {
  readonly part: string;
  readonly isCut: boolean;
}

function renderChanges({ plan, isFull }: PlanView, place: Place, room: number): Parts {
  const blocks = changeBlocks({ plan, isFull: isFull === true }, place);
  if (blocks.length === 0) return { parts: [], cuts: [] };
  const isOpen = blocks.reduce((lines, block) => lines + block.lines.length, 0) <= mostOpen;
  const heading = '#### Changes';
  const left = room - sizeOf([heading]);
  for (const most of mostOfBlocks) {
    const shown = blocks.map((block) => renderBlock(block, most, isOpen));
    if (sizeOf(partsOf(shown)) > left) continue;
    return { parts: [heading, ...partsOf(shown)], cuts: [...(most === Infinity ? [] : [links]), ...cutsOf(shown)] };
  }
  const titles = blocks.map((block) => renderBlock(block, 0, isOpen));
  const { shown, left: missing } = fitting(partsOf(titles), left);
  const rest = left - sizeOf(shown);
  const cuts = missing === 0 ? [] : [`${counted(missing, 'change')} left out`];
  const filled = withLines(blocks.slice(0, shown.length), titles, rest);
  return { parts: shown.length === 0 ? [] : [heading, ...partsOf(filled)], cuts: [links, ...cutsOf(filled), ...cuts] };
}

/** The first thing that a long report leaves out. */
const links = 'the places of changes in the manifest';

/** Most bytes that the lines of each block take, in the order in which they are tried. */
const mostOfBlocks = [Infinity, 16_384, 4_096, 1_024, 512];

/** Gives the first blocks some lines, as far as they fit. */
function withLines(blocks: readonly ChangeBlock[], titles: readonly ShownBlock[], room: number): ShownBlock[] {
  let rest = room;
  return blocks.map((block, at) => {
    const title = titles[at] ?? { part: '', isCut: true };
    if (rest <= 0) return title;
    const whole = renderBlock(block, mostOfBlocks.at(-1) ?? 0, false);
    rest -= bytesOf(whole.part) - bytesOf(title.part);
    return rest < 0 ? title : whole;
  });
}

function partsOf(shown: readonly ShownBlock[]): string[] {
  return shown.map(({ part }) => part);
}

function cutsOf(shown: readonly ShownBlock[]): string[] {
  const count = shown.filter(({ isCut }) => isCut).length;
  return count === 0 ? [] : [`lines of ${counted(count, 'change')}`];
}

function changeBlocks({ plan, isFull }: { plan: ShownPlan; isFull: boolean }, place: Place): ChangeBlock[] {
  const style = isFull ? { ...diffStyle, isFull } : diffStyle;
  return renderBlocks(groupActions(plan.actions), style).map(({ group, title, body }) => {
    const lines = body.length === 0 ? [] : diffLines(body);
    return {
      title: cut(unpainted(title.map((line) => line.trim()).join(' ')).trim(), mostOfTitle),
      lines,
      sizes: lines.map((line) => bytesOf(line) + 1),
      positions: renderPositions(
        group.actions.map(({ action }) => action),
        place,
      ),
    };
  });
}

/** Columns of a title. */
const mostOfTitle = 400;

/** Lines of changes that are not folded. */
const mostOpen = 40;

/** Renders a block. Only a whole one has its places in the manifest. */
function renderBlock({ title, lines, sizes, positions }: ChangeBlock, most: number, isOpen: boolean): ShownBlock {
  let shown = 0;
  for (let bytes = 0; shown < lines.length; shown++) {
    bytes += sizes[shown] ?? 0;
    if (bytes > most) break;
  }
  const left = lines.length - shown;
  const positionsOf = positions === '' || most !== Infinity ? [] : [positions];
  if (shown === 0) {
    const more = left === 0 ? [] : [`(${counted(left, 'line')} cut)`];
    return { part: ['-', code(title), ...more, ...positionsOf].join(' '), isCut: left > 0 };
  }
  const diff = codeBlock(
    [...lines.slice(0, shown), ...(left === 0 ? [] : [`  … ${counted(left, 'line')} cut`])],
    'diff',
  );
  return { part: foldedPart(htmlCode(title), [diff, ...positionsOf].join('\n\n'), isOpen), isCut: left > 0 };
}

/** The lines of the manifest that a block is about. */
function renderPositions(actions: readonly ShownAction[], place: Place): string {
  const all = actions.flatMap(({ position, changes }) => [position, ...changes.map((change) => change.position)]);
  const byLine = new Map<string, Position>();
  for (const position of all) {
    if (position === undefined) continue;
    const key = `${position.file}:${position.line}`;
    if (!byLine.has(key)) byLine.set(key, position);
  }
  const shown = [...byLine.values()].slice(0, mostPositions).map((position) => renderPosition(position, place));
  const more = byLine.size - shown.length;
  return shown.length === 0 ? '' : `${shown.join(', ')}${more === 0 ? '' : ` and ${counted(more, 'more line')}`}`;
}

/** Lines that a block names. */
const mostPositions = 8;

function renderPosition(position: Position, { site, commit }: Place): string {
  const text = `${position.file}:${position.line}`;
  const url = lineUrl(site, position, commit);
  return url === undefined ? code(text) : link(text, url);
}

function renderDiagnosticParts(diagnostics: readonly Diagnostic[], place: Place): string[] {
  return diagnostics.map((item) => {
    const block = codeBlock(textBlock(renderDiagnostic(item, plainStyle)), 'text');
    return item.position === undefined ? block : `${block}\n\n${renderPosition(item.position, place)}`;
  });
}

/** Renders what ended a run, for a comment of a pull request. */
export function renderFailureMarkdown(
  errors: readonly Diagnostic[],
  command: Parameters<typeof marker>[0],
  site: ReviewSite,
): string {
  const top = [marker(command, site), `### Trueup: failed, ${counted(errors.length, 'error')}`];
  const parts = renderDiagnosticParts(errors, { site, commit: undefined });
  const { shown, left } = fitting(parts, mostBytes - sizeOf(top) - 200);
  const more = left === 0 ? [] : [`**Cut to ${mostBytes} bytes**: ${counted(left, 'error')} left out.`];
  return `${joined([...top, ...shown, ...more])}\n`;
}
