import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Json, Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, observedValue } from '../kind/wire.ts';
import { constant, referring } from '../manifest/evaluate.ts';
import type { Resource } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import type { Wanted } from '../manifest/wanted.ts';
import type { StateRecord } from '../state/state.ts';
import { rowId } from './answers.ts';

/** The kinds whose objects a resource refers to by name and that the manifest does not declare. */
export function namedKinds(resource: Resource): string[] {
  return names(resource).map(({ target }) => target);
}

/** What binding names needs: everything that the platform lists of the kinds that are referred to. */
export interface NamesInput {
  readonly kinds: readonly Kind[];
  readonly resources: readonly Resource[];
  readonly records: Readonly<Record<string, StateRecord>>;
  readonly rowsOf: (kind: string) => readonly Row[];
  readonly diagnostics: Diagnostic[];
}

/**
 * Puts what bears a name in its place: a resource that is declared with it, else the id of an object of the platform
 * that stays. A name that several bear is an error.
 */
export function bindNames(input: NamesInput): Resource[] {
  const kinds = new Map(input.kinds.map((kind) => [kind.kind, kind]));
  const owners = ownersOf(input);
  return input.resources.map((resource) => {
    const bound: Record<string, Wanted> = {};
    for (const { field, target, name, wanted } of names(resource)) {
      const kind = kinds.get(target);
      const found = kind === undefined ? undefined : find(input, owners, resource, { kind, field, name, wanted });
      if (found === undefined) continue;
      bound[field] =
        'id' in found
          ? { ...wanted, content: constant(found.id, wanted.at).content }
          : referring({ address: found.address, output: 'id' }, wanted);
    }
    return Object.keys(bound).length === 0 ? resource : { ...resource, fields: { ...resource.fields, ...bound } };
  });
}

/** Which objects are ours: the address of each by its id; `stays` says that it is declared, or cannot be deleted. */
function ownersOf({ kinds, resources, records }: NamesInput) {
  const declared = new Set(resources.map(({ address }) => address));
  const lasting = new Set(kinds.flatMap(({ kind, calls }) => (calls.delete === undefined ? [kind] : [])));
  return new Map(
    Object.entries(records).map(([address, { kind, id }]) => {
      const isDeclared = declared.has(address);
      return [id ?? '', { address, isDeclared, stays: isDeclared || lasting.has(kind) }] as const;
    }),
  );
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
  { resources, rowsOf, diagnostics }: NamesInput,
  owners: ReturnType<typeof ownersOf>,
  resource: Resource,
  { kind, field, name, wanted }: Omit<Name, 'target'> & { readonly kind: Kind },
): { readonly id: string } | { readonly address: string } | undefined {
  const about = { address: resource.address, position: position(wanted.at) };
  const path = fieldPath(resource.kind, field);
  const severalBear = (what: string, ids: readonly string[]) => {
    const message = `${path}: ${ids.length} ${what} are called ${name}: ${ids.join(', ')}`;
    const remedy = 'Write the id of the one that is meant, or give them different names.';
    diagnostics.push(diagnostic('ambiguous', message, { ...about, remedy }));
    return undefined;
  };
  const declared = resources.filter((other) => other.kind.kind === kind.kind && nameOf(other) === name);
  if (declared.length > 1) {
    return severalBear(
      'blocks',
      declared.map(({ address }) => address),
    );
  }
  if (declared[0] !== undefined) return { address: declared[0].address };
  const listed = rowsOf(kind.kind).map((row) => {
    const id = rowId(kind, row) ?? '';
    return { id, name: observedValue(kind, kind.keyField ?? '', row), owner: owners.get(id) };
  });
  // A block that is declared bears the name that it has in the manifest.
  const bearers = listed.filter((item) => item.name === name && item.owner?.isDeclared !== true);
  const candidates = bearers.length > 0 ? bearers : listed.filter((item) => item.id === name);
  const staying = candidates.filter(({ owner }) => owner?.stays !== false);
  const [only] = staying;
  if (only !== undefined && staying.length === 1) {
    return only.owner?.isDeclared === true ? { address: only.owner.address } : { id: only.id };
  }
  if (staying.length > 1) {
    return severalBear(
      'objects of the platform',
      staying.map(({ id }) => id),
    );
  }
  const [gone] = candidates;
  const known = listed
    .map((item) => String(item.name))
    .toSorted()
    .slice(0, 20);
  const has = known.length === 0 ? 'the platform lists none' : `the platform has ${known.join(', ')}`;
  const message =
    gone === undefined
      ? `there is no ${kind.kind} ${name}: ${kind.section}: does not declare it, and ${has}`
      : `the ${kind.kind} ${name} (${gone.id}) is deleted, because ${gone.owner?.address ?? ''} is no longer declared`;
  const hidden = kind.listedOnce === undefined ? '' : ` It is listed only once ${kind.listedOnce}.`;
  diagnostics.push(
    diagnostic('bad-reference', `${path}: ${message}`, {
      ...about,
      remedy: `Declare it under ${kind.section}:, or write the name or id of one that exists.${hidden}`,
    }),
  );
  return undefined;
}

/** The name that the manifest gives to a resource, where it is known. */
function nameOf({ kind, fields }: Resource): Json | undefined {
  const content = fields[kind.keyField ?? '']?.content.reveal();
  return content === undefined || content.hollow ? undefined : content.value;
}
