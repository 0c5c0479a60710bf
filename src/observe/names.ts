import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, observedValue } from '../kind/wire.ts';
import { constant } from '../manifest/evaluate.ts';
import type { Resource } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import type { Wanted } from '../manifest/wanted.ts';
import { rowId } from './answers.ts';

/** The kinds whose objects a resource refers to by name and that the manifest does not declare. */
export function namedKinds(resource: Resource): string[] {
  return names(resource).map(({ target }) => target);
}

/** What binding names needs: everything that the platform lists of the kinds that are referred to. */
export interface NamesInput {
  readonly kinds: readonly Kind[];
  readonly resources: readonly Resource[];
  readonly rowsOf: (kind: string) => readonly Row[];
  readonly diagnostics: Diagnostic[];
}

/** Puts the ids of objects of the platform in the place of their names. A name that several bear is an error. */
export function bindNames(input: NamesInput): Resource[] {
  const kinds = new Map(input.kinds.map((kind) => [kind.kind, kind]));
  return input.resources.map((resource) => {
    const bound: Record<string, Wanted> = {};
    for (const { field, target, name, wanted } of names(resource)) {
      const kind = kinds.get(target);
      const id = kind === undefined ? undefined : find(input, resource, { kind, field, name, wanted });
      if (id !== undefined) bound[field] = { ...wanted, content: constant(id, wanted.at).content };
    }
    return Object.keys(bound).length === 0 ? resource : { ...resource, fields: { ...resource.fields, ...bound } };
  });
}

interface Name {
  readonly field: string;
  readonly target: string;
  readonly name: string;
  readonly wanted: Wanted;
}

function names(resource: Resource): Name[] {
  return Object.entries(resource.fields).flatMap(([field, wanted]) => {
    const target = resource.kind.fields[field]?.refersTo;
    if (target === undefined) return [];
    const content = wanted.content.reveal();
    return content.hollow || typeof content.value !== 'string' ? [] : [{ field, target, name: content.value, wanted }];
  });
}

function find(
  { rowsOf, diagnostics }: NamesInput,
  resource: Resource,
  { kind, field, name, wanted }: Omit<Name, 'target'> & { readonly kind: Kind },
): string | undefined {
  const listed = rowsOf(kind.kind).map((row) => ({
    id: rowId(kind, row) ?? '',
    name: observedValue(kind, kind.keyField ?? '', row),
  }));
  const bearers = listed.filter((item) => item.name === name);
  const candidates = bearers.length > 0 ? bearers : listed.filter((item) => item.id === name);
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only.id;
  const about = { address: resource.address, position: position(wanted.at) };
  const path = fieldPath(resource.kind, field);
  if (candidates.length > 1) {
    const ids = candidates.map(({ id }) => id).join(', ');
    diagnostics.push(
      diagnostic('ambiguous', `${path}: ${candidates.length} objects of the platform are called ${name}: ${ids}`, {
        ...about,
        remedy: 'Write the id of the one that is meant, or give them different names.',
      }),
    );
  } else {
    const known = listed.map((item) => String(item.name)).toSorted().slice(0, 20);
    const has = known.length === 0 ? 'the platform lists none' : `the platform has ${known.join(', ')}`;
    const hidden = kind.listedOnce === undefined ? '' : ` It is listed only once ${kind.listedOnce}.`;
    diagnostics.push(
      diagnostic(
        'bad-reference',
        `${path}: there is no ${kind.kind} ${name}: ${kind.section}: does not declare it, and ${has}`,
        {
          ...about,
          remedy: `Declare it under ${kind.section}:, or write the name or id of one that exists.${hidden}`,
        },
      ),
    );
  }
  return undefined;
}
