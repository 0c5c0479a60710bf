import { type ExpressionSource, badExpression, nextBrace } from './source.ts';

/** `${secret:NAME}`: a secret of the run, from the environment or from what `secrets:` declares. */
export const secret: ExpressionSource = {
  name: 'secret',
  closing: nextBrace,
  conceals: 'secret',
  isEncodable: true,
  files: () => [],
  resolve: (name, values) => {
    const text = values.secret(name);
    if (text !== undefined) return { is: 'text', text };
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return { is: 'missing' };
    const remedy = 'Write ${secret:NAME} with letters, digits and "_".';
    return badExpression(`${JSON.stringify(name)} is not a name of a secret`, remedy);
  },
};
