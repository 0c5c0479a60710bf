/** A terminal that breaks lines at its edge, scrolls, and breaks them again when it becomes narrower. */
export interface Screen {
  readonly write: (text: string) => void;
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly resize: (columns: number, rows: number) => void;
  /** The rows that can be seen, without those below the last one that has text. */
  readonly seen: () => string[];
  /** All rows since the beginning. */
  readonly all: () => string[];
}

/** Makes an empty terminal. Each character takes one column. */
export function createScreen(columns: number, rows: number): Screen {
  let size = { columns, rows };
  /** Lines as they were written, of which each takes one row or more. */
  let lines: string[] = [''];
  let [line, column] = [0, 0];
  let wraps = true;
  const rowsOf = (text: string): string[] => {
    const parts = text.match(new RegExp(`.{1,${size.columns}}`, 'g'));
    return parts ?? [''];
  };
  const put = (character: string): void => {
    if (!wraps && column >= size.columns) column = size.columns - 1;
    const text = (lines[line] ?? '').padEnd(column);
    lines[line] = text.slice(0, column) + character + text.slice(column + 1);
    column++;
  };
  const up = (count: number): void => {
    const above = lines.slice(0, line).flatMap((text, at) => rowsOf(text).map((_part, part) => ({ at, part })));
    const top = Math.max(0, above.length + 1 - size.rows);
    const target = above[Math.max(top, above.length - count)];
    if (target === undefined) return;
    // A row within a broken line becomes a line of its own when it is written to.
    const parts = rowsOf(lines[target.at] ?? '');
    const rest = parts.slice(target.part).join('');
    if (target.part > 0) {
      lines.splice(target.at, 1, parts.slice(0, target.part).join(''), rest);
      line = target.at + 1;
    } else line = target.at;
  };
  const obey = (code: string): void => {
    const [, number = '', letter = ''] = /\[\??(\d*)([A-Za-z])$/.exec(code) ?? [];
    if (letter === 'A') up(Number(number));
    else if (letter === 'K') lines[line] = (lines[line] ?? '').slice(0, column);
    else if (letter === 'J') {
      lines[line] = (lines[line] ?? '').slice(0, column);
      lines = lines.slice(0, line + 1);
    } else if (letter === 'h' || letter === 'l') wraps = letter === 'h';
    else if (letter !== 'm') throw new Error(`a terminal is told ${JSON.stringify(code)}`);
  };
  const write = (text: string): void => {
    // eslint-disable-next-line no-control-regex -- what a terminal obeys
    for (const [part] of text.matchAll(/\u001B\[\??\d*[A-Za-z]|[\s\S]/gu)) {
      if (part.length > 1 && part.startsWith('\u001B')) obey(part);
      else if (part === '\r') column = 0;
      else if (part === '\n') {
        line++;
        column = 0;
        lines[line] ??= '';
      } else put(part);
    }
  };
  const all = () => lines.flatMap(rowsOf);
  return {
    write,
    size: () => size,
    resize: (columns, rows) => {
      size = { columns, rows };
    },
    all,
    seen: () => {
      const shown = all().slice(-size.rows);
      while (shown.at(-1) === '') shown.pop();
      return shown;
    },
  };
}
