import { type Json, isObject } from '../formats/json.ts';
import type { Shown } from './document-schemas.ts';
import { printable } from './printable.ts';
import { countLines } from './text-lines.ts';

/** Renders a value on one line; a text of several lines as the number of its lines. */
export function inlineShown(shown: Shown): string {
  switch (shown.is) {
    case 'value':
    case 'masked':
      return inlineValue(shown.value, shown.is === 'masked', false);
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

/** The value that is shown, whole or with its secret parts replaced; undefined for what is not shown. */
export function valueOf(shown: Shown): Json | undefined {
  return shown.is === 'value' || shown.is === 'masked' ? shown.value : undefined;
}

/** Whether a value is a text of several lines. */
export function isLong(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trimEnd().includes('\n');
}

/** Renders a value as YAML has it on one line. `isNested`: it stands in a list or a map. */
function inlineValue(value: Json, isMasked: boolean, isNested: boolean): string {
  if (isLong(value) && !isNested) return countLines(value);
  if (typeof value === 'string') return isMasked && value === '(sensitive)' ? value : quoted(value, isNested);
  if (Array.isArray(value)) return `[${value.map((item) => inlineValue(item, isMasked, true)).join(', ')}]`;
  if (!isObject(value)) return String(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${quoted(key, true)}: ${inlineValue(member, isMasked, true)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Bare like in YAML where that cannot be mistaken; otherwise in quotes. */
function quoted(text: string, isNested: boolean): string {
  const clean = printable(text);
  const isPlain = clean === text && text === text.trim() && text !== '' && !looksOtherwise.test(text);
  if (isPlain && !(isNested && inFlow.test(text))) return text;
  return clean === text ? JSON.stringify(text) : `"${clean}"`;
}

/** Text that YAML would read as a number, a boolean or null, or that looks like one of our placeholders. */
const looksOtherwise = /^(?:-?[0-9][0-9._eE+-]*|true|false|null|~|\(.*\)|["'].*)$/;

/** What means something else within brackets. */
const inFlow = /[,[\]{}]|: |:$| #/;
