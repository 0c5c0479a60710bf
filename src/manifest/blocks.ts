import { resolveSection } from '../kind/aliases.ts';
import { once, onceFor } from '../api/once.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { blockAddress } from '../kind/address.ts';
import { type Kind, root } from '../kind/kind.ts';
import { topAddress, topOf } from '../kind/top.ts';
import { expressionIn, notInKeys } from './expression.ts';
import { missingBlank, shownKey } from './problem.ts';
import { type Report, reportInto } from './report-at.ts';
import type { Block } from './resource.ts';
import { type BlocksPlace, blockInstead, sectionInstead } from './short-blocks.ts';
import { type Entry, type MapNode, type Place, isEmpty } from './tree.ts';
import { guessKey } from './unknown-key.ts';
import { withUnset } from './unset.ts';

/** Kinds by the kind they stand below and the section they stand in. */
export const sectionsOf = onceFor((kinds: readonly Kind[]): ((parent: string) => ReadonlyMap<string, Kind>) => {
  const byParent = new Map<string, Map<string, Kind>>();
  const top = topOf(kinds);
  for (const kind of kinds) {
    if (kind === top) continue;
    for (const above of Object.keys(kind.parents)) {
      const parent = above === top?.kind ? root : above;
      const sections = byParent.get(parent) ?? new Map<string, Kind>();
      byParent.set(parent, sections.set(kind.section, kind));
    }
  }
  return (parent) => byParent.get(parent) ?? new Map();
});

/** What `findBlocks` finds. */
interface Found {
  readonly blocks: readonly Block[];
  /** Addresses at which blocks are missing, because of a mistake that is reported or will be. */
  readonly broken: ReadonlySet<string>;
  /** Every block may be missing. */
  readonly isIncomplete: boolean;
}

/** What is searched for blocks, and what was found so far. */
interface Search {
  readonly kinds: readonly Kind[];
  readonly top: Kind | undefined;
  readonly sections: (parent: string) => ReadonlyMap<string, Kind>;
  /** The section that a key below a kind was probably meant to be. */
  readonly guessSection: (key: string, parentKind: string) => string | undefined;
  readonly diagnostics: Diagnostic[];
  readonly blocks: Block[];
  readonly broken: Set<string>;
  isIncomplete: boolean;
}

/** Finds the block of every resource, parents before children, otherwise in the order of the file. */
export function findBlocks(tree: MapNode, kinds: readonly Kind[], diagnostics: Diagnostic[]): Found {
  const sections = sectionsOf(kinds);
  const top = topOf(kinds);
  const search: Search = {
    kinds,
    top,
    sections,
    guessSection: guessingSections(sections),
    diagnostics,
    blocks: [],
    broken: new Set(),
    isIncomplete: false,
  };
  const own = top === undefined ? undefined : tree.entries.get(top.section);
  const link = top?.parents[root];
  if (top !== undefined && link !== undefined && own?.node.is === 'map') {
    const address = topAddress(top);
    const entries = withUnset(own.node.entries, unsetTwice(reportInto(diagnostics, address)));
    search.blocks.push({ address, kind: top, key: address, parent: undefined, link, entries, at: own.keyAt });
  }
  searchBelow(tree.entries, root, undefined, search);
  return search;
}

/** Guesses sections, each once for all blocks of a kind. */
function guessingSections(sections: Search['sections']): Search['guessSection'] {
  const guessed = new Map<string, Map<string, string | undefined>>();
  return (key, parentKind) => {
    const known = guessed.get(parentKind) ?? new Map<string, string | undefined>();
    guessed.set(parentKind, known);
    const below = sections(parentKind);
    if (!known.has(key)) known.set(key, guessKey(key, { keys: [...below.keys()], sections: below }));
    return known.get(key);
  };
}

/** Searches the sections of a block, or of the file: `parent` is the address that those of their blocks begin with. */
function searchBelow(
  entries: MapNode['entries'],
  parentKind: string,
  parent: string | undefined,
  search: Search,
): void {
  const below = search.sections(parentKind);
  for (const [name, { keyAt, node }] of entries) {
    const kind = below.get(name);
    const isBelowTop = parentKind === root && kind?.parents[root] === undefined;
    const link = kind?.parents[isBelowTop ? (search.top?.kind ?? '') : parentKind];
    if (kind === undefined || link === undefined) {
      const meant = node.is === 'map' ? search.guessSection(name, parentKind) : undefined;
      const kindMeant = meant === undefined ? undefined : below.get(meant);
      if (meant !== undefined && kindMeant !== undefined) lose(meant, kindMeant, parent, search);
      continue;
    }
    const above = search.kinds.find((one) => one.kind === parentKind);
    if (node.is === 'map') {
      searchSection({ name, node, kind, link, above, isBelowTop, parent }, search);
      continue;
    }
    lose(name, kind, parent, search);
    const report = reportInto(search.diagnostics, parent);
    if (isEmpty(node))
      report('wrong-type', `${name} is empty`, keyAt, `Write ${name}: {} for none, or remove the line.`);
    else {
      const remedy = sectionInstead(name, node, { kind, link, above }) ?? `Write it as ${name}: { name: { … } }.`;
      report('wrong-type', `${name} must be a map with a block per key`, keyAt, remedy);
    }
  }
}

