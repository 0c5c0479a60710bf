import { onceFor } from '../api/once.ts';
import { closest } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import type { Json, Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, observedValue } from '../kind/row-values.ts';
import type { Resource } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import { type Wanted, knownValue, namesIn, withNames } from '../manifest/wanted.ts';
import type { StateRecord } from '../state/record.ts';

/**
 * The kinds whose objects resources refer to by a text that is neither the key of a block nor an id that the platform
 * answered before: their lists say what is meant.
 */
export function namedKinds({ resources, records }: Pick<NamesInput, 'resources' | 'records'>): ReadonlySet<string> {
  const namesOf = namesBeside(records);
  return new Set(resources.flatMap((resource) => namesOf(resource).map(({ target }) => target)));
}

/** What binding names needs: everything that the platform lists of the kinds that are referred to. */
interface NamesInput {
  readonly kinds: readonly Kind[];
  readonly resources: readonly Resource[];
  /** Whether the names in a resource are bound; those in the others stay names. */
  readonly binds: (resource: Resource) => boolean;
  readonly records: Readonly<Record<string, StateRecord>>;
  /** undefined: the key may not see the list, so that only ids can be meant. */
  readonly rowsOf: (kind: string) => ReadonlyMap<string, { readonly row: Row }> | undefined;
  readonly diagnostics: Diagnostic[];
  /** Replaces the secrets of the run in a text of the platform. */
  readonly redact: (text: string) => string;
}

/**
 * Puts what has a name in its place: a resource that is declared with it, else the id of an object of the platform
 * that stays. A name that several have is an error.
 */
export function bindNames(input: NamesInput): Resource[] {
  const { kinds, resources, records, binds, diagnostics } = input;
  const targets = namedKinds({ resources: resources.filter(binds), records });
  const namesOf = namesBeside(records);
  const bearers = new Map(
    kinds.flatMap((kind) => (targets.has(kind.kind) ? [[kind.kind, bearersOf(input, kind)]] : [])),
  );
  return resources.map((resource) => {
    if (!binds(resource)) return resource;
    const bound = namesOf(resource).flatMap(({ field, target, names, wanted }): [string, Wanted][] => {
      const among = bearers.get(target);
      if (among === undefined) return []; // the platform has no list of them: only ids can be meant
      const mean = (name: string, shown: string) => {
        const meant = meaningOf({ ...among, redact: input.redact }, name, shown);
        if ('id' in meant) return meant.id;
        if ('address' in meant) return { address: meant.address, output: 'id' };
        const { code, message, remedy } = meant;
        const about = { remedy, address: resource.address, position: position(wanted.at) };
        diagnostics.push(diagnostic(code, `${fieldPath(resource.kind, field)}: ${message}`, about));
        return undefined;
      };
      const meanings = new Map([...names].map(([name, shown]) => [name, mean(name, shown)]));
      return [[field, withNames(wanted, (name) => meanings.get(name))]];
    });
    return bound.length === 0
      ? resource
      : { ...resource, fields: { ...resource.fields, ...Object.fromEntries(bound) } };
  });
}

/** The names in a field. */
interface Names {
  readonly field: string;
  readonly target: string;
  /** Each with the text that shows of it. */
  readonly names: ReadonlyMap<string, string>;
  readonly wanted: Wanted;
}

/** Finds the names in a resource, beside what the state knows. */
function namesBeside(records: NamesInput['records']): (resource: Resource) => Names[] {
  const managed = new Set(Object.values(records).map(({ id }) => id));
  const referring = onceFor(referringFields);
  return ({ kind, address, fields }) => {
    return referring(kind).flatMap(([field, target]) => {
      const wanted = fields[field];
      if (wanted === undefined) return [];
      // The platform answered these ids before. One of an object of the state may be deleted in this run.
      const answered = records[address]?.pairs[field]?.answered;
      const ids = new Set<Json>(answered !== undefined && 'value' in answered ? [answered.value].flat() : []);
      const names = new Map([...namesIn(wanted)].filter(([name]) => !ids.has(name) || managed.has(name)));
      return names.size === 0 ? [] : [{ field, target, names, wanted }];
    });
  };
}

/** The fields of a kind that hold ids of others, each with the kind of those. */
function referringFields({ fields }: Kind): (readonly [field: string, target: string])[] {
  return Object.entries(fields).flatMap(([field, { refersTo }]) => (refersTo === undefined ? [] : [[field, refersTo]]));
}

/** An object of the platform, the address that it has in the state, if any, and whether this run deletes it. */
interface Bearer {
  readonly id: string;
  readonly address: string | undefined;
  readonly is: 'declared' | 'kept' | 'deleted';
}

