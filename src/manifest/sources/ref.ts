import { type ExpressionSource, nextBrace } from './source.ts';

/** `${ref:address.output}`: an output of another resource. */
export const ref: ExpressionSource = {
  name: 'ref',
  closing: addressEnd,
  isEncodable: true,
  files: () => [],
  resolve: (path, values) => {
    const found = values.find(path);
    return 'problem' in found
      ? { is: 'refused', code: 'bad-reference', message: found.problem, remedy: found.remedy }
      : { is: 'reference', reference: found };
  },
};

/** A key in an address may hold a brace, in quotes. */
function addressEnd(text: string, from: number): number {
  const pattern = /(?:\["(?:[^"\\]|\\.)*"\]|[^}[])*\}/y;
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : nextBrace(text, from);
}
