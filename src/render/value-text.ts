import type { Json } from '../kind/json.ts';
import type { Shown } from '../plan/action.ts';
import { printable } from './printable.ts';

/** Renders a value on one line; a text of several lines as the number of its lines. */
export function inlineShown(shown: Shown): string {
  switch (shown.is) {
    case 'value':
    case 'masked':
      return inlineValue(shown.value);
    case 'hidden':
      return '(sensitive)';
    case 'absent':
      return '(none)';
    case 'known after apply':
      return '(known after apply)';
    default:
      return shown satisfies never;
  }
}

/** A text of several lines, or undefined for anything else. */
export function longText(shown: Shown): string | undefined {
  const value = valueOf(shown);
  return typeof value === 'string' && isLong(value) ? value : undefined;
}

/** A value as text to compare line by line: several lines of text, or a list or map spread out. */
export function spreadText(shown: Shown): string | undefined {
  const value = valueOf(shown);
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : undefined;
}

/** The value that is shown, whole or with its secret parts replaced; undefined for what is not shown. */
export function valueOf(shown: Shown): Json | undefined {
  return shown.is === 'value' || shown.is === 'masked' ? shown.value : undefined;
}

function inlineValue(value: Json): string {
  if (typeof value === 'string') return isLong(value) ? countLines(value) : quoted(value);
  return printable(JSON.stringify(value));
}

/** Bare like in YAML where that cannot be mistaken; otherwise in quotes. */
function quoted(text: string): string {
  const clean = printable(text);
  const isPlain = clean === text && text === text.trim() && text !== '' && !looksOtherwise.test(text);
  return isPlain ? text : clean === text ? JSON.stringify(text) : `"${clean}"`;
}

/** Text that YAML would read as a number, a boolean or null, or that looks like one of our placeholders. */
const looksOtherwise = /^(?:-?[0-9][0-9._eE+-]*|true|false|null|~|\(.*\)|["'].*)$/;

function isLong(text: string): boolean {
  return text.trimEnd().includes('\n');
}

function countLines(text: string): string {
  return `${text.replace(/\n$/, '').split('\n').length} lines`;
}