/** Everything of one kind that a name can mean. */
interface Bearers {
  readonly kind: Kind;
  /** The addresses of blocks, by their name; under undefined, those with a name that is not known yet. */
  readonly blocks: ReadonlyMap<Json | undefined, readonly string[]>;
  /** The names of blocks that may show. */
  readonly declared: readonly string[];
  /** The objects without a block, by their name; undefined: the key may not list them. */
  readonly listed: ReadonlyMap<Json, readonly Bearer[]> | undefined;
  /** All objects, by id. */
  readonly byId: ReadonlyMap<string, Bearer>;
}

function bearersOf({ resources, records, rowsOf }: NamesInput, kind: Kind): Bearers {
  const declared = new Set(resources.map(({ address }) => address));
  const owners = new Map(Object.entries(records).map(([address, { id }]) => [id, address]));
  const blocks = groupBy(resources.flatMap((one) => (one.kind === kind ? [[nameOf(one), one.address] as const] : [])));
  const rows = rowsOf(kind.kind);
  const bearers = [...(rows ?? [])].map(([id, { row }]) => {
    const address = owners.get(id);
    const isGoing = address !== undefined && kind.operations.delete !== undefined;
    const is = address !== undefined && declared.has(address) ? 'declared' : isGoing ? 'deleted' : 'kept';
    return {
      name: observedValue(kind, kind.identity.keyField ?? '', row) ?? null,
      bearer: { id, address, is } as const,
    };
  });
  // A block that is declared has the name that it has in the manifest.
  const others = bearers.filter(({ bearer }) => bearer.is !== 'declared');
  const listed = groupBy(others.map(({ name, bearer }) => [name, bearer]));
  const byId = new Map(bearers.map(({ bearer }) => [bearer.id, bearer]));
  const shownNames = resources.flatMap((one) => {
    const name = one.kind === kind && !hasSecretName(one) ? nameOf(one) : undefined;
    return typeof name === 'string' ? [name] : [];
  });
  return { kind, blocks, declared: shownNames, listed: rows === undefined ? undefined : listed, byId };
}

type Meaning =
  | { readonly id: string }
  | { readonly address: string }
  | { readonly code: 'ambiguous' | 'bad-reference'; readonly message: string; readonly remedy: string };

/** Finds what a name means; `shown` is the name in messages. Of one that does not show they tell no object that has it. */
function meaningOf(
  { kind, blocks, declared, listed, byId, redact }: Bearers & Pick<NamesInput, 'redact'>,
  name: string,
  shown: string,
): Meaning {
  const isOpen = shown === name;
  const several = (what: string, all: readonly string[]): Meaning => ({
    code: 'ambiguous',
    message: isOpen
      ? `${all.length} ${what} are called ${shown}: ${all.join(', ')}`
      : `several ${what} are called ${shown}`,
    remedy: 'Write the id of the one that is meant, or give them different names.',
  });
  const [block, ...others] = blocks.get(name) ?? [];
  if (block !== undefined) return others.length > 0 ? several('blocks', [block, ...others]) : { address: block };
  if (listed === undefined) return { id: name };
  const candidates = listed.get(name) ?? [byId.get(name) ?? []].flat();
  const [only, ...more] = candidates.filter(({ is }) => is !== 'deleted');
  if (only !== undefined && more.length > 0) {
    const ids = [only, ...more].map(({ id }) => id);
    return several('objects of the platform', ids);
  }
  if (only !== undefined) return only.is === 'declared' ? { address: only.address ?? '' } : { id: only.id };
  const [gone] = candidates;
  if (gone !== undefined) {
    const [id, block] = isOpen ? [` (${gone.id})`, gone.address ?? ''] : ['', 'its block'];
    const message = `the ${kind.kind} ${shown}${id} is deleted, because ${block} is no longer declared`;
    return { code: 'bad-reference', message, remedy: remedyFor(kind) };
  }
  const known = [...listed.keys()].map((one) => redact(String(one))).toSorted();
  const has = known.length === 0 ? 'the platform lists none' : `the platform has ${known.slice(0, 20).join(', ')}`;
  const guess = isOpen ? closest(name, [...declared, ...known]) : undefined;
  return {
    code: 'bad-reference',
    message: `there is no ${kind.kind} ${shown}: ${kind.section}: does not declare it, and ${has}`,
    remedy: guess === undefined ? remedyFor(kind) : `Did you mean ${guess}? ${remedyFor(kind)}`,
  };
}

function remedyFor({ identity, section }: Kind): string {
  const hidden = identity.listedOnce === undefined ? '' : ` It is listed only once ${identity.listedOnce}.`;
  return `Declare it under ${section}:, or write the name or id of one that exists.${hidden}`;
}

/** The name that the manifest gives to a resource, where it is known. */
function nameOf(resource: Resource): Json | undefined {
  return knownValue(wantedName(resource));
}

/** Whether the manifest gives a resource a name that may not show. */
export function hasSecretName(resource: Resource): boolean {
  return wantedName(resource)?.isSecret === true;
}

function wantedName({ kind, fields }: Resource): Wanted | undefined {
  return fields[kind.identity.keyField ?? ''];
}
