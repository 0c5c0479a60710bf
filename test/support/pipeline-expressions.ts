/** The values of a pipeline: `github`, `inputs`, `secrets`, `steps`, … */
export type Contexts = { readonly [name: string]: string | number | Contexts | undefined };

/**
 * The value of an expression of GitHub Actions, as far as the pipeline files use them:
 * https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
 *
 * @throws {Error} for anything else.
 */
function evaluateExpression(text: string, contexts: Contexts): string | boolean {
  const tokens = [
    ...text
      .replaceAll('!cancelled()', 'true')
      .matchAll(/\s*(?:('(?:[^']|'')*')|([A-Za-z_][\w.-]*)|(==|!=|&&|\|\||!|[()])|(\S))/g),
  ];
  let at = 0;
  const peek = () => tokens[at]?.[3];
  const isTrue = (value: string | boolean) => value !== '' && value !== false;
  function operand(): string | boolean {
    const [whole = '', literal, path, sign] = tokens[at++] ?? [];
    if (literal !== undefined) return literal.slice(1, -1).replaceAll("''", "'");
    if (path === 'true' || path === 'false') return path === 'true';
    if (path !== undefined) return lookUp(path, contexts);
    if (sign === '!') return !isTrue(operand());
    if (sign !== '(') throw new Error(`unexpected ${whole} in ${text}`);
    const value = either();
    if (tokens[at++]?.[3] !== ')') throw new Error(`a bracket stays open in ${text}`);
    return value;
  }
  function comparison(): string | boolean {
    const left = operand();
    const sign = peek();
    if (sign !== '==' && sign !== '!=') return left;
    at++;
    return (left === operand()) === (sign === '==');
  }
  function both(): string | boolean {
    let value = comparison();
    while (peek() === '&&') {
      at++;
      const right = comparison();
      value = isTrue(value) ? right : value;
    }
    return value;
  }
  function either(): string | boolean {
    let value = both();
    while (peek() === '||') {
      at++;
      const right = both();
      value = isTrue(value) ? value : right;
    }
    return value;
  }
  const value = either();
  if (at !== tokens.length) throw new Error(`unexpected end of ${text}`);
  return value;
}

function lookUp(path: string, contexts: Contexts): string {
  let value: string | number | Contexts | undefined = contexts;
  for (const name of path.split('.')) value = typeof value === 'object' ? value[name] : undefined;
  if (typeof value === 'object') throw new Error(`${path} is no value`);
  return String(value ?? '');
}

/** A text with the values of its `${{ }}`. */
export function substitute(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_whole, expression: string) =>
    String(evaluateExpression(expression, contexts)),
  );
}

/** Whether the condition of a job or of a step holds. */
export function holds(condition: string | undefined, contexts: Contexts): boolean {
  if (condition === undefined) return true;
  const value = evaluateExpression(condition.replace(/^\$\{\{([\s\S]*)\}\}$/, '$1'), contexts);
  return value !== false && value !== '';
}

/** Whether a rule of GitLab holds: https://docs.gitlab.com/ci/jobs/job_rules/ */
export function holdsInGitLab(rule: string, variables: Readonly<Record<string, string>>): boolean {
  const asExpression = rule.replaceAll(/\$(\w+)/g, 'v.$1').replaceAll('"', "'");
  return evaluateExpression(asExpression, { v: variables }) === true;
}
