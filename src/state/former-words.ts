import { fieldAlias, fieldMeant, inDokploysWords, resolveSection, valueAliases } from '../kind/aliases.ts';
import type { Pair, StateRecord, Stored, StoredWanted } from './record.ts';
import { defined } from '../formats/json.ts';
import { atAddress } from './readdress.ts';
import type { State } from './state.ts';

/**
 * A state in the words of Dokploy: earlier versions wrote fields in the words of the API document, and sections too where the
 * platform has those. It is read as if `moved:` gave each object its address of today. A state without such words stays the
 * same object. Never throws.
 */
export function stateInWords(state: State): State {
  const { resources } = state;
  if (!Object.values(resources).some(hasOtherWords)) return state;
  const moved = new Map<string, string>();
  for (const [address, { kind }] of Object.entries(resources)) {
    const section = resolveSection(kind);
    if (section === kind || !address.startsWith(kind)) continue;
    const to = section + address.slice(kind.length);
    if (!Object.hasOwn(resources, to)) moved.set(address, to);
  }
  const meant = (address: string): string => moved.get(address) ?? address;
  const entries = Object.entries(resources).map(([address, record]): [string, StateRecord] => {
    const to = meant(address);
    const kind = moved.has(address) ? resolveSection(record.kind) : record.kind;
    // Its digests were made for the address that it had then.
    return [to, { ...atAddress(inWords(record), address, to), kind, dependsOn: record.dependsOn.map(meant) }];
  });
  const deployments = Object.entries(state.deployments).map(([address, deploys]) => [meant(address), deploys] as const);
  return { ...state, resources: Object.fromEntries(entries), deployments: Object.fromEntries(deployments) };
}

function hasOtherWords({ kind, pairs, pending }: StateRecord): boolean {
  if (resolveSection(kind) !== kind) return true;
  const says = pending?.is === 'create' ? Object.entries(pending.says) : [];
  return (
    Object.entries(pairs).some(([name, { wanted, answered }]) => isOther(name, wanted) || isOther(name, answered)) ||
    says.some(([name, wanted]) => isOther(name, wanted))
  );
}

function isOther(name: string, stored: Stored): boolean {
  return fieldMeant(name) !== name || storedMeant(name, stored) !== stored;
}

function inWords<R extends StateRecord>(record: R): R {
  const { pairs, pending } = record;
  const unproven = pending?.unproven?.map(fieldMeant);
  const says = pending?.is === 'create' ? mapEntries(pending.says, storedMeant) : undefined;
  return {
    ...record,
    pairs: mapEntries(pairs, (name, pair): Pair => {
      return { ...pair, wanted: storedMeant(name, pair.wanted), answered: storedMeant(name, pair.answered) };
    }),
    ...defined({ pending: pending && { ...pending, ...defined({ unproven, says }) } }),
  };
}

function storedMeant<S extends Stored | StoredWanted>(name: string, stored: S): S {
  if ('digest' in stored) return stored;
  const value = inDokploysWords(stored.value);
  if (value === stored.value) return stored;
  const isChoice = Object.keys(valueAliases(fieldMeant(name))).length > 0;
  return typeof stored.value !== 'string' || isChoice ? { ...stored, value } : stored;
}

/** Entries under the names that fields have today. */
function mapEntries<T>(
  entries: Readonly<Record<string, T>>,
  change: (name: string, value: T) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [fieldMeant(name), change(name, value)]));
}

/**
 * The name and the text that a digest of an attribute is made of. They stay those of the API document, which the first version
 * had: a digest that an earlier version made is equal to that of the same value today. Never throws.
 */
export function digested(attribute: string, text: string): readonly [attribute: string, text: string] {
  if (attribute === '(inputs)') return [attribute, text.split('\n').map(inputAtFirst).toSorted().join('\n')];
  const words = valueAliases(attribute);
  const word = /^"(\w+)"$/.exec(text)?.[1] ?? '';
  if (Object.hasOwn(words, word)) return [attribute, JSON.stringify(words[word])];
  const isText = text.startsWith('"');
  const members = isText
    ? text
    : text.replaceAll(/"(\w+)":/g, (all, name: string) => all.replace(name, fieldAlias(name) ?? name));
  return [fieldAlias(attribute) ?? attribute, members];
}

/** A line `["domains.… field","digest"]` of the inputs of a deployment; a variable of the user stays. */
function inputAtFirst(line: string): string {
  const [start = '', before = '', field = ''] = /^\["(?!\()((?:[^"\\]|\\.)* )?(\w+)"/.exec(line) ?? [];
  const first = fieldAlias(field);
  return first === undefined ? line : `["${before}${first}"${line.slice(start.length)}`;
}
