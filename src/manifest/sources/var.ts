import { closest } from '../../diagnostics/closest.ts';
import { type ExpressionSource, badExpression, nextBrace } from './source.ts';

/** `${var:name}`: a variable that the manifest declares. */
export const variable: ExpressionSource = {
  name: 'var',
  closing: nextBrace,
  isEncodable: true,
  files: () => [],
  resolve: (name, values) => {
    const found = values.variable(name);
    if (found === undefined) {
      const guess = closest(name, values.variableNames);
      const remedy = guess === undefined ? 'Declare it under variables:.' : `Did you mean \${var:${guess}}?`;
      return badExpression(`there is no variable ${name}`, remedy);
    }
    const { value, written } = found;
    if (value !== undefined) return { is: 'scalar', value, written };
    const remedy = `Give it one with --var ${name}=… or TRUEUP_VAR_${name}, or declare a default.`;
    return badExpression(`the variable ${name} has no value`, remedy);
  },
};
