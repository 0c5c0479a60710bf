import { sectionMeant } from '../kind/aliases.ts';
import { once } from '../api/once.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { childAddress } from '../kind/address.ts';
import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { topAddress, topOf } from '../kind/top.ts';
import { expressionIn, notInKeys } from './expression.ts';
import { missingBlank, shownKey } from './problem.ts';
import type { Block } from './resource.ts';
import { blockInstead, sectionInstead } from './short-blocks.ts';
import type { ExpressionSource } from './sources/source.ts';
import type { MapNode, Place } from './tree.ts';
import { isEmpty, position } from './tree.ts';
import { guessKey } from './unknown-key.ts';
import { withUnset } from './unset.ts';

/** Kinds by the kind they stand below and the section they stand in. */
export function sectionsOf(kinds: readonly Kind[]): (parent: string) => ReadonlyMap<string, Kind> {
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
}

/** Reports a field that `unset` names beside its value. */
function unsetTwice(address: string, diagnostics: Diagnostic[]): (path: string, at: Place) => void {
  return (named, at) => {
    const path = shownKey(named);
    const about = { remedy: `Remove ${path} from unset, or its own line.`, address, position: position(at) };
    diagnostics.push(diagnostic('defined-twice', `unset names ${path}, which has a value in this block`, about));
  };
}

/** The keys that a block of a kind takes, and those that it explains. */
function fieldsOf({ fields, checks }: Kind): string[] {
  return [...Object.keys(fields), ...Object.keys(checks?.hints ?? {})];
}

/** What `findBlocks` finds. */
interface Found {
  readonly blocks: readonly Block[];
  /** Addresses at which blocks are missing, because of a mistake that is reported or will be. */
  readonly broken: ReadonlySet<string>;
  /** Every block may be missing. */
  readonly isIncomplete: boolean;
}

