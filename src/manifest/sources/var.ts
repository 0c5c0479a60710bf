import { closest } from '../../diagnostics/closest.ts';
import { isSecretEntry } from '../../secrets/looks-secret.ts';
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
    if ('givenBy' in found) return { is: 'unknown' };
    if (found.written === undefined) return { is: 'list', value: found.value };
    const isSecret = isSecretEntry(name, found.written, { isEnv: true }) || values.isSecretVariable(name);
    return { is: 'scalar', ...found, isSecret };
  },
};

/** The names of the variables in a text. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(/(?<!\$)\$\{var:([^}|]+)/g)].map(([, name = '']) => name);
}

/** A text with the values of its variables; undefined: it has another expression, or a variable without a value. */
export function filledText(text: string, valueOf: (name: string) => string | undefined): string | undefined {
  const whole = text.replace(/(?<!\$)\$\{var:([^}|]+)\}/g, (written, name: string) => valueOf(name) ?? written);
  return whole.includes('${') ? undefined : whole;
}
