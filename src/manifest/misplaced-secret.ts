import { maskValue } from '../secrets/looks-secret.ts';
import type { Evaluation } from './evaluate.ts';
import type { Refusal, Values } from './sources/source.ts';
import type { Node } from './tree.ts';

/** Longest line that a remedy repeats. */
const longestLine = 100;

/** Refuses secrets in a field that shows, or that objects are found by, with the line to write instead. */
export function misplacedSecret(
  field: string,
  node: Node,
  { variableNames }: Pick<Values, 'variableNames'>,
): NonNullable<Evaluation['refuseSecrets']> {
  return (scalar, names): Refusal => {
    const [first = ''] = names;
    const written = JSON.stringify(scalar.source.replaceAll(/(?<!\$)\$\{secret:/g, '${var:'));
    const isReady = scalar === node && isShort(field, scalar.source);
    const undeclared = names.filter((name) => !variableNames.includes(name));
    const steps = [
      isReady ? `Write ${field}: ${written}` : `Write \${var:${first}} in place of \${secret:${first}}`,
      ...(undeclared.length === 0
        ? []
        : [`declare ${undeclared.map((name) => `${name}: {}`).join(', ')} under variables:`]),
      `set ${names.map((name) => `TRUEUP_VAR_${name}`).join(' and ')} to the value${names.length === 1 ? '' : 's'}`,
    ];
    return {
      is: 'refused',
      code: 'misplaced-secret',
      message: `${field} must not hold \${secret:${first}}: plans and messages show its value`,
      remedy: `${steps.slice(0, -1).join(', ')}, and ${steps.at(-1) ?? ''}.`,
    };
  };
}

/** Tells texts that a remedy may repeat: one line that looks like no secret. */
function isShort(field: string, text: string): boolean {
  return text.length <= longestLine && !text.includes('\n') && maskValue(field, text, { isOpen: true }) === text;
}
