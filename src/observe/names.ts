import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Json, Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, observedValue } from '../kind/wire.ts';
import { constant, referring } from '../manifest/evaluate.ts';
import type { Resource } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import type { Wanted } from '../manifest/wanted.ts';
import type { StateRecord } from '../state/record.ts';
import { redacted } from '../secrets/secret.ts';

/** The kinds whose objects a resource refers to by name and that the manifest does not declare. */
export function namedKinds(resource: Resource): string[] {
  return names(resource).map(({ target }) => target);
}

/** What binding names needs: everything that the platform lists of the kinds that are referred to. */
export interface NamesInput {
  readonly kinds: readonly Kind[];
  readonly resources: readonly Resource[];
  readonly records: Readonly<Record<string, StateRecord>>;
  /** undefined: the key may not see the list, so that only ids can be meant. */
  readonly rowsOf: (kind: string) => ReadonlyMap<string, { readonly row: Row }> | undefined;
  readonly diagnostics: Diagnostic[];
}

/**
 * Puts what bears a name in its place: a resource that is declared with it, else the id of an object of the platform
 * that stays. A name that several bear is an error.
 */
export function bindNames(input: NamesInput): Resource[] {
  const bearers = bearersOf(input);
  return input.resources.map((resource) => {
    const bound: Record<string, Wanted> = {};
    for (const { field, target, name, wanted } of names(resource)) {
      const found = find(bearers(target), name);
      if ('problem' in found) input.diagnostics.push(problemWith(resource, field, wanted, found));
      else if ('id' in found) bound[field] = { ...wanted, content: constant(found.id, wanted.at).content };
      else bound[field] = referring({ address: found.address, output: 'id' }, wanted);
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

/** An object of the platform, and the address that it has in the state, if any. */
interface Listed {
  readonly id: string;
  readonly address: string | undefined;
  readonly isDeclared: boolean;
  /** It is not deleted in this run. */
  readonly stays: boolean;
}

/** Everything of one kind that a name can mean. */
interface Bearers {
  readonly kind: Kind;
  readonly blocks: ReadonlyMap<Json, readonly string[]>;
  readonly listed: ReadonlyMap<Json, readonly Listed[]>;
  readonly byId: ReadonlyMap<string, Listed>;
  readonly canList: boolean;
}

/** Gives the bearers of a kind; each kind is looked through once, however many names there are. */
function bearersOf({ kinds, resources, records, rowsOf }: NamesInput): (kind: string) => Bearers {
  const known = new Map<string, Bearers>();
  const declared = new Set(resources.map(({ address }) => address));
  const owners = new Map(Object.entries(records).map(([address, { id }]) => [id ?? '', address]));
  const collect = (kind: Kind): Bearers => {
    const blocks = new Map<Json, string[]>();
    for (const resource of resources) {
      const name = resource.kind === kind ? nameOf(resource) : undefined;
      if (name !== undefined) append(blocks, name, resource.address);
    }
    const rows = rowsOf(kind.kind);
    const listed = new Map<Json, Listed[]>();
    const byId = new Map<string, Listed>();
    for (const [id, { row }] of rows ?? []) {
      const address = owners.get(id);
      const isDeclared = address !== undefined && declared.has(address);
      const item = {
        id,
        address,
        isDeclared,
        stays: address === undefined || isDeclared || kind.operations.delete === undefined,
      };
      byId.set(id, item);
      // A block that is declared bears the name that it has in the manifest.
      if (!isDeclared) append(listed, observedValue(kind, kind.identity.keyField ?? '', row) ?? null, item);
    }
    return { kind, blocks, listed, byId, canList: rows !== undefined };
  };
  return (name) => {
    const made = known.get(name);
    if (made !== undefined) return made;
    const kind = kinds.find((item) => item.kind === name);
    if (kind === undefined) throw new Error(`there is no kind ${name}`);
    const bearers = collect(kind);
    known.set(name, bearers);
    return bearers;
  };
}

type Found = { readonly id: string } | { readonly address: string };
type Missed = {
  readonly problem: 'ambiguous' | 'bad-reference';
  readonly name: string;
  readonly says: string;
  readonly remedy: string;
};

function find({ kind, blocks, listed, byId, canList }: Bearers, name: string): Found | Missed {
  const several = (what: string, ids: readonly string[]): Missed => ({
    problem: 'ambiguous',
    name,
    says: `${ids.length} ${what} are called NAME: ${ids.join(', ')}`,
    remedy: 'Write the id of the one that is meant, or give them different names.',
  });
  const [block, ...others] = blocks.get(name) ?? [];
  if (others.length > 0) return several('blocks', [block ?? '', ...others]);
  if (block !== undefined) return { address: block };
  if (!canList) return { id: name };
  const same = byId.get(name);
  const candidates = listed.get(name) ?? (same === undefined ? [] : [same]);
  const staying = candidates.filter(({ stays }) => stays);
  const [only, ...more] = staying;
  if (more.length > 0)
    return several(
      'objects of the platform',
      staying.map(({ id }) => id),
    );
  if (only !== undefined) return only.isDeclared ? { address: only.address ?? '' } : { id: only.id };
  const [gone] = candidates;
  const hidden = kind.identity.listedOnce === undefined ? '' : ` It is listed only once ${kind.identity.listedOnce}.`;
  const known = [...listed.keys()].map(String).toSorted().slice(0, 20);
  const has = known.length === 0 ? 'the platform lists none' : `the platform has ${known.join(', ')}`;
  return {
    problem: 'bad-reference',
    name,
    says:
      gone === undefined
        ? `there is no ${kind.kind} NAME: ${kind.section}: does not declare it, and ${has}`
        : `the ${kind.kind} NAME (${gone.id}) is deleted, because ${gone.address ?? ''} is no longer declared`,
    remedy: `Declare it under ${kind.section}:, or write the name or id of one that exists.${hidden}`,
  };
}

function problemWith({ address, kind }: Resource, field: string, wanted: Wanted, missed: Missed): Diagnostic {
  const name = wanted.isSecret ? redacted : missed.name;
  return diagnostic(missed.problem, `${fieldPath(kind, field)}: ${missed.says.replace('NAME', () => name)}`, {
    remedy: missed.remedy,
    address,
    position: position(wanted.at),
  });
}

/** The name that the manifest gives to a resource, where it is known. */
function nameOf({ kind, fields }: Resource): Json | undefined {
  const content = fields[kind.identity.keyField ?? '']?.content.reveal();
  return content === undefined || content.hollow ? undefined : content.value;
}

function append<T>(lists: Map<Json, T[]>, key: Json, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
