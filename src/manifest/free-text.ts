import { didYouMean } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { resolveAddress } from '../kind/aliases.ts';
import { type Evaluation, evaluate } from './evaluate-expressions.ts';
import type { Block } from './resource.ts';
import { type MapNode, type ScalarNode, linesOf } from './tree.ts';
import type { Wanted } from './wanted.ts';

/** A text with expressions that no file holds, such as a word of a command line. */
export interface FreeText {
  readonly text: string;
  /** The address of the block that it is evaluated in; at the top when left out. */
  readonly within?: string | undefined;
}

/** The same as a node of the manifest, with the block that it is evaluated in. */
interface Placed {
  readonly node: ScalarNode;
  readonly block: Block | undefined;
}

/** The name that positions have for the text, in the folder of the file that it is evaluated in. */
const nameOfFreeText = '(expression)';

/** Places a text beside the fields of its block, so that names of files and addresses mean what they mean there. */
export function placeFreeText(
  { text, within }: FreeText,
  { root, byAddress }: { readonly root: MapNode; readonly byAddress: ReadonlyMap<string, Block> },
  diagnostics: Diagnostic[],
): Placed {
  const block = within === undefined ? undefined : byAddress.get(resolveAddress(within));
  if (within !== undefined && block === undefined) {
    const remedy = didYouMean(within, [...byAddress.keys()], 'trueup graph lists the addresses.');
    diagnostics.push(diagnostic('bad-reference', `nothing is declared at ${within}`, { remedy }));
  }
  const beside = (block ?? root).at.file;
  const lines = linesOf(text);
  const file = `${beside.slice(0, beside.lastIndexOf('/') + 1)}${nameOfFreeText}`;
  return { node: { is: 'scalar', value: text, source: text, at: { file, offset: 0, end: text.length, lines } }, block };
}

/** Evaluates a placed text as a field of its block would be. */
export function evaluateFreeText(
  { node, block }: Placed,
  evaluationOf: (address: string, block: Block | undefined) => Evaluation,
): Wanted {
  return evaluate(node, { ...evaluationOf(block?.address ?? nameOfFreeText, block), isVerbatim: true }).wanted;
}

/**
 * Adds to the diagnostics about a text the expression that each is about, and nothing around it: that may be a secret. They
 * are about no resource.
 */
export function quoteFreeText(diagnostics: readonly Diagnostic[], text: string): Diagnostic[] {
  const lines = text.split('\n');
  return diagnostics.map((item) => {
    const { position, address: _address, quote: _quote, ...rest } = item;
    if (position === undefined || !isFreeText(position.file)) return item;
    const { line, column, endColumn } = position;
    const part = lines[line - 1]?.slice(column - 1, endColumn === undefined ? undefined : endColumn - 1) ?? '';
    const isExpression = /^\$\{[^{}\s]*\}?$/.test(part);
    return isExpression
      ? { ...rest, position, quote: { text: part, from: 0, to: part.length } }
      : { ...rest, position };
  });
}

function isFreeText(file: string): boolean {
  return file === nameOfFreeText || file.endsWith(`/${nameOfFreeText}`);
}
