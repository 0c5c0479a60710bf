import { groupBy } from '../kind/group.ts';
import { addressBelow } from '../kind/address.ts';
import { movedWords, permission, sentenceOf } from './action-sentence.ts';
import { renderChange } from './change-text.ts';
import { renderNote } from './diagnostics-text.ts';
import { type GroupedAction, type PlannedAction, isAt, isMovedInState } from './groups.ts';
import { counted, fits, fold, hanging, indented } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { actionWords, isDeployment, symbolOf } from './action-words.ts';

/** Renders one action; below its service, with the address relative to the service. */
export function renderAction(one: GroupedAction, service: string, style: Style): string[] {
  return [...renderTitle(one, service, style), ...renderDetails(one.action, service, style)];
}

/** Renders what changes, what is at risk and what there is to say, below the title of an action. */
export function renderDetails(action: PlannedAction, service: string, style: Style): string[] {
  const below = indentOf(action, service) + 4;
  return indented(
    [
      ...(partOf(action, service, style) === undefined ? action.changes : []).flatMap((change) =>
        renderChange(change, below, style),
      ),
      ...Object.entries(action.holds ?? {}).flatMap(([noun, names]) => partLine(noun, names, below, style)),
      ...risk(action).flatMap((line) => fold(line, below + 2, style).map((part, at) => risky(part, at, style))),
      ...action.notes.flatMap((item) => renderNote(item, below, style)),
    ],
    below,
  );
}

/** The title of an action that many services have: `~ 200 services: update`. */
export function titleOfMany(one: GroupedAction, many: string, style: Style): string {
  const { tone, symbol } = actionWords[one.action.action];
  return `${style.paint(tone, symbol)} ${style.paint('strong', many)}: ${sentence(one)}`;
}

function indentOf(action: PlannedAction, service: string): number {
  return isAt(action, service) ? 0 : 2;
}

/** Renders a title, such as `~ production.redis.main: update`. */
export function renderTitle(one: GroupedAction, service: string, style: Style): string[] {
  const { action, movedFrom } = one;
  const indent = indentOf(action, service);
  const { tone } = actionWords[action.action];
  const symbol = symbolOf(action);
  const nameOf = (address: string) => printable(addressBelow(service, address) ?? address);
  const now = isDeployment(action) ? 'deploy' : nameOf(action.address);
  const name = movedFrom === undefined ? now : `${nameOf(movedFrom)} -> ${now}`;
  const words = [sentence(one), ...(movedFrom === undefined || isMovedInState(action) ? [] : [movedWords(one)])];
  const title = `${symbol} ${name}: ${words.join('; ')}`;
  const [first = '', ...rest] = fits(title, indent, style) ? [title] : fold(title, indent + 4, style);
  const start = `${symbol} ${name}:`;
  const isWhole = first.startsWith(start);
  const sign = symbol === ' ' ? symbol : style.paint(tone, symbol);
  const head = isWhole ? `${style.paint('strong', name)}:${first.slice(start.length)}` : first.slice(symbol.length + 1);
  return indented([`${sign} ${head}`, ...indented(rest, 4)], indent);
}

function risky(line: string, at: number, style: Style): string {
  return style.paint('bad', at === 0 ? line : `  ${line}`);
}

/** Renders what goes with a service because the platform deletes it too: one line for each sort. */
export function renderGoingAlong(actions: readonly PlannedAction[], service: string, style: Style): string[] {
  const parts = groupBy(
    actions.flatMap((action) => {
      const part = partOf(action, service, style);
      return part === undefined ? [] : [[part.section, part.name] as const];
    }),
  );
  const lines = [...parts].flatMap(([section, names]) => {
    const noun = section.endsWith('s') ? counted(names.length, section.slice(0, -1)) : `${names.length} of ${section}`;
    return partLine(`${noun} with it`, names, 4, style);
  });
  return indented(lines, 4);
}

/** The name of what only goes because its service goes; undefined for what needs a block of its own. */
export function partOf(
  { address, action, goesWithParent, notes, dataAtRisk }: PlannedAction,
  service: string,
  { isFull }: Style,
): { readonly section: string; readonly name: string } | undefined {
  const isQuiet = action === 'delete' && goesWithParent === true && notes.length === 0 && dataAtRisk === undefined;
  if (!isQuiet || isFull) return undefined;
  const found = /^(\w+)(?:\.([\w-]+)|\[("(?:[^"\\]|\\.)*")\])$/.exec(addressBelow(service, address) ?? '');
  if (found === null) return undefined;
  const [, section = '', plain, quoted = '""'] = found;
  return { section, name: plain ?? (JSON.parse(quoted) as string) };
}

/** Parts of what goes, of one sort. */
function partLine(noun: string, names: readonly string[], indent: number, style: Style): string[] {
  const shown = style.isFull ? names : names.slice(0, maxParts);
  const more = names.length - shown.length;
  const words = [...shown.map(printable), ...(more === 0 ? [] : [`${more} more`])].join(', ');
  const [first = '', ...rest] = hanging(`${noun}: ${words}`, 2, indent, style);
  return names.length === 0 ? [] : [`${style.paint('bad', '-')} ${first}`, ...rest];
}

/** The number of parts of one sort that are named. */
const maxParts = 12;

function sentence(one: GroupedAction): string {
  const { name, id, detail } = sentenceOf(one);
  return `${name}${id === undefined ? '' : ` (${printable(id)})`}${detail}`;
}

function risk(action: PlannedAction): string[] {
  return action.dataAtRisk === undefined ? [] : [`! data at risk: ${action.dataAtRisk} (${permission(action)})`];
}
