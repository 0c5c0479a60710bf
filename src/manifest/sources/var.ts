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
    if ('problem' in found) return badExpression(found.problem, found.remedy);
    return found.written === undefined ? { is: 'list', value: found.value } : { is: 'scalar', ...found };
  },
};
