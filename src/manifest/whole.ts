import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Kind, root } from '../kind/kind.ts';
import { withTop } from '../kind/top.ts';
import { assemble } from './assemble/assemble.ts';
import { holderOf, ownEnvironment, remedyForSection } from './assemble/environment.ts';
import { withKeyedBlocks } from './assemble/single-blocks.ts';
import { movesIn } from './assemble/moves.ts';
import { sectionsOf } from './blocks.ts';
import { type Loading, loadIncluded, loadRoot } from './load.ts';
import { type Fitted, asPreview, examplePreview, fitToPreview } from './preview.ts';
import { placedSeeds } from './seeds.ts';
import { shownKey } from './problem.ts';
import { reportInto } from './report-at.ts';
import { type Settings, type SettingsInput, checkRootSettings, readInclude, readSettings } from './settings.ts';
import { settingsShape } from './settings-shape.ts';
import { writeOut } from './assemble/write-out.ts';
import { type MapNode, type Place, isEmpty } from './tree.ts';
import { placeOfSection, remedyForKey } from './unknown-key.ts';
import { takeValues } from './variables.ts';
import type { Workspace } from './workspace.ts';

/** The files of a manifest and where they are. */
interface WholeInput extends SettingsInput {
  readonly workspace: Workspace;
  /** The name of the root file. */
  readonly file: string;
  readonly kinds: readonly Kind[];
}

/** The files of a manifest, read and made one. */
export interface Whole {
  /** The root file by itself. */
  readonly rootTree: MapNode;
  /** All files, as if they were written out in one. */
  readonly tree: MapNode;
  readonly settings: Settings;
  /** The values that the root file gives to variables. */
  readonly values: ReturnType<typeof takeValues>['values'];
  /** The kinds that the manifest may use. */
  readonly kinds: readonly Kind[];
  /** Blocks may be missing: a file could not be read, or a part of it could not be used. */
  readonly lacksFiles: boolean;
  /** The variables of the root file whose values have the id of the preview. */
  readonly varying: ReadonlySet<string>;
  /** What a preview does not have, by the addresses of the blocks that it was left out of. */
  readonly leftOut: Fitted['leftOut'];
  /** The addresses of blocks that `changes:` takes out. */
  readonly removed: ReadonlyMap<string, Place>;
}

/** A root file with what it includes, and the texts of its files by their names. */
export interface WholeRead {
  readonly whole: Whole;
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads the root file and what it includes. undefined: a setting is wrong, or the root file cannot be read. */
export async function loadWhole(input: WholeInput, { diagnostics, texts }: Loading): Promise<Whole | undefined> {
  const { workspace, file, declaredBeside } = input;
  const loaded = await loadRoot(workspace, file, diagnostics, texts);
  if (loaded === undefined) return undefined;
  const { tree: rootTree, varying } = asPreview(loaded, input.preview ?? examplePreview, reportInto(diagnostics));
  refuseUnknownKeys(rootTree, input.kinds, diagnostics);
  const includes = rootTree.entries.has('include');
  // Without more files, the settings of the root file are those of the manifest.
  const own = includes ? undefined : readSettings(rootTree, input, diagnostics);
  if (includes ? !checkRootSettings(rootTree, input, diagnostics) : own === undefined) return undefined;
  const before = diagnostics.length;
  const [begins = 'variables'] = sectionsOf(input.kinds)(root).keys();
  const includeOf = (tree: MapNode) => readInclude(tree, diagnostics);
  const including = { workspace, root: rootTree, includeOf, begins: `${begins}:`, diagnostics, texts };
  const included = await loadIncluded(including);
  const ownsProject = [rootTree, ...included].some(({ entries }) => entries.get('project')?.node.is === 'map');
  const kinds = ownsProject ? withTop(input.kinds) : input.kinds;
  const { tree: declaring, values } = takeValues(rootTree);
  const [keyed = declaring, ...others] = [declaring, ...included].map((tree) => withKeyedBlocks(tree, kinds));
  const { tree: joined, environment } = assemble(keyed, others, kinds, reportInto(diagnostics));
  const lacksFiles = diagnostics.length > before;
  const settings = own ?? readSettings(joined, { ...input, lacksFiles }, diagnostics);
  if (settings === undefined) return undefined;
  const has = (pattern: RegExp) => [...texts.values()].some((text) => pattern.test(text));
  const written = writeOut(
    joined,
    { kinds, own: environment, lacksFiles, isFamily: settings.preview !== undefined, has, declaredBeside },
    reportInto(diagnostics),
  );
  const { id } = settings.preview ?? {};
  const fitted =
    id === undefined ? { leftOut: new Map() } : fitToPreview(written.tree, { kinds, id }, reportInto(diagnostics));
  const leftOut: ReadonlyMap<string, readonly string[]> = fitted.leftOut;
  const notThere = [...leftOut].flatMap(([address, keys]) => keys.map((key) => `${address}.${key}`));
  const removed = [...written.removed.keys(), ...notThere];
  const moved = movesIn(settings.moved, { own: environment, kinds, rootFile: file, removed });
  const preview = settings.preview && placedSeeds(settings.preview, environment);
  const about = { ...settings, moved, environment, preview, rootFile: file };
  return { ...written, ...fitted, varying, rootTree, values, settings: about, kinds, lacksFiles };
}

/** Reports the keys of the root file that are neither sections nor settings. */
function refuseUnknownKeys(tree: MapNode, kinds: readonly Kind[], diagnostics: Diagnostic[]): void {
  const own = ownEnvironment(tree);
  const holder = holderOf(kinds);
  const sections = sectionsOf(kinds)(root);
  const keys = [
    ...sections.keys(),
    ...Object.keys(settingsShape),
    ...(own === undefined ? [] : (holder?.sections ?? [])),
  ];
  for (const [key, { keyAt, node }] of tree.entries) {
    if (keys.includes(key)) continue;
    const elsewhere = (section: string) => placeOfSection(section, kinds);
    const known = remedyForKey(key, { keys, sections, elsewhere, isEmpty: isEmpty(node) });
    const atTop = remedyForSection(key, { own, holder, rootFile: tree.at.file });
    const remedy = atTop === undefined ? known : `${known} Or ${atTop}`;
    reportInto(diagnostics)('unknown-key', `a manifest has no key ${shownKey(key, isEmpty(node))}`, keyAt, remedy);
  }
}
