import { parseExpressions } from './expression.ts';
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
    const first = unclosed ?? parts.find((part) => typeof part === 'object')?.source;
    if (first === undefined) return;
    const message = `${path[0]} must not hold \${${first.name}:…}: settings take no expressions`;
    const remedy = 'Write the value itself. Expressions work in the fields of resources.';
    report('bad-expression', message, node.at, remedy);
  }
}

/** Its form is checked: `${secret:NAME}` and nothing else. */
const ofReceiver = /^drift\.notify\.\d+\.(?:url|signature)$/;
