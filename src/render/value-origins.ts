import { positionText, type Position } from '../diagnostics/diagnostic.ts';
import type { ValueOrigin, ValuePlace } from '../manifest/value-origin.ts';
import { hanging, indented } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** Where values come from: what counts first, and below it what it stands over and what its expressions name. */
export function renderOrigins(origins: readonly ValueOrigin[], style: Style): string[] {
  const lines = (text: string, columns: number) => indented(hanging(printable(text), 2, columns, style), columns);
  const below = ({ places, uses }: ValueOrigin): string[] => [
    ...places.slice(1).map((place) => `over: ${wordsOf(place)}`),
    ...uses.map(({ expression, from }) => `${expression}: ${'by' in from ? from.by : positionText(from.position)}`),
  ];
  return [
    'Values come from:',
    ...origins.flatMap((origin) => [
      ...lines(`${origin.path}: ${firstOf(origin)}`, 2),
      ...below(origin).flatMap((text) => lines(text, 4)),
    ]),
  ];
}

function firstOf({ places: [first], reset }: ValueOrigin): string {
  return first === undefined ? `taken out by !reset, ${textOf(reset)}` : wordsOf(first);
}

function wordsOf({ is, name = '', position, hole, reset }: ValuePlace): string {
  const what = {
    changes: 'changes, ',
    block: '',
    template: `template ${name}, `,
    parameter: `parameter ${name}, `,
    default: `default of the parameter ${name}, `,
  }[is];
  const [inTemplate, behind] = [hole && `, in the template at ${textOf(hole)}`, reset && `, behind !reset`];
  // The hole knows the uses of the template; a default has the same.
  const uses = (hole ?? position).uses ?? [];
  const used = uses.map((use) => `, used at ${positionText(use)}`);
  return [what, positionText(position), inTemplate ?? '', ...used, behind ?? ''].join('');
}

function textOf(position: Position | undefined): string {
  return position === undefined ? '' : positionText(position);
}
