import { maskValue } from '../secrets/looks-secret.ts';
import type { Reading } from './evaluate-expressions.ts';
import type { Refusal, Values } from './sources/source.ts';
import type { Node } from './tree.ts';

/** Longest line that a remedy repeats. */
const maxLineLength = 100;

/** Refuses secrets in a field that shows, or that objects are found by, with the line to write instead. */
export function misplacedSecret(
  field: string,
  node: Node,
  { variableNames }: Pick<Values, 'variableNames'>,
): NonNullable<Reading['refuseSecrets']> {
  return (scalar, names): Refusal => {
    const [first = ''] = names;
    const written = JSON.stringify(scalar.source.replaceAll(/(?<!\$)\$\{secret:/g, '${var:'));
    const isReady = scalar === node && isShort(field, scalar.source);
    const line = isReady ? `Write ${field}: ${written}` : `Write \${var:${first}} in place of \${secret:${first}}`;
    return {
      is: 'refused',
      code: 'misplaced-secret',
      message: `${field} must not hold \${secret:${first}}: plans and messages show its value`,
      remedy: asVariables(line, names, variableNames),
    };
  };
}

/** The remedy that makes variables of secrets: the line to write, what to declare, and what to set. */
export function asVariables(line: string, names: readonly string[], declared: readonly string[]): string {
  const left = names.filter((name) => !declared.includes(name));
  const declaring =
    left.length === 0 ? '' : `, declare ${left.map((name) => `${name}: {}`).join(', ')} under variables:`;
  const setting = names.map((name) => `TRUEUP_VAR_${name}`).join(' and ');
  return `${line}${declaring}, and set ${setting} to the value${names.length === 1 ? '' : 's'}.`;
}

/** Tells texts that a remedy may repeat: one line that looks like no secret. */
function isShort(field: string, text: string): boolean {
  return text.length <= maxLineLength && !text.includes('\n') && maskValue(field, text, { isOpen: true }) === text;
}
