import { groupBy } from '../kind/group.ts';
import { topological } from './order.ts';

/** A node of a drawing. */
export interface Box {
  readonly id: string;
  /** Pixels. */
  readonly width: number;
}

/** A line of a drawing: `to` stands to the right of `from`. Lines between boxes that are not there are left out. */
export interface Line {
  readonly from: string;
  readonly to: string;
}

/** A box with its place: the top left corner, in pixels. */
interface Placed extends Box {
  readonly x: number;
  readonly y: number;
}

/** A drawing with its size in pixels. */
export interface Layout {
  readonly boxes: readonly Placed[];
  readonly width: number;
  readonly height: number;
}

/** The height of a box, and the gaps between boxes and between parts that no line connects. Pixels. */
export const boxHeight = 26;
const gap = { x: 44, y: 8, part: 20 };

/** The width at which parts go on in the next row, unless one part is wider. Pixels. */
const pageWidth = 820;

/** Sweeps over the columns that move boxes towards those they are connected with. */
const sweeps = 6;

/**
 * Places boxes in columns, so that every line goes to the right; of a circle, lines also go back. Connected boxes stand
 * together, the others fill rows. Takes time in proportion to boxes and lines, times the logarithm of the boxes.
 */
export function placeBoxes(boxes: readonly Box[], lines: readonly Line[]): Layout {
  const known = new Set(boxes.map(({ id }) => id));
  const present = lines.filter(({ from, to }) => from !== to && known.has(from) && known.has(to));
  const placed: Placed[] = [];
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const part of partsOf(boxes, present)) {
    const layout = placePart(part.boxes, part.lines);
    if (x > 0 && x + layout.width > pageWidth) [x, y, rowHeight] = [0, y + rowHeight + gap.part, 0];
    for (const box of layout.boxes) placed.push({ ...box, x: box.x + x, y: box.y + y });
    width = Math.max(width, x + layout.width);
    rowHeight = Math.max(rowHeight, layout.height);
    x += layout.width + gap.part;
  }
  return { boxes: placed, width, height: y + rowHeight };
}

interface Part {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

/** Boxes that lines connect, together: larger parts first, then in the order given. */
function partsOf(boxes: readonly Box[], lines: readonly Line[]): Part[] {
  const neighbours = groupBy(lines.flatMap(({ from, to }) => [[from, to] as const, [to, from] as const]));
  const partOf = new Map<string, number>();
  let parts = 0;
  for (const { id } of boxes) {
    if (partOf.has(id)) continue;
    const open = [id];
    partOf.set(id, parts);
    for (const one of open) {
      for (const next of neighbours.get(one) ?? []) {
        if (partOf.has(next)) continue;
        partOf.set(next, parts);
        open.push(next); // the loop goes on to what is added meanwhile
      }
    }
    parts += 1;
  }
  const boxesOf = groupBy(boxes.map((box) => [partOf.get(box.id), box] as const));
  const linesOf = groupBy(lines.map((line) => [partOf.get(line.from), line] as const));
  return [...boxesOf]
    .map(([part, some]) => ({ boxes: some, lines: linesOf.get(part) ?? [] }))
    .toSorted((a, b) => b.boxes.length - a.boxes.length);
}

function placePart(boxes: readonly Box[], lines: readonly Line[]): Layout {
  const before = groupBy(lines.map(({ from, to }) => [to, from] as const));
  const after = groupBy(lines.map(({ from, to }) => [from, to] as const));
  const columns = columnsOf(boxes, before);
  const y = new Map<string, number>();
  for (const column of columns) for (const [at, { id }] of column.entries()) y.set(id, at * (boxHeight + gap.y));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForward = sweep % 2 === 0;
    const near = isForward ? before : after;
    for (const column of isForward ? columns : columns.toReversed()) settleColumn(column, near, y);
  }
  const top = Math.min(...y.values());
  const placed: Placed[] = [];
  let x = 0;
  for (const column of columns) {
    for (const box of column) placed.push({ ...box, x, y: Math.round((y.get(box.id) ?? 0) - top) });
    x += Math.max(...column.map(({ width }) => width)) + gap.x;
  }
  return { boxes: placed, width: x - gap.x, height: Math.max(...placed.map((box) => box.y)) + boxHeight };
}

/** The boxes by the longest way to them; what stands in a circle, and behind one, by the order given. */
function columnsOf(boxes: readonly Box[], before: ReadonlyMap<string, readonly string[]>): Box[][] {
  const ids = boxes.map(({ id }) => id);
  const { sorted } = topological(ids, (id) => before.get(id) ?? []);
  const column = new Map<string, number>();
  for (const id of new Set([...sorted, ...ids])) {
    const left = (before.get(id) ?? []).map((one) => column.get(one) ?? -1);
    column.set(id, left.reduce((most, one) => Math.max(most, one), -1) + 1);
  }
  const byColumn = groupBy(boxes.map((box) => [column.get(box.id) ?? 0, box] as const));
  return [...byColumn].toSorted(([a], [b]) => a - b).map(([, some]) => some);
}

/** Moves the boxes of a column to the middle of their neighbours, as far as the others in it leave room. */
function settleColumn(column: Box[], near: ReadonlyMap<string, readonly string[]>, y: Map<string, number>): void {
  const wish = new Map(
    column.map(({ id }) => {
      const others = near.get(id) ?? [];
      const sum = others.reduce((total, one) => total + (y.get(one) ?? 0), 0);
      return [id, others.length === 0 ? (y.get(id) ?? 0) : sum / others.length];
    }),
  );
  const wished = ({ id }: Box): number => wish.get(id) ?? 0;
  column.splice(0, column.length, ...column.toSorted((a, b) => wished(a) - wished(b)));
  const step = boxHeight + gap.y;
  // Boxes that want the same room share it around their mean wish.
  const clusters: { count: number; start: number; sum: number }[] = [];
  for (const [at, box] of column.entries()) {
    let cluster = { count: 1, start: wished(box), sum: wished(box) - at * step };
    let offset = at * step;
    for (let last = clusters.at(-1); last !== undefined; last = clusters.at(-1)) {
      if (last.start + last.count * step <= cluster.start) break;
      clusters.pop();
      offset -= last.count * step;
      const [count, sum] = [last.count + cluster.count, last.sum + cluster.sum];
      cluster = { count, sum, start: sum / count + offset };
    }
    clusters.push(cluster);
  }
  let at = 0;
  for (const { count, start } of clusters) {
    for (let one = 0; one < count; one++) y.set(column[at++]?.id ?? '', start + one * step);
  }
}
