/** The rows of a table in a page, by the head of its first column; each row as its cells. */
export function tableRows(text: string, firstColumn: string): string[][] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    if (!line.startsWith(`| ${firstColumn} |`)) return [];
    const rest = lines.slice(at + 2);
    return rest
      .slice(
        0,
        rest.findIndex((next) => !next.startsWith('|')),
      )
      .map(cellsOf);
  });
}

/** The cells of one row; a bar in a cell is escaped. */
function cellsOf(line: string): string[] {
  return line
    .slice(2, -2)
    .split(' | ')
    .map((cell) => cell.replaceAll('\\|', '|'));
}
