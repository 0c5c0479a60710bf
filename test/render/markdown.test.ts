import * as fc from 'fast-check';
import type { Node } from 'commonmark';
import { Parser } from 'commonmark';
import { expect, it } from 'vitest';
import { code, codeBlock, foldedPart, htmlCode, link } from '../../src/render/markdown.ts';
import { printable, printed } from '../../src/render/printable.ts';

/** Every node of a text in Markdown, as the reference implementation of CommonMark reads it. */
function nodesOf(markdown: string): Node[] {
  const walker = new Parser().parse(markdown).walker();
  const nodes: Node[] = [];
  for (let event = walker.next(); event !== null; event = walker.next()) if (event.entering) nodes.push(event.node);
  return nodes;
}

const literals = (nodes: readonly Node[], type: string) =>
  nodes.flatMap((node) => (node.type === type ? [node.literal] : []));

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('`', '``', '```', '~~~', '<', '>', '</code>', '</details>', '<!--', '-->', '![x](y)', '[a](b)'),
      fc.constantFrom('@me', '#1', '*', '_', ' ', '\n', '\t', '\\', '|', '/close', 'https://x.example', '&#96;', '&'),
      fc.constantFrom('"', "'", '\u202e', '::x', '##[g]', '\ud800', '$', '---', '1.', '+', 'a'),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

it('foreign text is code, whatever it is', () => {
  fc.assert(
    fc.property(hostile, hostile, fc.array(hostile, { minLength: 1, maxLength: 4 }), (name, other, texts) => {
      const lines = texts.map((text) => `+ ${printable(text)}`);
      const content = `${codeBlock(lines, 'diff')}\n\n${code(other)}`;
      const markdown = `- x ${code(name)} y ${link(other, 'https://h/p#L1')}\n\n${foldedPart(htmlCode(name), content, true)}\n`;
      const nodes = nodesOf(printed(markdown));
      const types = nodes.map(({ type }) => type).filter((type, at, all) => type !== 'text' || all[at - 1] !== 'text');
      expect(types).toEqual(
        ['document', 'list', 'item', 'paragraph', 'text', 'code', 'text', 'link', 'code'].concat([
          'html_block',
          'code_block',
          'paragraph',
          'code',
          'html_block',
        ]),
      );
      const shown = (text: string) => (text === '' ? ' ' : printed(`x${printable(text)}`).slice(1));
      expect(literals(nodes, 'code')).toEqual([shown(name), shown(other), shown(other)]);
      expect(literals(nodes, 'code_block')).toEqual([printed(`${lines.join('\n')}\n`)]);
      const [start, end] = literals(nodes, 'html_block');
      expect(start).toMatch(/^<details open>\n<summary><code>[^<]*<\/code><\/summary>$/);
      expect(end).toBe('</details>');
    }),
    { numRuns: 300 },
  );
});
