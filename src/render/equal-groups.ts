import { partOf, renderAction, renderDetails, renderGoingAlong, renderTitle, titleOfMany } from './action-text.ts';
import type { ActionName } from './document-schemas.ts';
import { type Group, type GroupedAction, isAt } from './groups.ts';
import { counted, fold, indented } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** From so many services on, equal changes are one block. */
const minEqual = 3;

/** The number of addresses that such a block names. */
const maxNamed = 3;

/** The lines about a service, or about several with equal changes. */
interface Block {
  /** The service, or the first of several. */
  readonly group: Group;
  readonly title: readonly string[];
  readonly body: readonly string[];
}

/** Renders the groups of a plan as lines, a block each. */
export function renderGroups(groups: readonly Group[], style: Style): string[][] {
  return renderBlocks(groups, style).map(({ title, body }) => [...title, ...body]);
}

/**
 * Renders the groups of a plan, a block each. Equal changes of several services are one block, where the first of them
 * stands; with `isFull` each has its own. What is deleted, replaced or adopted, data at risk and errors always do. Takes
 * time in proportion to the text.
 */
export function renderBlocks(groups: readonly Group[], style: Style): Block[] {
  const rendered = groups.map((group) => ({ group, ...renderParts(group, style) }));
  const equal = new Map<string, string[]>();
  for (const { group, details, children } of rendered) {
    if (style.isFull || !mayFold(group)) continue;
    const key = JSON.stringify([group.isService, rootOf(group)?.action.action, details, children]);
    const addresses = equal.get(key);
    if (addresses === undefined) equal.set(key, [group.address]);
    else addresses.push(group.address);
  }
  const folded = new Map([...equal.values()].flatMap((all) => (all.length < minEqual ? [] : [[all[0] ?? '', all]])));
  const hidden = new Set([...folded.values()].flatMap((all) => all.slice(1)));
  return rendered.flatMap(({ group, title, details, children }) => {
    if (hidden.has(group.address)) return [];
    const all = folded.get(group.address);
    const body = [...details, ...children];
    if (all === undefined) return [{ group, title, body }];
    return [{ group, title: [titleFor(group, all.length, style)], body: [...body, ...placesOf(all, style)] }];
  });
}

/** The lines of a group: of its root, and of everything below that, relative to it. */
function renderParts(group: Group, style: Style): Record<'title' | 'details' | 'children', string[]> {
  const root = rootOf(group);
  const isAlong = ({ action }: GroupedAction) =>
    root !== undefined && partOf(action, group.address, style) !== undefined;
  const children = group.actions
    .filter((one) => one !== root && !isAlong(one))
    .flatMap((one) => renderAction(one, group.address, style));
  if (root === undefined) {
    return { title: [`  ${style.paint('strong', printable(group.address))}`], details: [], children };
  }
  const { address } = group;
  const along = group.actions.filter(isAlong).map(({ action }) => action);
  const details = [...renderDetails(root.action, address, style), ...renderGoingAlong(along, address, style)];
  return { title: renderTitle(root, address, style), details, children };
}

function rootOf({ address, actions }: Group): GroupedAction | undefined {
  return actions.find(({ action }) => isAt(action, address));
}

/** Whether equal actions of several services may be one block. */
const folding: Readonly<Record<ActionName, boolean>> = {
  create: true,
  update: true,
  deploy: true,
  run: true,
  'no-op': true,
  move: false,
  replace: false,
  adopt: false,
  delete: false,
  forget: false,
};

function mayFold({ actions }: Group): boolean {
  return actions.every(({ action: { action, dataAtRisk, notes, movedFrom } }) => {
    const isPlain = folding[action] && movedFrom === undefined && dataAtRisk === undefined;
    return isPlain && notes.every(({ severity }) => severity !== 'error');
  });
}

function titleFor(group: Group, count: number, style: Style): string {
  const many = counted(count, group.isService ? 'service' : 'resource');
  const root = rootOf(group);
  return root === undefined ? `  ${style.paint('strong', many)}` : titleOfMany(root, many, style);
}

function placesOf(addresses: readonly string[], style: Style): string[] {
  const first = addresses.slice(0, maxNamed).map(printable).join(', ');
  const rest = addresses.length - maxNamed;
  const words = rest === 0 ? `in ${first}` : `in ${first} and ${rest} more; --full shows each`;
  return indented(fold(words, 6, style), 4).map((line, index) =>
    style.paint('faint', index === 0 ? line : `  ${line}`),
  );
}
