import { type Json, isObject } from '../formats/json.ts';
import type { CommandResult } from '../operate/execute.ts';
import { redacted } from '../secrets/secret.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';

const tones: Readonly<Record<CommandResult['result'], Tone>> = {
  done: 'good',
  ordered: 'info',
  failed: 'bad',
  'not tried': 'change',
};

/** The result of one command, on one line. */
export function renderCommandResult(
  outcome: CommandResult,
  { style, showsSecrets }: { style: Style; showsSecrets: boolean },
): string {
  const { command, result, answer, status, renewed } = outcome;
  const notes = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(answer === undefined ? [] : [answerWords(answer)]),
    ...(renewed === undefined ? [] : [`${command.operation.renews ?? ''} ${showsSecrets ? renewed : redacted}`]),
    ...(result === 'ordered' ? ['trueup status shows how it ends'] : []),
  ];
  const name = style.paint('strong', printable(command.address));
  const words = [`${command.name} ${style.paint(tones[result], result)}`, ...notes.map(printable)].join('; ');
  return `${name}: ${words}\n`;
}

function answerWords(answer: Json): string {
  if (!isObject(answer)) return typeof answer === 'string' ? answer : JSON.stringify(answer);
  return Object.entries(answer)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
