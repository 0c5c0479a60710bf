import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { plain } from '../kind/codecs.ts';
import type { Json, Row } from '../kind/json.ts';
import { canonical } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { keyDefault, observedValue } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { resolve } from '../manifest/wanted.ts';
import type { Listed } from './expected.ts';

/** The values by which an object is recognised. */
export type NaturalKey = Readonly<Record<string, Json>>;

/**
 * The natural key of a resource; undefined while one of its values is not known. A value that waits for an object
 * that does not exist yet cannot be that of an object which does.
 */
export function naturalKey(
  resource: Pick<Resource, 'kind' | 'link' | 'fields'>,
  outputs: Outputs,
): NaturalKey | undefined {
  const { kind, link, fields } = resource;
  const value = (name: string): Json | undefined => {
    const from = link.set[name];
    if (from !== undefined && 'value' in from) return from.value;
    const wanted = fields[name];
    if (wanted === undefined) return keyDefault(kind, name);
    const resolved = resolve(wanted, outputs);
    if (resolved.is !== 'known') return undefined;
    return resolved.value ?? keyDefault(kind, name);
  };
  const names = typeof kind.identity.key === 'function' ? kind.identity.key(value) : kind.identity.key;
  const key: Record<string, Json> = {};
  for (const name of names) {
    const known = value(name);
    if (known === undefined) return undefined;
    key[name] = known;
  }
  return key;
}

/** Finds rows by natural key, in time that does not grow with the number of rows. */
export interface KeyIndex {
  readonly find: (resource: { readonly kind: Kind }, key: NaturalKey) => readonly string[];
}

/** Makes an index of rows, by id, for resources of one kind. */
export function indexRows(rows: readonly (readonly [string, Row])[]): KeyIndex {
  const byNames = new Map<string, Map<string, string[]>>();
  return {
    find: ({ kind }, key) => {
      const names = Object.keys(key);
      const form = JSON.stringify(names);
      let index = byNames.get(form);
      if (index === undefined) {
        index = new Map();
        for (const [id, row] of rows) {
          const text = keyText(kind, names, (name) => observedValue(kind, name, row) ?? keyDefault(kind, name));
          const same = index.get(text);
          if (same === undefined) index.set(text, [id]);
          else same.push(id);
        }
        byNames.set(form, index);
      }
      return index.get(keyText(kind, names, (name) => key[name] ?? null)) ?? [];
    },
  };
}

/** An index of the rows below each parent; those at the top are below ''. */
export function indexByParent(rows: ReadonlyMap<string, Listed>): Map<string, KeyIndex> {
  const groups = new Map<string, [string, Row][]>();
  for (const [id, { row, parentRow, parentId }] of rows) {
    const parent = parentRow === undefined ? '' : (parentId ?? '');
    const siblings = groups.get(parent);
    if (siblings === undefined) groups.set(parent, [[id, row]]);
    else siblings.push([id, row]);
  }
  return new Map([...groups].map(([parent, siblings]) => [parent, indexRows(siblings)]));
}

function keyText(kind: Kind, names: readonly string[], value: (name: string) => Json): string {
  return canonical(names.map((name) => (kind.fields[name]?.codec ?? plain).normal(value(name))));
}

/** Says that several objects match one resource and none can be chosen. */
export function ambiguous(resource: Resource, ids: readonly string[]): Diagnostic {
  return diagnostic('ambiguous', `${ids.length} objects of the platform match ${resource.address}: ${ids.join(', ')}`, {
    remedy: 'Write id: with the one that is meant, or remove the others on the platform.',
    address: resource.address,
    position: resourcePosition(resource),
  });
}

/** Says that one object matches several resources. */
export function contested(resource: Resource, id: string, others: readonly string[]): Diagnostic {
  return diagnostic('ambiguous', `${resource.address} and ${others.join(', ')} all match the object ${id}`, {
    remedy: 'Write id: in the one that it is, or give them different names.',
    address: resource.address,
    position: resourcePosition(resource),
  });
}
