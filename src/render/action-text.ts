import { flags } from '../diagnostics/safeguards.ts';
import { groupBy } from '../kind/group.ts';
import { isWithin } from '../kind/address.ts';
import { renderChange } from './change-text.ts';
import { renderNote } from './diagnostics-text.ts';
import type { GroupedAction, PlannedAction } from './groups.ts';
import { isAt, isMovedInState } from './groups.ts';
import { counted, fits, fold, indented } from './lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { actionWords, isDeployment, symbolOf } from './words.ts';

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
  const nameOf = (address: string) => printable(relativeTo(service, address) ?? address);
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

/** An address below a service, without the address of the service; undefined for any other. */
function relativeTo(service: string, address: string): string | undefined {
  return address !== service && isWithin(address, service)
    ? address.slice(service.length).replace(/^\./, '')
    : undefined;
}

function movedWords({ followers }: GroupedAction): string {
  return `moved in the state${followers === 0 ? '' : `, with ${counted(followers, 'object')} below it`}`;
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
  if (!isQuiet || isFull === true) return undefined;
  const found = /^(\w+)(?:\.([\w-]+)|\[("(?:[^"\\]|\\.)*")\])$/.exec(relativeTo(service, address) ?? '');
  if (found === null) return undefined;
  const [, section = '', plain, quoted = '""'] = found;
  return { section, name: plain ?? (JSON.parse(quoted) as string) };
}

/** Parts of what goes, of one sort. */
function partLine(noun: string, names: readonly string[], indent: number, style: Style): string[] {
  const shown = style.isFull === true ? names : names.slice(0, maxParts);
  const more = names.length - shown.length;
  const words = [...shown.map(printable), ...(more === 0 ? [] : [`${more} more`])].join(', ');
  const [first = '', ...rest] = fold(`${noun}: ${words}`, indent + 2, style);
  return names.length === 0 ? [] : [`${style.paint('bad', '-')} ${first}`, ...indented(rest, 2)];
}

/** The number of parts of one sort that are named. */
const maxParts = 12;

/** The reason for a deployment. A reviewer must see that the service restarts. */
function reason({ action: { because, underWay }, isOfReplacement }: GroupedAction): string {
  if (underWay === true) return 'started by an earlier run; started again if that deployment fails';
  if (because === undefined) return isOfReplacement ? 'deployment of the new object' : 'first deployment';
  if (because.length === 0) return 'restarts with saved changes that do not run yet';
  const shown = because.slice(0, maxReasons).map(printable);
  const rest = because.length - shown.length;
  return `restarts with ${[...shown, ...(rest === 0 ? [] : [`${rest} more`])].join(', ')}`;
}

/** The number of changes that the reason of a deployment names. */
const maxReasons = 6;

function sentence(one: GroupedAction): string {
  const { action } = one;
  const id = action.id === undefined ? '' : ` (${printable(action.id)})`;
  const asked = action.asked === true ? ', because --replace asks for it' : '';
  switch (action.action) {
    case 'create':
      return action.action;
    case 'update':
      return action.requests === 0 ? 'update: in the state only, nothing is sent' : action.action;
    case 'move':
      return isMovedInState(action)
        ? `${movedWords(one)}; nothing changes on the platform`
        : `move below ${printable(action.parent ?? 'the project')}`;
    case 'replace':
      if (action.createsBeforeDestroy === true)
        return `replace: create the new object, then delete the old one when nothing here uses it${asked}`;
      return `replace${id}: delete and create again${action.goesWithParent === true ? ', with its parent' : ''}${asked}`;
    case 'adopt':
      if (action.comesWithParent === true) return `adopt: comes with ${printable(action.parent ?? 'its parent')}`;
      return `adopt${id}: exists on the platform and is taken over${action.requests === 0 ? ' unchanged' : ''}`;
    case 'delete':
      return `delete${id}${deletionWords(action)}`;
    case 'forget':
      return action.id === undefined
        ? `remove from state: ${fate(action)}`
        : action.goesWithParent === true
          ? `remove from state${id}: goes with ${printable(action.parent ?? 'its parent')}`
          : `remove from state${id}: stays on the platform, no longer managed`;
    case 'deploy':
      return reason(one);
    case 'no-op':
      return standstill(action);
    default:
      return action.action satisfies never;
  }
}

/** What a plan does with an object that it leaves as it is. A note says why, and may say that the object differs. */
function standstill({ notes }: PlannedAction): string {
  if (notes.some(({ severity }) => severity === 'error')) return 'cannot be applied';
  return notes.length === 0 ? 'unchanged' : 'nothing is written';
}

/** Why an object is deleted; of what goes with a deleted object, nothing: that one has the reason. */
function deletionWords({ why, elsewhere = '', goesWith, goesWithParent }: PlannedAction): string {
  if (goesWithParent === true) return ', with its parent';
  if (goesWith !== undefined) return `, with ${printable(goesWith)}`;
  return why === undefined ? '' : reasons[why](printable(elsewhere));
}

/** The reasons for a deletion. Of `destroy`, the end of the plan has it. */
const reasons: Readonly<Record<NonNullable<PlannedAction['why']>, (elsewhere: string) => string>> = {
  'block removed': () => ': its block was removed',
  'block elsewhere': (address) => `: its block was removed, and ${address} is new`,
  replaced: () => ': the new object replaces it',
  destroy: () => '',
};

/** What becomes of an object without an id that a plan removes from the state. */
function fate({ notes }: PlannedAction): string {
  const has = (code: string) => notes.some((note) => note.code === code);
  if (has('stays-there')) return 'stays on the platform, no longer managed';
  return has('unverified') ? 'whether it is on the platform is not known' : 'no longer on the platform';
}

function risk({ dataAtRisk, protect }: PlannedAction): string[] {
  if (dataAtRisk === undefined) return [];
  const allowed = protect === false ? 'allowed by protect: false' : `apply needs ${flags.dataLoss}`;
  return [`! data at risk: ${dataAtRisk} (${allowed})`];
}
