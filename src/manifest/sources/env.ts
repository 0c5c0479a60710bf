import type { ExpressionSource } from './source.ts';
import { badExpression, nextBrace } from './source.ts';

/** `${env:NAME}`: a variable of the environment of the run. */
export const env: ExpressionSource = {
  name: 'env',
  closing: nextBrace,
  isSecret: true,
  files: () => [],
  resolve: (name, values) => {
    // A manifest from a pull request must not be able to write the key of the run anywhere.
    if (/^\s*TRUEUP_/i.test(name)) {
      return {
        is: 'refused',
        code: 'hostile-setting',
        message: `a manifest cannot read \${env:${name}}`,
        remedy:
          'Write ${secret:NAME} for a secret. Variables that begin with TRUEUP_ configure Trueup itself; the API key is one.',
      };
    }
    const text = values.env(name);
    if (text !== undefined) return { is: 'text', text };
    return /^[^\s=]+$/.test(name)
      ? badExpression(`the environment variable ${name} is not set`, `Set ${name}, or use \${var:…} with a default.`)
      : badExpression(`${JSON.stringify(name)} is not a name of an environment variable`, 'Write ${env:NAME}.');
  },
};