/** Notes that all blocks of a section are missing. */
function lose(section: string, { identity }: Kind, parent: string | undefined, search: Search): void {
  if (identity.addressedByKey === true && parent === undefined) search.isIncomplete = true;
  else search.broken.add(parent === undefined ? section : `${parent}.${section}`);
}

/** A section whose keys hold blocks. */
interface Section extends BlocksPlace {
  readonly name: string;
  readonly node: MapNode;
  /** It stands at the top of the file, for what is below the top. */
  readonly isBelowTop: boolean;
  readonly parent: string | undefined;
}

function searchSection(section: Section, search: Search): void {
  const { node, kind, link, isBelowTop, parent } = section;
  const { top, diagnostics } = search;
  const addressOf = (key: string) => blockAddress(parent, kind, key);
  const isOneBlock = once(() =>
    [...node.entries].every(([key, child]) => child.node.is !== 'map' && isField(key, kind)),
  );
  const [first] = node.entries.keys();
  for (const [key, child] of node.entries) {
    const address = addressOf(key);
    const ofKey = problemOfKey(key, child.keyAt, section, search);
    if (ofKey === undefined && child.node.is === 'map') {
      const above = isBelowTop && top !== undefined ? topAddress(top) : parent;
      const entries = withUnset(child.node.entries, unsetTwice(reportInto(diagnostics, address)));
      search.blocks.push({
        address,
        kind,
        key,
        parent: above,
        link,
        entries,
        resets: child.node.resets,
        at: child.keyAt,
      });
      searchBelow(entries, kind.kind, address, search);
      continue;
    }
    search.broken.add(address);
    // Of fields that stand where blocks belong, the first says it for all.
    if (ofKey === undefined && key !== first && isOneBlock()) continue;
    const problem = ofKey ?? problemOfValue(key, child, section, isOneBlock);
    const shown = child.node.is === 'map' ? key : shownKey(key, isEmpty(child.node));
    const report = reportInto(diagnostics, addressOf(shown));
    report(problem.code ?? 'wrong-type', problem.message, problem.at, problem.remedy);
  }
}

/** Why a key of a section holds no block. */
interface BlockProblem {
  readonly code?: 'bad-expression';
  readonly message: string;
  readonly remedy: string;
  readonly at: Place;
}

/** What is wrong with a key that names a block. */
function problemOfKey(key: string, at: Place, { name, kind }: Section, search: Search): BlockProblem | undefined {
  const { identity } = kind;
  const expression = expressionIn(key);
  if (expression !== undefined) {
    const field = identity.keyField;
    // No object is found by a secret.
    const written = key.replaceAll('${secret:', '${var:');
    const below = field === undefined ? '' : `, and below it ${field}: "${written}"`;
    const remedy = `Write a name of your own as the key${below}.`;
    return { code: 'bad-expression', message: notInKeys(expression), remedy, at };
  }
  if (key === '')
    return { message: `${name} has an empty key`, remedy: 'Write the name of the block before the colon.', at };
  const isTop = search.top !== undefined && key === topAddress(search.top);
  if (identity.addressedByKey !== true || !(isTop || search.sections(root).has(resolveSection(key)))) return undefined;
  const remedy = `Choose another key, and write name: ${key} if the platform calls it so.`;
  return { message: `${key} is the name of a section, and addresses begin with it`, remedy, at };
}

/** What is wrong with a value that is no map of fields. */
function problemOfValue(
  key: string,
  { keyAt, node }: Entry,
  { name, node: section, ...place }: Section,
  isOneBlock: () => boolean,
): BlockProblem {
  // What was commented out below it would be deleted, so nothing is not the same as an empty map.
  if (isEmpty(node)) {
    const shown = shownKey(key, true);
    const remedy = missingBlank(key, true) ?? `Write ${shown}: {} for no fields, or remove the line.`;
    return { message: `${shown} is empty`, remedy, at: keyAt };
  }
  const shown = shownKey(key);
  const remedy = isField(key, place.kind)
    ? ((isOneBlock() ? sectionInstead(name, section, { ...place, isOneBlock: true }) : undefined) ??
      `${name}: holds blocks by their names. Write it as ${name}: { name: { … } }.`)
    : (blockInstead(key, node, place) ?? `Write it as ${shown}: { … }.`);
  const blank = remedy.includes('\n') ? undefined : missingBlank(key);
  const message = `${shown} must be a map of fields`;
  return { message, remedy: blank ?? remedy, at: node.at };
}

/** Returns true for a key that is probably a field of a block. */
function isField(key: string, { fields, checks }: Kind): boolean {
  const keys = [...Object.keys(fields), ...Object.keys(checks?.hints ?? {})];
  return guessKey(key, { keys, sections: new Map() }) !== undefined;
}

/** Reports a field that `unset` names beside its value. */
function unsetTwice(report: Report): (path: string, at: Place) => void {
  return (named, at) => {
    const path = shownKey(named);
    const remedy = `Remove ${path} from unset, or its own line.`;
    report('defined-twice', `unset names ${path}, which has a value in this block`, at, remedy);
  };
}
