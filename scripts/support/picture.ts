/** What a screen reader says of the picture of the README. */
export const pictureTitle =
  'A plan: a new image, a changed variable and port, a limit changed on the platform, and the deployments';

/** The colours of a picture, by the code of a terminal: in light and in dark surroundings. */
const colours: Readonly<Record<string, readonly [name: string, light: string, dark: string]>> = {
  '31': ['red', '#b42318', '#ff7b72'],
  '32': ['green', '#116329', '#7ee787'],
  '33': ['yellow', '#8a5700', '#e3b341'],
  '36': ['cyan', '#0b6bcb', '#79c0ff'],
  '2': ['dim', '#57606a', '#9da7b3'],
  '1': ['bold', '#1f2328', '#e6edf3'],
};

/** Pixels of a character, of a line, and around the text. */
const size = { column: 8.4, line: 19, edge: 16 };

/** A part of a line, with the code of its colour; undefined for plain text. */
interface Part {
  readonly text: string;
  readonly code: string | undefined;
}

/**
 * Draws text of a terminal, with the codes that Trueup prints, as an SVG that needs nothing else: light or dark as its reader
 * prefers. `title` is what a screen reader says.
 */
export function pictureOf(
  text: string,
  { title, columns }: { readonly title: string; readonly columns: number },
): string {
  const lines = text.replace(/\n+$/, '').split('\n');
  const [width, height] = [Math.ceil(columns * size.column) + 2 * size.edge, lines.length * size.line + 2 * size.edge];
  const rules = (at: 1 | 2) =>
    Object.values(colours)
      .map((colour) => `.${colour[0]}{fill:${colour[at]}}`)
      .join('');
  const rows = lines.map((line, index) => {
    const y = size.edge + (index + 0.75) * size.line;
    const spans = partsOf(line).map(({ text: part, code }) => {
      const name = code === undefined ? undefined : colours[code]?.[0];
      return name === undefined ? escaped(part) : `<tspan class="${name}">${escaped(part)}</tspan>`;
    });
    return `<text x="${size.edge}" y="${y.toFixed(1)}" xml:space="preserve">${spans.join('')}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="${escaped(title)}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>${escaped(title)}</title>
<style>rect{fill:#f6f8fa}text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}.bold{font-weight:600}${rules(1)}@media (prefers-color-scheme:dark){rect{fill:#161b22}text{fill:#e6edf3}${rules(2)}}</style>
<rect width="100%" height="100%" rx="8"/>
${rows.join('\n')}
</svg>
`;
}

function partsOf(line: string): Part[] {
  const parts: Part[] = [];
  let code: string | undefined;
  // eslint-disable-next-line no-control-regex -- the codes of a terminal begin with it
  for (const [index, piece] of line.split(/\u001b\[(\d+)m/).entries()) {
    if (index % 2 === 1) code = Object.hasOwn(colours, piece) ? piece : undefined;
    else if (piece !== '') parts.push({ text: piece, code });
  }
  return parts;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
