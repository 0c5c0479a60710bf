import { type ApiError, failed } from './error-answers.ts';
import type { Json, Row } from './json-rows.ts';

type Variables = Readonly<Record<string, string>>;

/** What the variables of a file are filled in from, and how. */
interface Filling {
  readonly variables: Variables;
  /** A stack refuses a `$` that begins no variable, which compose takes as text. */
  readonly isStack: boolean;
  /** Where in the file a text stands. */
  readonly path: string;
}

/** Puts variables into all texts of a compose file, as compose does. @throws {ApiError} for a wrong form, and for a variable that has to be set. */
export function interpolated(content: Row, variables: Variables, isStack: boolean): Row {
  const within = (value: Json, path: string): Json => {
    if (typeof value === 'string') return interpolate(value, { variables, isStack, path });
    if (Array.isArray(value)) return value.map((item, at) => within(item, `${path}[${at}]`));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, item]) => [key, within(item, path === '' ? key : `${path}.${key}`)]));
  };
  return within(content, '') as Row; // a map stays one
}

/** `$$`, `$NAME`, `${NAME}`, and the forms with an operator, whose second half can hold others. */
function interpolate(text: string, filling: Filling): string {
  let result = '';
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('$', at);
    if (next === -1) return result + text.slice(at);
    result += text.slice(at, next);
    const name = /^\$([a-z_]\w*)/i.exec(text.slice(next))?.[1];
    if (text[next + 1] === '$') {
      result += '$';
      at = next + 2;
    } else if (name !== undefined) {
      result += filling.variables[name] ?? '';
      at = next + 1 + name.length;
    } else if (text[next + 1] === '{') {
      const end = endOfBraces(text, next);
      if (end === -1) throw wrongForm(text, filling);
      result += substitute(text.slice(next + 2, end), text, filling);
      at = end + 1;
    } else {
      if (filling.isStack) throw wrongForm(text, filling);
      result += '$';
      at = next + 1;
    }
  }
  return result;
}

function endOfBraces(text: string, start: number): number {
  let depth = 0;
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function substitute(inner: string, text: string, filling: Filling): string {
  const { variables, path } = filling;
  const [, name = '', operator = '', rest = ''] = /^([A-Za-z_]\w*)(?:(:?[-?+])([^]*))?$/.exec(inner) ?? [];
  if (name === '') throw wrongForm(text, filling);
  const value = variables[name];
  const isSet = value !== undefined && !(operator.startsWith(':') && value === '');
  // A stack takes a default as it stands. Measured with docker 28.
  const other = () => (filling.isStack ? rest : interpolate(rest, filling));
  switch (operator.slice(-1)) {
    case '-':
      return isSet ? value : other();
    case '+':
      return isSet ? other() : '';
    case '?': {
      if (isSet) return value;
      const message = `error while interpolating ${path}: required variable ${name} is missing a value: ${rest}`;
      throw failed(message);
    }
    default:
      return value ?? '';
  }
}

function wrongForm(text: string, { path }: Filling): ApiError {
  return failed(`invalid interpolation format for ${path}: "${text}"`);
}
