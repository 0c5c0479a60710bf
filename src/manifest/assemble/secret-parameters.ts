import type { Kind } from '../../kind/kind.ts';
import { type MapNode, type Node, entriesOf, textOf } from '../tree.ts';
import { secretFields, wholeExpression, writtenOf } from '../written-fields.ts';
import type { Template } from './templates.ts';

/**
 * Finds the parameters of templates that are the whole value of a secret field, of a block of a kind or below it: what they give is
 * secret wherever it stands.
 */
export function secretParameters(
  templates: ReadonlyMap<string, Template>,
  sections: (parent: string) => ReadonlyMap<string, Kind>,
): (template: Template, kind: Kind) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  const of = (template: Template, kind: Kind): ReadonlySet<string> => {
    const key = `${kind.kind} ${template.name}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const names = new Set<string>();
    // Templates that use each other in a circle are an error.
    known.set(key, names);
    collect(template.block, kind, names);
    return names;
  };
  const collect = (block: MapNode, kind: Kind, names: Set<string>): void => {
    const note = (node: Node | undefined) => {
      const name = wholeExpression('param', node);
      if (name !== undefined) names.add(name);
    };
    for (const field of secretFields(kind)) for (const { node } of writtenOf({ ...block, kind }, field)) note(node);
    const used = templates.get(textOf(block.entries.get('use')?.node) ?? '');
    const given = entriesOf(block.entries.get('with')?.node);
    if (used !== undefined) for (const name of of(used, kind)) note(given.get(name)?.node);
    for (const [section, below] of sections(kind.kind))
      for (const { node } of entriesOf(block.entries.get(section)?.node).values())
        if (node.is === 'map') collect(node, below, names);
  };
  return of;
}
