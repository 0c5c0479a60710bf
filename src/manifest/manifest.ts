import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { once } from '../api/once.ts';
import { turn } from '../api/sleep.ts';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import { addressMeant, pathMeant, sectionMeant } from '../kind/aliases.ts';
import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { withTop } from '../kind/top.ts';
import { evaluateFreeText, placeFreeText, quoteFreeText } from './free-text.ts';
import type { FreeText } from './free-text.ts';
import type { AcceptedDrift } from './accepted.ts';
import { loadAccepted } from './accepted.ts';
import { findBlocks, sectionsOf } from './blocks.ts';
import { checkResources } from './check.ts';
import { readResource } from './fields.ts';
import { loadIncludes, loadRoot } from './load.ts';
import { checkMentions } from './mentions.ts';
import { readNamedFiles } from './named-files.ts';
import { readOutputs } from './outputs.ts';
import { shownKey } from './problem.ts';
import { withQuotes } from './quote.ts';
import type { Blocks } from './references.ts';
import { findDangling, findReference, mostSuggestions } from './references.ts';
import { inOrderOfFiles, oncePerPlace } from './report.ts';
import type { Block, Resource } from './resource.ts';
import { expressionSources } from './sources/all.ts';
import type { EnvLimit, ExpressionSource } from './sources/source.ts';
import type { Settings } from './settings.ts';
import { readSettings } from './settings.ts';
import { settingsShape } from './settings-shape.ts';
import { isEmpty, position } from './tree.ts';
import { placeOfSection, remedyForKey } from './unknown-key.ts';
import type { Wanted } from './wanted.ts';
import type { Workspace } from './workspace.ts';

