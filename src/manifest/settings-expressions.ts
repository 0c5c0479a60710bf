import { environmentKey } from './assemble/environment.ts';
import { parseExpressions, remedyForShell, shellDefault } from './expression.ts';
import { idExpression } from './preview.ts';
import type { Report } from './report-at.ts';
import type { Node } from './tree.ts';

/** Settings decide where values come from, so they hold none of them; only the addresses and keys of receivers are secrets. */
export function refuseExpressions(path: readonly string[], node: Node, report: Report): void {
  if (node.is === 'list')
    for (const [at, item] of node.items.entries()) refuseExpressions([...path, String(at)], item, report);
  else if (node.is === 'map')
    for (const [key, { node: value }] of node.entries.entries()) refuseExpressions([...path, key], value, report);
  else if (typeof node.value === 'string' && !ofReceiver.test(path.join('.'))) {
    const { parts, unclosed } = parseExpressions(node.value);
    const isCommand = ofCommand.test(path.join('.'));
    const [found] = parts.flatMap((part) =>
      typeof part === 'string' || (isCommand && shellDefault.test(part.argument)) ? [] : [part.source],
    );
    const first = unclosed ?? found;
    // Variables take the id of a preview, and what stands in others than those of the root file is a warning.
    const name = first?.name ?? (path[0] !== 'variables' && idExpression.test(node.value) ? 'preview' : undefined);
    if (name === undefined) return;
    const message = `${path[0]} must not hold \${${name}:…}: settings take no expressions`;
    const remedy =
      name === 'preview' && path[0] === environmentKey
        ? 'Write the name alone: the environment of preview 123 is NAME-123.'
        : `Write the value itself. ${isCommand ? remedyForShell(name) : 'Expressions work in the fields of resources.'}`;
    report('bad-expression', message, node.at, remedy);
  }
}

/** Its form is checked: `${secret:NAME}` and nothing else. */
const ofReceiver = /^drift\.notify\.\d+\.(?:url|signature)$/;

/** A word of a program, which may be a shell. */
const ofCommand = /^secrets\.\d+\.command\./;
