import type { Told } from '../apply/carry-out.ts';
import type { Json } from '../kind/json.ts';
import { isObject } from '../kind/json.ts';
import { redacted } from '../secrets/secret.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';

const tones: Readonly<Record<Told['result'], Tone>> = {
  done: 'good',
  ordered: 'info',
  failed: 'bad',
  'not tried': 'change',
};

/** What became of one order, on one line. */
export function renderTold(told: Told, { style, showsSecrets }: { style: Style; showsSecrets: boolean }): string {
  const { order, result, answer, status, renewed } = told;
  const notes = [
    ...(status === undefined ? [] : [`its status is ${status}`]),
    ...(answer === undefined ? [] : [answerWords(answer)]),
    ...(renewed === undefined ? [] : [`${order.way.renews ?? ''} ${showsSecrets ? renewed : redacted}`]),
    ...(result === 'ordered' ? ['trueup status shows what comes of it'] : []),
  ];
  const name = style.paint('strong', printable(order.address));
  const words = [`${order.verb} ${style.paint(tones[result], result)}`, ...notes.map(printable)].join('; ');
  return `${name}: ${words}\n`;
}

function answerWords(answer: Json): string {
  if (!isObject(answer)) return typeof answer === 'string' ? answer : JSON.stringify(answer);
  return Object.entries(answer)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
