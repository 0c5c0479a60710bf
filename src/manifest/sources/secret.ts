import type { ExpressionSource } from './source.ts';
import { badExpression, nextBrace } from './source.ts';

/** `${secret:NAME}`: a secret of the run, from the environment or from what `secrets:` declares. */
export const secret: ExpressionSource = {
  name: 'secret',
  closing: nextBrace,
  isSecret: true,
  files: () => [],
  resolve: (name, values) => {
    const text = values.secret(name);
    if (text !== undefined) return { is: 'text', text };
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return { is: 'missing', secret: name };
    const remedy = 'A name is made of letters, digits and underscores: ${secret:NAME}.';
    return badExpression(`${JSON.stringify(name)} is no name of a secret`, remedy);
  },
};
