import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Box, Layout } from '../../src/graph/layout.ts';
import { boxHeight, placeBoxes } from '../../src/graph/layout.ts';

const box = (id: string): Box => ({ id, width: 100 });
const place = ({ boxes }: Layout, id: string) => boxes.find((one) => one.id === id);

it('places what is needed to the left of what needs it, in the middle of it', () => {
  const layout = placeBoxes(['a', 'b', 'c'].map(box), [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'c' },
  ]);
  expect(place(layout, 'a')).toMatchObject({ x: 0, y: 17 });
  expect(place(layout, 'b')).toMatchObject({ x: 144, y: 0 });
  expect(place(layout, 'c')).toMatchObject({ x: 144, y: 34 });
  expect(layout).toMatchObject({ width: 244, height: 60 });
});

it('fills rows with boxes that no line connects', () => {
  const { boxes, width } = placeBoxes(
    Array.from({ length: 20 }, (_, at) => box(`${at}`)),
    [],
  );
  expect(new Set(boxes.map(({ y }) => y)).size).toBe(3);
  expect(width).toBeLessThanOrEqual(820);
});

it('places nothing without boxes', () => {
  expect(placeBoxes([], [{ from: 'a', to: 'b' }])).toEqual({ boxes: [], width: 0, height: 0 });
});

const graphs = fc.integer({ min: 1, max: 30 }).chain((count) => {
  const node = fc.integer({ min: 0, max: count }).map(String);
  return fc.record({
    boxes: fc
      .array(fc.integer({ min: 20, max: 300 }), { minLength: count, maxLength: count })
      .map((widths): Box[] => widths.map((width, at) => ({ id: `${at}`, width }))),
    lines: fc.array(fc.record({ from: node, to: node })),
  });
});

it('never places two boxes over each other, circles or not, and never anything outside', () => {
  fc.assert(
    fc.property(graphs, ({ boxes, lines }) => {
      const layout = placeBoxes(boxes, lines);
      expect(layout.boxes.map(({ id }) => id).toSorted()).toEqual(boxes.map(({ id }) => id).toSorted());
      for (const [at, one] of layout.boxes.entries()) {
        expect(Math.min(one.x, one.y)).toBeGreaterThanOrEqual(0);
        expect(one.x + one.width).toBeLessThanOrEqual(layout.width);
        expect(one.y + boxHeight).toBeLessThanOrEqual(layout.height);
        for (const other of layout.boxes.slice(at + 1)) {
          const isBeside = one.x + one.width <= other.x || other.x + other.width <= one.x;
          expect(isBeside || Math.abs(one.y - other.y) >= boxHeight).toBe(true);
        }
      }
      expect(placeBoxes(boxes, lines)).toEqual(layout);
    }),
  );
});

it('lets every line go to the right where there is no circle', () => {
  fc.assert(
    fc.property(graphs, ({ boxes, lines }) => {
      const forward = lines.filter(({ from, to }) => Number(from) < Number(to));
      const layout = placeBoxes(boxes, forward);
      const ends = forward.flatMap(({ from, to }) => {
        const [start, end] = [place(layout, from), place(layout, to)];
        return start === undefined || end === undefined ? [] : [end.x - start.x - start.width];
      });
      expect(Math.min(1, ...ends)).toBeGreaterThan(0);
    }),
  );
});

it('places 5,000 boxes', () => {
  const boxes = Array.from({ length: 5_000 }, (_, at) => box(`${at}`));
  const lines = boxes.slice(1).map(({ id }, at) => ({ from: `${Math.floor(at / 3)}`, to: id }));
  expect(placeBoxes(boxes, lines).boxes).toHaveLength(5_000);
});
