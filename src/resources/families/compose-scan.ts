/** Characters without a meaning of their own in YAML beside those that the scanner reads: no tab, no control character. */
const common = /^[\n\x20-\x7E\u00A1-\u1FFF\u2010-\u2027\u2030-\uD7FF]*$/;
/** The indentation, the dash of an item, a key, and what stands behind them. */
const parts = /^( *)(- +)?(?:([A-Za-z][\w.-]{0,199}):(?: +|$))?(.*)$/;
/** Keys that are no text. */
const notText = /^(?:null|true|false)$/i;
const item = String.raw`(?:"[^"\\]*"|'[^']*'|-{0,2}[A-Za-z0-9_./$][\w./$@=+-]*(?::[\w./$@=+-]+)*)`;
/** A text in quotes, or brackets with simple texts. */
const enclosed = new RegExp(
  String.raw`^(?:"(?:[^"\\]|\\["\\/nt])*"|'(?:[^']|'')*'|\[(?:${item}(?:, *${item})*)?\]|\{\})(?: +#.*)?$`,
);
/** A text without quotes, in one line. */
const plain = /^(?:[A-Za-z0-9_./$~^+=(;\\]|-(?=\S))(?:[^\s:#]|:(?=\S)|(?<=\S)#| +(?=[^\s#]))*(?: +#.*)?$/;
const literal = /^[|>][-+]?$/;

const longest = 1_000_000;
const deepest = 40;

/** A map or a list that lines can go on with. */
interface Level {
  readonly column: number;
  /** undefined: a list. */
  readonly keys: Set<string> | undefined;
}

/**
 * The names of the services of a compose file that is written in the simple way: maps and lists by their indentation, values in
 * one line, and texts below `|` and `>`. undefined: it has anything else, such as an anchor, or a mistake; then only a parser
 * can say what it means. Takes linear time. Never throws.
 */
export function scanServices(text: string): readonly string[] | undefined {
  if (text.length > longest || !common.test(text)) return undefined;
  const lines = text.split('\n');
  const services: string[] = [];
  const levels: Level[] = [];
  let section = '';
  /** The last line is a key without a value: the next one may begin a map or a list below it. */
  let isOpen = false;

  for (let at = 0; at < lines.length; at++) {
    const [, { length: column } = '', dash, key, written = ''] = parts.exec(lines[at] ?? '') ?? [];
    const value = written.trimEnd();
    const isComment = value.startsWith('#');
    if (dash === undefined && key === undefined && (value === '' || isComment)) continue;
    let top = levels.at(-1);
    for (; top !== undefined && top.column > column; isOpen = false) {
      levels.pop();
      top = levels.at(-1);
    }
    if (dash !== undefined) {
      const isNext = top?.keys === undefined && top?.column === column;
      if (!isNext && (!isOpen || top?.keys === undefined)) return undefined;
      if (!isNext) levels.push({ column, keys: undefined });
      if (key !== undefined) levels.push({ column: column + dash.length, keys: new Set() });
    } else {
      if (top?.keys === undefined && top?.column === column) {
        levels.pop(); // a list may stand in the column of its key
        top = levels.at(-1);
      }
      if (top?.keys === undefined || top.column !== column) {
        const begins = top === undefined ? column === 0 : isOpen && top.keys !== undefined;
        if (!begins) return undefined;
        levels.push({ column, keys: new Set() });
      }
    }
    const { keys } = levels.at(-1) ?? {};
    if (levels.length > deepest) return undefined;
    if (key !== undefined) {
      if (keys === undefined || keys.has(key) || notText.test(key)) return undefined;
      keys.add(key);
      if (levels.length === 1) section = key;
      if (levels.length === 2 && section === 'services') services.push(key);
    } else if (dash === undefined) return undefined;
    isOpen = key !== undefined && (value === '' || isComment);
    if (isOpen || plain.test(value) || enclosed.test(value)) continue;
    if (!literal.test(value)) return undefined;
    const end = endOfText(lines, at, key === undefined ? column : (levels.at(-1)?.column ?? 0));
    if (end === undefined) return undefined;
    at = end;
  }
  return levels.length === 0 ? undefined : services;
}

/** The last line of a text below `|` or `>`; undefined where its indentation says not clearly which one. */
function endOfText(lines: readonly string[], header: number, parent: number): number | undefined {
  const column = indentation(lines[header + 1] ?? '');
  if (column === undefined || column <= parent) return undefined;
  let end = header + 1;
  for (let at = end + 1; at < lines.length; at++) {
    const found = indentation(lines[at] ?? '');
    if (found !== undefined && found <= parent) break;
    if (found !== undefined && found < column) return undefined;
    end = at;
  }
  return end;
}

/** The column in which a line begins; undefined for one without text. */
function indentation(line: string): number | undefined {
  const column = line.search(/[^ ]/);
  return column === -1 ? undefined : column;
}
