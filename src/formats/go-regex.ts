/**
 * Regular expressions as the proxy of the platform reads them, in the syntax of Go (RE2). The platform takes any text; with
 * one that Go cannot read, the proxy refuses every route that it belongs to. Source of the rules: the package
 * regexp/syntax of Go 1.22. Names of Unicode classes are not looked at.
 */

/** What is known of an expression without its own engine. */
export interface GoRegex {
  /** Why Go cannot read it, as a clause: `has a look-ahead (?=, which Go does not have`. Undefined for a good one. */
  readonly problem: string | undefined;
  /** The number of its groups. */
  readonly groups: number;
  /** The names of its named groups. */
  readonly names: ReadonlySet<string>;
}

/** Reads a regular expression. Never throws. */
export function readGoRegex(text: string): GoRegex {
  const names = new Set<string>();
  let groups = 0;
  let depth = 0;
  let at = 0;
  /** Whether there is something that a `*` can repeat. */
  let isRepeatable = false;
  const rest = () => text.slice(at);
  const found = (problem: string | undefined): GoRegex => ({ problem, groups, names });

  while (at < text.length) {
    const char = text.charAt(at);
    const repeat = repetition.exec(rest())?.[0];
    if (repeat !== undefined) {
      if (!isRepeatable) return found(`has ${repeat} with nothing before it to repeat`);
      const problem = repetitionProblem(repeat);
      if (problem !== undefined) return found(problem);
      at += repeat.length;
      if (text.charAt(at) === '?') at += 1;
      const second = repetition.exec(rest())?.[0];
      if (second !== undefined) return found(`has ${second} behind ${repeat}, which repeats already`);
    } else if (char === '\\') {
      const length = escapeLength(rest(), 'outside');
      if (length === undefined) return found(escapeProblem(rest()));
      at += length;
      isRepeatable = true;
    } else if (char === '[') {
      const length = classLength(rest());
      if (typeof length === 'string') return found(length);
      at += length;
      isRepeatable = true;
    } else if (char === '(') {
      const [, opening = '(', name] = /^(\((?:\?P?<(\w+)>)?)/.exec(rest()) ?? [];
      const settings = /^\(\?(?:[imsU]*(?:-[imsU]+)?)([:)])/.exec(rest());
      if (settings !== null) {
        if (settings[1] === ':') depth += 1;
        at += settings[0].length;
      } else {
        if (opening === '(' && rest().startsWith('(?')) return found(groupProblem(rest()));
        if (name !== undefined && names.has(name)) return found(`has two groups of the name ${name}`);
        if (name !== undefined) names.add(name);
        groups += 1;
        depth += 1;
        at += opening.length;
      }
      isRepeatable = false;
    } else if (char === ')') {
      if (depth === 0) return found('has a ) without its (');
      depth -= 1;
      at += 1;
      isRepeatable = true;
    } else {
      at += 1;
      isRepeatable = char !== '|';
    }
  }
  return found(depth > 0 ? 'has a ( without its )' : undefined);
}

/** Why a replacement does not get what it names, as a clause; undefined when it does. */
export function replacementProblem(replacement: string, { groups, names }: GoRegex): string | undefined {
  for (const [whole, braced, bare] of replacement.matchAll(/\$(?:\$|\{(\w+)\}|(\w+))/g)) {
    const name = braced ?? bare;
    if (name === undefined || names.has(name)) continue;
    const isNumber = /^(0|[1-9]\d*)$/.test(name);
    if (isNumber && Number(name) <= groups) continue;
    const [, number, more] = /^([1-9]\d*)(\D\w*)$/.exec(bare ?? '') ?? [];
    if (number !== undefined && more !== undefined)
      return `names the group "${name}" with ${whole}: a number ends where the braces do, as in \${${number}}${more}`;
    return `names ${whole}, and the expression has ${groups === 0 ? 'no groups' : `${groups} group${groups > 1 ? 's' : ''}`}`;
  }
  return undefined;
}

const repetition = /^(?:[*+?]|\{\d+(?:,\d*)?\})/;

function repetitionProblem(repeat: string): string | undefined {
  const [, least, , most] = /^\{(\d+)(,(\d*))?\}$/.exec(repeat) ?? [];
  if (least === undefined) return undefined;
  const last = most === undefined || most === '' ? least : most;
  if (Number(least) > 1000 || Number(last) > 1000) return `has ${repeat}, and Go repeats at most 1000 times`;
  return Number(last) < Number(least) ? `has ${repeat}, which ends before it begins` : undefined;
}

/** The number of characters of the escape at the beginning; undefined for one that Go does not have. */
function escapeLength(text: string, where: 'outside' | 'in a class'): number | undefined {
  const literal = where === 'outside' ? /^\\Q[^]*?(?:\\E|$)/.exec(text) : null;
  const one =
    literal ??
    /^\\(?:x\{[0-9A-Fa-f]{1,6}\}|x[0-9A-Fa-f]{2}|[pP](?:\{\^?\w+\}|[A-Z])|0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(text) ??
    (where === 'outside' ? /^\\[AbBzCE]/.exec(text) : null) ??
    /^\\[afnrtvdDsSwW]/.exec(text) ??
    /^\\[!-/:-@[-`{-~ ]/.exec(text);
  return one?.[0].length;
}

function escapeProblem(text: string): string {
  const escape = text.slice(0, 2);
  if (escape === '\\') return 'ends with a \\ that nothing follows';
  return /^\\[1-9k]/.test(escape)
    ? `has a back-reference ${escape}, which Go does not have`
    : `has the escape ${escape}, which Go does not have`;
}

function groupProblem(text: string): string {
  const known: readonly [string, string][] = [
    ['(?=', 'a look-ahead'],
    ['(?!', 'a look-ahead'],
    ['(?<=', 'a look-behind'],
    ['(?<!', 'a look-behind'],
    ['(?>', 'an atomic group'],
    ['(?#', 'a comment'],
  ];
  const [begins, what] = known.find(([start]) => text.startsWith(start)) ?? [
    text.slice(0, 3),
    'a group that begins with',
  ];
  return `has ${what} ${begins}, which Go does not have`;
}

/** The number of characters of the class in brackets at the beginning, or what is wrong with it. */
function classLength(text: string): number | string {
  let at = text.startsWith('[^') ? 2 : 1;
  for (let isFirst = true; at < text.length; isFirst = false) {
    if (text.charAt(at) === ']' && !isFirst) return at + 1;
    const named = /^\[:\^?[a-z]+:\]/.exec(text.slice(at));
    if (named !== null) {
      at += named[0].length;
      continue;
    }
    const low = classItem(text.slice(at));
    if (typeof low === 'string') return low;
    at += low;
    const begin = text.slice(at - low, at);
    if (text.charAt(at) !== '-' || text.charAt(at + 1) === ']' || at + 1 >= text.length) continue;
    const high = classItem(text.slice(at + 1));
    if (typeof high === 'string') return high;
    const end = text.slice(at + 1, at + 1 + high);
    at += 1 + high;
    const isPlain = !begin.startsWith('\\') && !end.startsWith('\\');
    if (isPlain && begin > end) return `has the range ${begin}-${end}, which ends before it begins`;
  }
  return 'has a [ without its ]';
}

/** The number of characters of one item of a class, or what is wrong with it. */
function classItem(text: string): number | string {
  if (!text.startsWith('\\')) return text.codePointAt(0) === text.charCodeAt(0) ? 1 : 2;
  return escapeLength(text, 'in a class') ?? escapeProblem(text);
}