/** Finds the block of every resource, parents before children, otherwise in the order of the file. */
export function findBlocks(
  tree: MapNode,
  { kinds, sources }: { readonly kinds: readonly Kind[]; readonly sources: readonly ExpressionSource[] },
  diagnostics: Diagnostic[],
): Found {
  const sections = sectionsOf(kinds);
  const blocks: Block[] = [];
  const broken = new Set<string>();
  let isIncomplete = false;

  const isSection = (key: string) => sections(root).has(sectionMeant(key));
  /** The section that each key was probably meant to be, by the kind it stands below. */
  const guessed = new Map<string, Map<string, string | undefined>>();
  const guessSection = (key: string, parentKind: string): string | undefined => {
    const known = guessed.get(parentKind) ?? new Map<string, string | undefined>();
    guessed.set(parentKind, known);
    const below = sections(parentKind);
    if (!known.has(key)) known.set(key, guessKey(key, { keys: [...below.keys()], sections: below }));
    return known.get(key);
  };
  const lose = (section: string, { identity }: Kind, parent: string | undefined): void => {
    if (identity.addressedByKey === true && parent === undefined) isIncomplete = true;
    else broken.add(parent === undefined ? section : `${parent}.${section}`);
  };

  const top = topOf(kinds);
  const enter = (entries: MapNode['entries'], parentKind: string, parent: string | undefined): void => {
    for (const [section, entry] of entries) {
      const below = sections(parentKind);
      const kind = below.get(section);
      const isBelowTop = parentKind === root && kind?.parents[root] === undefined;
      const link = kind?.parents[isBelowTop ? (top?.kind ?? '') : parentKind];
      if (kind === undefined || link === undefined) {
        const meant = entry.node.is === 'map' ? guessSection(section, parentKind) : undefined;
        const kindMeant = meant === undefined ? undefined : below.get(meant);
        if (meant !== undefined && kindMeant !== undefined) lose(meant, kindMeant, parent);
        continue;
      }
      const place = () => ({ kind, link, above: kinds.find((one) => one.kind === parentKind) });
      if (entry.node.is !== 'map') {
        lose(section, kind, parent);
        const isNull = isEmpty(entry.node);
        diagnostics.push(
          diagnostic('wrong-type', isNull ? `${section} is empty` : `${section} must be a map with a block per key`, {
            remedy: isNull
              ? `Write ${section}: {} for none, or remove the line.`
              : (sectionInstead(section, entry.node, place()) ?? `Write it as ${section}: { name: { … } }.`),
            address: parent,
            position: position(entry.keyAt),
          }),
        );
        continue;
      }
      const { node } = entry;
      const isField = (key: string) => guessKey(key, { keys: fieldsOf(kind), sections: new Map() }) !== undefined;
      const isOneBlock = once(() => [...node.entries].every(([key, child]) => child.node.is !== 'map' && isField(key)));
      const [first] = node.entries.keys();
      for (const [key, child] of node.entries) {
        const addressOf = (name: string) =>
          childAddress(parent, kind.identity.addressedByKey === true ? undefined : section, name);
        const address = addressOf(key);
        const shown = child.node.is === 'map' ? key : shownKey(key, isEmpty(child.node));
        const report = (message: string, remedy: string, at: Place, code: Diagnostic['code'] = 'wrong-type') => {
          broken.add(address);
          diagnostics.push(diagnostic(code, message, { remedy, address: addressOf(shown), position: position(at) }));
        };
        const expression = expressionIn(key, sources);
        if (expression !== undefined) {
          const field = kind.identity.keyField;
          // No object is found by a secret.
          const written = key.replaceAll('${secret:', '${var:');
          const name = field === undefined ? '' : `, and below it ${field}: "${written}"`;
          report(notInKeys(expression), `Write a name of your own as the key${name}.`, child.keyAt, 'bad-expression');
          continue;
        }
        if (key === '') {
          report(`${section} has an empty key`, 'Write the name of the block before the colon.', child.keyAt);
          continue;
        }
        const isTop = top !== undefined && key === topAddress(top);
        if (kind.identity.addressedByKey === true && (isTop || isSection(key))) {
          const remedy = `Choose another key, and write name: ${key} if the platform calls it so.`;
          report(`${key} is the name of a section, and addresses begin with it`, remedy, child.keyAt);
          continue;
        }
        if (child.node.is !== 'map') {
          if (isOneBlock() && key !== first) {
            broken.add(address);
            continue;
          }
          // What was commented out below it would be deleted, so nothing is not the same as an empty map.
          if (isEmpty(child.node)) {
            const remedy = `Write ${shown}: {} for no fields, or remove the line.`;
            report(`${shown} is empty`, missingBlank(key, true) ?? remedy, child.keyAt);
          } else {
            const remedy = isField(key)
              ? ((isOneBlock() ? sectionInstead(section, node, { ...place(), isOneBlock: true }) : undefined) ??
                `${section}: holds blocks by their names. Write it as ${section}: { name: { … } }.`)
              : (blockInstead(key, child.node, place()) ?? `Write it as ${shown}: { … }.`);
            const blank = remedy.includes('\n') ? undefined : missingBlank(key);
            report(`${shown} must be a map of fields`, blank ?? remedy, child.node.at);
          }
          continue;
        }
        const { entries: inner } = child.node;
        const above = isBelowTop && top !== undefined ? topAddress(top) : parent;
        const entries = withUnset(inner, unsetTwice(address, diagnostics));
        blocks.push({ address, kind, key, parent: above, link, entries, at: child.keyAt });
        enter(entries, kind.kind, address);
      }
    }
  };

  const own = top === undefined ? undefined : tree.entries.get(top.section);
  const link = top?.parents[root];
  if (top !== undefined && link !== undefined && own?.node.is === 'map') {
    const address = topAddress(top);
    const entries = withUnset(own.node.entries, unsetTwice(address, diagnostics));
    blocks.push({ address, kind: top, key: address, parent: undefined, link, entries, at: own.keyAt });
  }
  enter(tree.entries, root, undefined);
  return { blocks, broken, isIncomplete };
}
