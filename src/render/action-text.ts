import type { Action } from '../plan/action.ts';
import { isMadeFirst } from '../plan/action.ts';
import { renderChange } from './change-text.ts';
import { renderNote } from './diagnostics-text.ts';
import { fold, indented } from './lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { actionWords } from './words.ts';

/** What happens to one resource; below its service its address is told relative to it. */
export function renderAction(action: Action, service: string, style: Style): string[] {
  const isService = action.address === service;
  const indent = isService ? 0 : 2;
  const { tone, symbol: usual } = actionWords[action.action];
  const symbol = isMadeFirst(action) ? '+/-' : usual;
  const name = isService ? action.address : nameBelow(action, service);
  const words = sentence(action);
  const title = `${symbol === ' ' ? ' ' : style.paint(tone, symbol)} ${style.paint('strong', printable(name))}: ${words}`;
  const below = indent + 4;
  return [
    ...indented(action.action === 'deploy' ? fold(title, indent, style) : [title], indent),
    ...indented(
      [
        ...action.changes.flatMap((change) => renderChange(change, below, style)),
        ...risk(action).flatMap((line) => fold(line, below, style).map((part) => style.paint('bad', part))),
        ...action.notes.flatMap((item) => renderNote(item, below, style)),
      ],
      below,
    ),
  ];
}

function nameBelow({ action, address }: Action, service: string): string {
  return action === 'deploy' ? 'deploy' : address.slice(service.length).replace(/^\./, '');
}

/** Why a service is deployed; that it restarts is what somebody who reviews a plan has to know. */
function reason({ because, isOrdered }: Action): string {
  if (isOrdered === true) return 'an earlier run ordered it; it is ordered again if that one does not succeed';
  if (because === undefined) return 'for the first time';
  if (because.length === 0) return 'it restarts, with what is saved and does not run yet';
  const shown = because.slice(0, most).map(printable);
  const rest = because.length - shown.length;
  return `it restarts, with ${[...shown, ...(rest === 0 ? [] : [`${rest} more`])].join(', ')}`;
}

/** How many changes are named of those that a deployment puts into effect. */
const most = 6;

function sentence(action: Action): string {
  const id = action.id === undefined ? '' : ` (${printable(action.id)})`;
  switch (action.action) {
    case 'create':
    case 'update':
      return action.action;
    case 'move':
      return `move below ${printable(action.parent ?? 'the project')}`;
    case 'replace':
      if (isMadeFirst(action))
        return 'replace: created anew; the old one goes when nothing in this manifest uses it any more';
      return `replace${id}: deleted and created anew${action.teardown.length === 0 ? ', with its parent' : ''}`;
    case 'adopt':
      return `adopt${id}: it exists and is taken over${action.steps.length === 0 ? ' as it is' : ''}`;
    case 'delete':
      return `delete${id}${action.teardown.length === 0 ? ', with its parent' : ''}`;
    case 'forget':
      return action.id === undefined
        ? 'forget: it is not on the platform any more'
        : `forget${id}: it stays on the platform and is not managed any more`;
    case 'deploy':
      return reason(action);
    case 'no-op':
      return 'unchanged';
    default:
      return action.action satisfies never;
  }
}

function risk({ dataAtRisk, protect }: Action): string[] {
  if (dataAtRisk === undefined) return [];
  const allowed = protect === false ? 'allowed by protect: false' : 'apply needs --allow-data-loss';
  return [`! data at risk: ${dataAtRisk} (${allowed})`];
}
