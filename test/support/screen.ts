import xterm from '@xterm/headless';

/** A terminal as people use one: it breaks lines at its edge, scrolls, and breaks them again when it becomes narrower. */
export interface Screen {
  readonly write: (text: string) => void;
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** The rows that can be seen, without those below the last one that has text. */
  readonly seen: () => Promise<string[]>;
  /** All rows since the beginning, without those below the last one that has text. */
  readonly all: () => Promise<string[]>;
}

/** Makes an empty terminal. */
export function createScreen(columns: number, rows: number): Screen {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 100_000,
    convertEol: true,
    allowProposedApi: true,
  });
  // A program that writes to a terminal sees no text of it; the terminal obeys when it gets around to it.
  const obey = () => new Promise<void>((resolve) => terminal.write('', resolve));
  const rowsFrom = async (first: 'begin' | 'screen'): Promise<string[]> => {
    await obey();
    const { active } = terminal.buffer;
    const from = first === 'begin' ? 0 : active.baseY;
    const shown = Array.from(
      { length: active.length - from },
      (_none, at) => active.getLine(from + at)?.translateToString(true) ?? '',
    );
    while (shown.at(-1) === '') shown.pop();
    return shown;
  };
  return {
    write: (text) => terminal.write(text),
    size: () => ({ columns: terminal.cols, rows: terminal.rows }),
    resize: async (newColumns, newRows) => {
      await obey();
      terminal.resize(newColumns, newRows);
    },
    seen: () => rowsFrom('screen'),
    all: () => rowsFrom('begin'),
  };
}