/** Everything a user declared, checked, before any request. */
export interface Manifest {
  readonly settings: Settings;
  /** Parents before children. */
  readonly resources: readonly Resource[];
  /** What `trueup output` prints, by name. */
  readonly outputs: ReadonlyMap<string, Wanted>;
  /** The value of the free text that was asked for. */
  readonly freeText?: Wanted;
  /** The drift that apply leaves alone, by the file beside the manifest. */
  readonly accepted: readonly AcceptedDrift[];
  /** Real paths of the files that it was read from. */
  readonly files: ReadonlySet<string>;
  /** Their texts, by the names that positions have for them. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Where a manifest and the values in it come from. */
export interface ManifestInput {
  readonly workspace: Workspace;
  /** The name of the root file. */
  readonly file: string;
  readonly kinds: readonly Kind[];
  /** The sources of expressions: `expressionSources` when left out. */
  readonly sources?: readonly ExpressionSource[];
  readonly env: (name: string) => string | undefined;
  /** The variables of the environment that the manifest must not read; none when left out. */
  readonly envLimit?: EnvLimit;
  readonly secret: (name: string) => string | undefined;
  /** Values of variables given on the command line or by the environment. */
  readonly given: (name: string) => string | undefined;
  /** A text to evaluate beside the manifest. */
  readonly freeText?: FreeText | undefined;
  /** The address of the platform where the manifest names none. */
  readonly platformUrl?: string | undefined;
  /** Called with the settings once they are read, unless a mistake was found, and waited for; the rest may still be wrong. */
  readonly onSettings?: ((settings: Settings) => Promise<void>) | undefined;
  readonly addSecret: (value: string) => void;
}

/**
 * Reads and checks a manifest. It is there only when the diagnostics hold no error.
 * @throws {Stop} `manifest`, when its values are too long to be checked
 */
export async function readManifest(
  input: ManifestInput,
): Promise<{ manifest: Manifest | undefined; diagnostics: Diagnostic[] }> {
  const found: Diagnostic[] = [];
  const texts = new Map<string, string>();
  const manifest = await read(input, found, texts);
  const inOrder = oncePerPlace(inOrderOfFiles(found, [...texts.keys()]));
  const quoted = withQuotes(inOrder, texts, input.kinds);
  const diagnostics = input.freeText === undefined ? quoted : quoteFreeText(quoted, input.freeText.text);
  return { manifest: hasErrors(diagnostics) ? undefined : manifest, diagnostics };
}

async function read(
  input: ManifestInput,
  diagnostics: Diagnostic[],
  texts: Map<string, string>,
): Promise<Manifest | undefined> {
  const { workspace, sources = expressionSources } = input;
  const tree = await loadRoot(workspace, input.file, diagnostics, texts);
  if (tree === undefined) return undefined;
  const ownsProject = tree.entries.get('project')?.node.is === 'map';
  const kinds = ownsProject ? withTop(input.kinds) : input.kinds;
  const sections = sectionsOf(kinds);
  const placeOf = (section: string) => placeOfSection(section, kinds);
  const known = [...sections(root).keys(), ...Object.keys(settingsShape)];
  for (const [key, entry] of tree.entries) {
    if (known.includes(key)) continue;
    const remedy = remedyForKey(key, {
      keys: known,
      sections: sections(root),
      elsewhere: placeOf,
      isEmpty: isEmpty(entry.node),
    });
    diagnostics.push(
      diagnostic('unknown-key', `a manifest has no key ${shownKey(key, isEmpty(entry.node))}`, {
        remedy,
        position: position(entry.keyAt),
      }),
    );
  }
  const { given, platformUrl } = input;
  const own = readSettings(tree, { given, platformUrl, sources }, diagnostics);
  if (own === undefined) return undefined;
  const top = [...sections(root)];
  const names = top.map(([section]) => section);
  const nested = new Set(top.flatMap(([section, kind]) => (sections(kind.kind).size > 0 ? [section] : [])));
  const before = diagnostics.length;
  const merged = await loadIncludes(workspace, tree, own.include, names, nested, {
    diagnostics,
    texts,
  });
  const read = merged === tree ? own : readSettings(merged, { given, platformUrl, sources }, diagnostics);
  const settings = read === undefined ? undefined : inDokploysWords({ ...read, rootFile: input.file });
  if (settings === undefined) return undefined;
  if (!hasErrors(diagnostics)) await input.onSettings?.(settings);

  const lacksFiles = diagnostics.length > before;
  const { blocks, broken, isIncomplete } = findBlocks(merged, { kinds, sources }, diagnostics);
  const byAddress = new Map<string, Block>(blocks.map((block) => [block.address, block]));
  const suggestions = { left: mostSuggestions };
  const referable: Blocks = {
    byAddress,
    kinds,
    broken,
    isIncomplete: isIncomplete || lacksFiles,
    dangling: once(() => findDangling(referable)),
    suggestions,
  };
  const named = new Map(
    blocks.flatMap(({ kind, key, parent, address }) =>
      parent === undefined ? [[`${kind.kind} ${key}`, address] as const] : [],
    ),
  );
  const { env, envLimit = () => undefined, secret, addSecret } = input;
  const freeText =
    input.freeText === undefined ? undefined : placeFreeText(input.freeText, { root: tree, byAddress }, diagnostics);
  const file = await readNamedFiles(freeText === undefined ? [merged] : [merged, freeText.node], sources, workspace);
  const variable = (name: string) => settings.variables.get(name);
  const variableNames = [...settings.variables.keys()];
  const size = { characters: 0 };
  const evaluationAt = (block: Block | undefined) => ({
    sources,
    values: {
      env,
      envLimit,
      secret,
      variable,
      variableNames,
      file,
      find: (path: string) => findReference(path, block, referable),
    },
    addSecret,
    diagnostics,
    size,
  });
  const declared: Resource[] = [];
  for (const [place, block] of blocks.entries()) {
    if (place % blocksPerTurn === 0) await turn();
    const resource = readResource(
      block,
      { sections: sections(block.kind.kind), placeOf },
      {
        named: (kind, key) => {
          const address = named.get(`${kind} ${key}`);
          return address === undefined ? undefined : { address, output: 'id' };
        },
        address: block.address,
        ...evaluationAt(block), // last: Node 20 gives each object with members behind it a shape of its own
      },
    );
    declared.push(resource);
  }
  const resources = inherit(declared);
  checkResources(resources, kinds, diagnostics, { texts, beside: workspace.beside, variableNames });
  checkMentions(resources, diagnostics);
  const outputs = readOutputs(merged, evaluationAt(undefined));
  const accepted = await loadAccepted(workspace, input.file, diagnostics, texts);
  const found = freeText === undefined ? undefined : evaluateFreeText(freeText, evaluationAt(freeText.block));
  return {
    settings,
    resources,
    outputs,
    accepted: accepted.map(acceptedMeant),
    ...(found === undefined ? {} : { freeText: found }),
    files: workspace.files,
    texts,
  };
}

/** How many blocks are read in a row, a few milliseconds, while answers of the platform wait. */
const blocksPerTurn = 10;

/** Settings with the addresses and names of fields in them as the kinds have them. */
function inDokploysWords(settings: Settings): Settings {
  const { moved, drift } = settings;
  const ignore = drift?.ignore?.map(({ address, field, ...rule }) => ({
    ...rule,
    address: addressMeant(address),
    ...(field === undefined ? {} : { field: pathMeant(field) }),
  }));
  return {
    ...settings,
    moved: moved.map(({ from, to, at }) => ({ from: addressMeant(from), to: addressMeant(to), at })),
    ...(ignore === undefined ? {} : { drift: { ...drift, ignore } }),
  };
}

/** Accepted drift with the addresses, kinds and names of fields as the kinds have them. */
function acceptedMeant(entry: AcceptedDrift): AcceptedDrift {
  return {
    ...entry,
    kind: sectionMeant(entry.kind),
    ...(entry.address === undefined ? {} : { address: addressMeant(entry.address) }),
    ...(entry.field === undefined ? {} : { field: pathMeant(entry.field) }),
  };
}

/** Gives fields that default to one of the parent's the value that is declared there. */
function inherit(declared: readonly Resource[]): Resource[] {
  const byAddress = new Map(declared.map((resource) => [resource.address, resource]));
  const inheriting = new Map<Kind, (readonly [name: string, from: string])[]>();
  for (const { kind } of declared) {
    if (inheriting.has(kind)) continue;
    const fields = Object.entries(kind.fields);
    inheriting.set(
      kind,
      fields.flatMap(([name, { fromParent }]) => (fromParent === undefined ? [] : [[name, fromParent] as const])),
    );
  }
  return declared.map((resource) => {
    const parent = resource.parent === undefined ? undefined : byAddress.get(resource.parent);
    const added: Record<string, Wanted> = {};
    for (const [name, from] of inheriting.get(resource.kind) ?? []) {
      const inherited = parent?.fields[from];
      if (inherited !== undefined && resource.fields[name] === undefined) added[name] = inherited;
    }
    return Object.keys(added).length === 0 ? resource : { ...resource, fields: { ...resource.fields, ...added } };
  });
}
