import { boxHeight, placeBoxes } from '../graph/layout.ts';
import { addressBelow } from '../kind/address.ts';
import { columnsOf, shortened } from './columns.ts';
import { type GraphEdge, type GraphNode, edgesAcross, groupGraph } from './graph-model.ts';
import { counted } from './fold-lines.ts';
import { type Markup, markup, together, trusted } from './markup.ts';
import { printable } from './printable.ts';
import { signOf } from './progress-rows.ts';
import { actionWords } from './action-words.ts';

/** A picture with its size in pixels. */
interface Picture {
  readonly shapes: Markup;
  readonly width: number;
  readonly height: number;
  /** The top left corners of the boxes. */
  readonly places: ReadonlyMap<string, Corner>;
}

interface Corner {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** How a box is drawn. */
interface Drawing {
  /** The address of the environment, which the names in the boxes leave out. */
  readonly below?: string | undefined;
  /** The fragment that a box links to; undefined: nowhere. */
  readonly linkOf?: ((address: string) => string | undefined) | undefined;
}

/** Most columns of a name in a box; the width of a column, and the free pixels beside the name. */
const maxColumns = 34;
const columnWidth = 7;
const padding = 20;

/** Draws blocks and the dependencies between them: what is needed stands to the left of what needs it. */
export function drawGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[], drawing: Drawing = {}): Picture {
  const inside = new Set(nodes.map(({ address }) => address));
  const named = new Map(
    nodes.map((node) => [node.address, nameOf(node, inside.has(node.parent ?? '') ? node.parent : drawing.below)]),
  );
  const boxes = nodes.map(({ address }) => ({
    id: address,
    width: Math.ceil(columnsOf(named.get(address) ?? '') * columnWidth) + padding,
  }));
  const layout = placeBoxes(
    boxes,
    edges.map(({ from, to }) => ({ from: to, to: from })),
  );
  const places = new Map(layout.boxes.map(({ id, x, y, width }) => [id, { x, y, width }]));
  const numbers = new Map(nodes.map(({ address }, at) => [address, at]));
  const lines = edges.flatMap(({ from, to }) => {
    const [start, end] = [places.get(to), places.get(from)];
    if (start === undefined || end === undefined) return [];
    return [
      markup`<path class="edge" data-from="${numbers.get(from)}" data-to="${numbers.get(to)}" d="${curve(start, end)}"/>`,
    ];
  });
  const drawn = nodes.flatMap((node, at) => {
    const place = places.get(node.address);
    return place === undefined ? [] : [drawNode(node, { place, at, name: named.get(node.address) ?? '', ...drawing })];
  });
  return { shapes: together([...lines, ...drawn]), width: layout.width, height: layout.height, places };
}

/** The name in a box: the sign of the action, and the address without that of its parent or of the environment. */
function nameOf({ address, action }: GraphNode, below: string | undefined): string {
  const name = shortened(printable(addressBelow(below, address) ?? address), maxColumns);
  return `${signOf(action)}${name}`;
}

function drawNode(
  { address, kind, action }: GraphNode,
  { place, at, name, linkOf }: Drawing & { readonly place: Corner; readonly at: number; readonly name: string },
): Markup {
  const { x, y, width } = place;
  const title = `${address} (${kind})${action === undefined ? '' : `: ${actionWords[action].sign}`}`;
  const box = markup`<g class="node ${action ?? 'plain'}" data-node="${at}" data-address="${address}" data-kind="${kind}"><title>${title}</title><rect x="${x}" y="${y}" width="${width}" height="${boxHeight}" rx="4"/><text x="${x + padding / 2}" y="${y + 17}">${name}</text></g>`;
  const link = linkOf?.(address);
  return link === undefined ? box : markup`<a href="#${link}">${box}</a>`;
}

/** A curve from the right side of one box to the left side of another. */
function curve(start: Corner, end: Corner): string {
  const [x1, y1] = [start.x + start.width, start.y + boxHeight / 2];
  const [x2, y2] = [end.x, end.y + boxHeight / 2];
  const bend = Math.max(20, Math.round(Math.abs(x2 - x1) / 2));
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** Pixels around the whole drawing, around the blocks of an environment, and for its title. */
const margin = 16;
const frame = { padding: 14, title: 30, gap: 18 };

/** A graph as an SVG file of its own: the environments one below the other. */
export function renderSvg(nodes: readonly GraphNode[]): string {
  let [top, width] = [margin, 0];
  const places = new Map<string, Corner>();
  const groups = groupGraph(nodes).map(({ environment, nodes: members, edges }) => {
    const picture = drawGraph(members, edges, { below: environment });
    const [left, above] = [margin + frame.padding, top + frame.title];
    const title = printable(environment ?? 'project');
    const titleWidth = columnsOf(title) * 8;
    const inner = Math.max(picture.width, titleWidth) + 2 * frame.padding;
    const height = picture.height + frame.title + frame.padding;
    for (const [address, place] of picture.places)
      places.set(address, { ...place, x: place.x + left, y: place.y + above });
    const around = markup`<rect class="frame" x="${margin}" y="${top}" width="${inner}" height="${height}" rx="6"/><text class="title" x="${left}" y="${top + 20}">${title}</text>`;
    const within = markup`<g transform="translate(${left} ${above})">${picture.shapes}</g>`;
    top += height + frame.gap;
    width = Math.max(width, inner);
    return { around, within };
  });
  const across = edgesAcross(nodes).flatMap(({ from, to }) => {
    const [start, end] = [places.get(to), places.get(from)];
    return start === undefined || end === undefined
      ? []
      : [markup`<path class="edge across" d="${curve(start, end)}"/>`];
  });
  const [w, h] = [width + 2 * margin, top - frame.gap + margin];
  const title = `${counted(nodes.length, 'resource')} and their dependencies`;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" aria-label="${title}"><style>${trusted(style)}</style><rect class="page" width="${w}" height="${h}"/>${groups.map(({ around }) => around)}${across}${groups.map(({ within }) => within)}</svg>\n`
    .text;
}

const style =
  'text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1c1d1f}.title{font-weight:600}' +
  '.page{fill:#fff}.frame{fill:#f6f6f4;stroke:#dcdcd8}.node rect{fill:#fff;stroke:#b9bcc2}' +
  '.edge{fill:none;stroke:#8b9099}.across{stroke-dasharray:4 3}' +
  '@media(prefers-color-scheme:dark){text{fill:#e6e6e4}.page{fill:#131416}.frame{fill:#1a1c1f;stroke:#33363c}' +
  '.node rect{fill:#24272b;stroke:#555a63}.edge{stroke:#80868f}}';
