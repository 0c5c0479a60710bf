import { onceFor } from '../api/once.ts';
import { fieldAlias } from '../kind/aliases.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath } from '../kind/row-values.ts';
import type { Block } from './resource.ts';
import { type Node, nodeAt } from './tree.ts';

/** What a block has for a field, by each of its names. */
export function writtenOf(
  { kind, entries, at }: Pick<Block, 'kind' | 'entries' | 'at'>,
  field: string,
): readonly { path: string; node: Node }[] {
  const paths = [fieldPath(kind, field), kind.fields[field]?.alsoWritten, fieldAlias(field)];
  return paths.flatMap((path) => {
    const node = path === undefined ? undefined : nodeAt({ is: 'map', entries, at }, path.split('.'));
    return path === undefined || node === undefined ? [] : [{ path, node }];
  });
}

/** The fields of a kind that are declared secret. */
export const secretFields = onceFor(({ fields }: Kind) =>
  Object.keys(fields).filter((name) => fields[name]?.secrecy === 'secret'),
);

/** The name of the variable or the parameter that a value is as a whole. */
export function wholeExpression(source: 'var' | 'param', node: Node | undefined): string | undefined {
  return node?.is === 'scalar' ? wholes[source].exec(node.source)?.[1] : undefined;
}

const wholes = { var: /^\$\{var:([^}|]+)[^}]*\}$/, param: /^\$\{param:([^}|]+)[^}]*\}$/ };

/** The names of the variables that are the whole value of a secret field: what they give is secret wherever it stands. */
export function secretVariables(blocks: Iterable<Block>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const block of blocks)
    for (const field of secretFields(block.kind))
      for (const { node } of writtenOf(block, field)) {
        const name = wholeExpression('var', node);
        if (name !== undefined) names.add(name);
      }
  return names;
}
