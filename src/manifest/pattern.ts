import vm from 'node:vm';
import { once } from '../api/once.ts';
import { stop } from '../diagnostics/diagnostic.ts';
import type { Report } from './report-at.ts';
import { type Node, type Place, position, textOf } from './tree.ts';

/** A regular expression of a manifest, which may come from a pull request. */
export interface Pattern {
  readonly text: string;
  /** Matches whole texts. */
  readonly whole: RegExp;
  readonly at: Place;
}

/** Most characters of a pattern, and most milliseconds that it may take for one text. */
export const maxCharacters = 1_000;
const maxMilliseconds = 1_000;

/** Reads the pattern at a key; undefined where it is left out or wrong, which is reported. */
export function readPattern(name: string, node: Node | undefined, report: Report): Pattern | undefined {
  const text = textOf(node);
  if (node === undefined || text === undefined) return undefined;
  try {
    // By itself first: its brackets must not close those around it.
    void new RegExp(text, 'u');
    return { text, whole: new RegExp(`^(?:${text})$`, 'u'), at: node.at };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^.*\/u?: /s, '') : String(error);
    const remedy = 'Correct the regular expression. A sign that stands for itself needs a \\ before it.';
    report('wrong-type', `${name} is no regular expression of JavaScript: ${why}`, node.at, remedy);
    return undefined;
  }
}

/** A script that a time limit can end, which no regular expression by itself has. */
const matcher = once(() => ({ script: new vm.Script('whole.test(text)'), context: vm.createContext({}) }));

/**
 * Whether a pattern matches the whole of a text. `key`: the name of the value.
 * @throws {Stop} `manifest`, when it takes too long: the next text would too
 */
export function matches({ text: pattern, whole, at }: Pattern, text: string, key: string): boolean {
  if (isQuick(pattern, text)) return whole.test(text);
  const { script, context } = matcher();
  try {
    Object.assign(context, { whole, text });
    return script.runInContext(context, { timeout: maxMilliseconds }) === true;
  } catch {
    const message = `the pattern ${pattern} takes more than ${maxMilliseconds / 1_000} s for the value of ${key}`;
    const remedy = 'Write it without repetitions inside of repetitions, such as (a+)+.';
    throw stop('manifest', 'too-large', message, { remedy, position: position(at) });
  }
}

/**
 * Whether a match needs no limit of time, which costs 0.1 ms of CPU: without groups, each repetition tries at most every place
 * of the text, for each place of the ones before it.
 */
function isQuick(pattern: string, text: string): boolean {
  const repetitions = pattern.match(/[*+?{]/g)?.length ?? 0;
  return !pattern.includes('(') && text.length ** repetitions <= 100_000;
}
