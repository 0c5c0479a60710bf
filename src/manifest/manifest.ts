import { once } from '../api/once.ts';
import { turn } from '../api/sleep.ts';
import { type Diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
import { resolveAddress, resolvePath, resolveSection } from '../kind/aliases.ts';
import type { DeploymentFinding } from '../kind/checks.ts';
import type { Kind } from '../kind/kind.ts';
import { type FreeText, evaluateFreeText, placeFreeText, quoteFreeText } from './free-text.ts';
import { type AcceptedDrift, loadAccepted } from './accepted-drift.ts';
import { findBlocks, sectionsOf } from './blocks.ts';
import { checkResources } from './check.ts';
import type { Evaluation } from './evaluate-expressions.ts';
import { checkMentions } from './mentions.ts';
import { readNamedFiles } from './named-files.ts';
import { readOutputs } from './declared-outputs.ts';
import { checkPreview, diagnosticWithoutExample } from './preview.ts';
import { checkSeeds } from './seeds.ts';
import { secretVariables } from './written-fields.ts';
import { withQuotes } from './quote.ts';
import { refuseCiphertext } from './refuse-ciphertext.ts';
import { withAfter } from './after.ts';
import { type Blocks, findDangling, findReference, maxSuggestions } from './resolve-references.ts';
import { readResource } from './read-block.ts';
import { inOrderOfFiles, oncePerPlace, reportInto } from './report-at.ts';
import type { Block, Resource } from './resource.ts';
import type { EnvLimit, Values } from './sources/source.ts';
import type { Beside } from './beside.ts';
import type { Settings } from './settings.ts';
import {
  type GivenText,
  type ValueFile,
  type Variable,
  givenElsewhere,
  readValueFiles,
  readVariables,
} from './variables.ts';
import { placeOfSection } from './unknown-key.ts';
import type { Wanted } from './wanted.ts';
import { type Whole, type WholeRead, loadWhole } from './whole.ts';
import type { Workspace } from './workspace.ts';

/** Everything a user declared, checked, before any request. */
export interface Manifest {
  readonly settings: Settings;
  readonly variables: ReadonlyMap<string, Variable>;
  /** Parents before children. */
  readonly resources: readonly Resource[];
  /** What `trueup output` prints, by name. */
  readonly outputs: ReadonlyMap<string, Wanted>;
  /** The value of the free text that was asked for. */
  readonly freeText?: Wanted | undefined;
  /** What the deployments of blocks will do; an error: one of a block that is new or edited fails for certain. */
  readonly deployments: readonly DeploymentFinding[];
  /** The drift that apply leaves alone, by the file beside the manifest. */
  readonly accepted: readonly AcceptedDrift[];
  /** What a preview does not have, by the addresses of the blocks that it was left out of. */
  readonly leftOut: Whole['leftOut'];
  /** Real paths of the files that it was read from. */
  readonly files: ReadonlySet<string>;
  /** All that was asked of its folder, as `Workspace` says it. */
  readonly asked: ReadonlySet<string>;
  /** Their texts, by the names that positions have for them. */
  readonly texts: ReadonlyMap<string, string>;
  /** The remedy for secrets that its reader did not have; undefined: the usual one. */
  readonly howToGive?: HowToGive | undefined;
}

/** The remedy for secrets of these names, where it is another than the usual one. */
export type HowToGive = (names: readonly string[]) => string | undefined;

/** A manifest with settings and nothing else. */
export function withoutBlocks(settings: Settings): Manifest {
  return {
    settings,
    variables: new Map(),
    resources: [],
    outputs: new Map(),
    deployments: [],
    accepted: [],
    leftOut: new Map(),
    files: new Set(),
    asked: new Set(),
    texts: new Map(),
  };
}

/** Where a manifest and the values in it come from. */
export interface ManifestInput extends Beside {
  readonly workspace: Workspace;
  /** The name of the root file. */
  readonly file: string;
  readonly kinds: readonly Kind[];
  readonly env: (name: string) => string | undefined;
  /** The variables of the environment that the manifest must not read; none when left out. */
  readonly envLimit?: EnvLimit;
  readonly secret: (name: string) => string | undefined;
  /** Values of variables given on the command line or by the environment. */
  readonly given: (name: string) => GivenText | undefined;
  /** Files with values of variables, which come before those of the root file; each before the ones above it. */
  readonly valueFiles?: readonly ValueFile[] | undefined;
  /** The preview that the command line names. */
  readonly preview?: string | undefined;
  /** A text to evaluate beside the manifest. */
  readonly freeText?: FreeText | undefined;
  /** The address of the platform where the manifest names none. */
  readonly platformUrl?: string | undefined;
  /** Called with the settings and the variables once they are read, unless a mistake was found, and waited for; the rest may still be wrong. */
  readonly onSettings?: ((settings: Settings, variables: ReadonlyMap<string, Variable>) => Promise<void>) | undefined;
  /** Called with the files as one, before the blocks in them are read. */
  readonly onWhole?: ((read: WholeRead) => void) | undefined;
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
  const isExample = input.preview === undefined && /^preview[ \t]*:/m.test(texts.get(input.file) ?? '');
  const shown = isExample ? found.map(diagnosticWithoutExample) : found;
  const inOrder = oncePerPlace(inOrderOfFiles(shown, [...texts.keys()]));
  // They are no files of the manifest.
  const others = (input.valueFiles ?? []).map(({ file, text }) => [file, text] as const);
  const quoted = withQuotes(inOrder, new Map([...others, ...texts]), input.kinds);
  const diagnostics = input.freeText === undefined ? quoted : quoteFreeText(quoted, input.freeText.text);
  return { manifest: hasErrors(diagnostics) ? undefined : manifest, diagnostics };
}

async function read(
  input: ManifestInput,
  diagnostics: Diagnostic[],
  texts: Map<string, string>,
): Promise<Manifest | undefined> {
  const { workspace } = input;
  const whole = await loadWhole(input, { diagnostics, texts });
  if (whole === undefined) return undefined;
  input.onWhole?.({ whole, texts });
  const { tree, kinds, rootTree } = whole;
  const settings = inDokploysWords(whole.settings);
  const variables = variablesOf(whole, input, diagnostics);
  if (variables === undefined) return undefined;
  if (!hasErrors(diagnostics)) await input.onSettings?.(settings, variables);

  const found = findBlocks(tree, kinds, diagnostics);
  const byAddress = new Map(found.blocks.map((block) => [block.address, block]));
  const freeText =
    input.freeText === undefined
      ? undefined
      : placeFreeText(input.freeText, { root: rootTree, byAddress }, diagnostics);
  const file = await readNamedFiles(freeText === undefined ? [tree] : [tree, freeText.node], workspace);
  const referable: Blocks = {
    byAddress,
    kinds,
    broken: found.broken,
    removed: whole.removed,
    isIncomplete: found.isIncomplete || whole.lacksFiles,
    dangling: once(() => findDangling(referable)),
    suggestions: { left: maxSuggestions },
    environment: settings.environment?.name,
  };
  const evaluationOf = evaluations(input, { project: settings.project, variables, file, referable }, diagnostics);
  const resources = withAfter(inherit(await readBlocks(found.blocks, kinds, evaluationOf)), referable, diagnostics);
  const variableNames = [...variables.keys()];
  const deployments: DeploymentFinding[] = [];
  const places = { texts, beside: workspace.beside, variableNames };
  checkResources(resources, kinds, { diagnostics, deployments }, places);
  checkMentions(resources, diagnostics);
  if (settings.preview !== undefined) {
    const varying = varyingIn(whole, input);
    checkPreview({ id: settings.preview.id, blocks: found.blocks, resources, variables, varying, diagnostics });
    checkSeeds(settings.preview.seed ?? [], referable, reportInto(diagnostics));
  }
  diagnostics.push(...refuseCiphertext(resources, { texts, beside: workspace.beside }));
  const outputs = readOutputs(tree, evaluationOf);
  const accepted = await loadAccepted(workspace, input.file, diagnostics, texts);
  return {
    settings,
    variables,
    resources,
    outputs,
    deployments: inOrderOfFiles(deployments, [...texts.keys()]),
    accepted: accepted.map(acceptedMeant),
    leftOut: whole.leftOut,
    freeText: freeText === undefined ? undefined : evaluateFreeText(freeText, evaluationOf),
    files: workspace.files,
    asked: workspace.asked,
    texts,
  };
}

/** Reads the variables of a manifest; undefined: one is wrong. */
function variablesOf(
  { rootTree, tree, values, lacksFiles, settings }: Whole,
  { given, valueFiles = [], declaredBeside, preview, freeText }: ManifestInput,
  diagnostics: Diagnostic[],
): Manifest['variables'] | undefined {
  const declared = tree.entries.get('variables')?.node;
  const before = diagnostics.length;
  // Who asks for a value gets one.
  const isOfEach = settings.preview !== undefined && preview === undefined && freeText === undefined;
  const about = { root: rootTree.at.file, lacksFiles, isOfEach, declaredBeside, report: reportInto(diagnostics) };
  const files = readValueFiles(valueFiles, diagnostics);
  const variables = readVariables(declared?.is === 'map' ? declared : undefined, { values, files, given }, about);
  return diagnostics.length > before ? undefined : variables;
}

/** The variables whose values have the id of the preview: neither the command line nor a file gives them others. */
function varyingIn({ varying }: Whole, input: ManifestInput): ReadonlySet<string> {
  const isGiven = givenElsewhere(input);
  return new Set([...varying].filter((name) => !isGiven(name)));
}

/** What values are evaluated with, of an address: that of a block, or the name of something beside the blocks. */
type EvaluationOf = (address: string, block?: Block) => Evaluation;

function evaluations(
  { env, envLimit = () => undefined, secret, addSecret }: ManifestInput,
  {
    project,
    variables,
    file,
    referable,
  }: Pick<Values, 'file'> & Pick<Manifest, 'variables'> & Pick<Settings, 'project'> & { readonly referable: Blocks },
  diagnostics: Diagnostic[],
): EvaluationOf {
  const byName = new Map(
    [...referable.byAddress.values()].flatMap(({ kind, key, parent, address }) =>
      parent === undefined ? [[`${kind.kind} ${key}`, address] as const] : [],
    ),
  );
  const variable = (name: string) => variables.get(name)?.value;
  const variableFrom = (name: string) => variables.get(name)?.givenAt;
  const secrets = once(() => secretVariables(referable.byAddress.values()));
  const isSecretVariable = (name: string) => secrets().has(name);
  const shared = { env, envLimit, secret, variable, isSecretVariable, variableFrom, file };
  const variableNames = [...variables.keys()];
  const size = { characters: 0 };
  const named = (kind: string, key: string) => {
    const address = byName.get(`${kind} ${key}`);
    return address === undefined ? undefined : { address, output: 'id' };
  };
  return (address, block) => ({
    address,
    project,
    values: { variableNames, find: (path: string) => findReference(path, block, referable), ...shared },
    addSecret,
    report: reportInto(diagnostics, address),
    size,
    named: block === undefined ? () => undefined : named,
  });
}

/** Reads the resources of blocks, and yields to pending I/O between some. */
async function readBlocks(
  blocks: readonly Block[],
  kinds: readonly Kind[],
  evaluationOf: EvaluationOf,
): Promise<readonly Resource[]> {
  const sections = sectionsOf(kinds);
  const placeOf = (section: string) => placeOfSection(section, kinds);
  const resources: Resource[] = [];
  for (const [index, block] of blocks.entries()) {
    if (index % blocksPerTurn === 0) await turn();
    const place = { sections: sections(block.kind.kind), placeOf };
    resources.push(readResource(block, place, evaluationOf(block.address, block)));
  }
  return resources;
}

/** How many blocks are read in a row, a few milliseconds, while answers of the platform wait. */
const blocksPerTurn = 10;

/** Settings with the addresses and names of fields in them as the kinds have them. */
function inDokploysWords(settings: Settings): Settings {
  const { moved, drift } = settings;
  const ignore = drift?.ignore?.map(inDokploysNames);
  return {
    ...settings,
    moved: moved.map(({ from, to, at }) => ({ from: resolveAddress(from), to: resolveAddress(to), at })),
    drift: drift === undefined ? undefined : { ...drift, ignore },
  };
}

/** Accepted drift with the addresses, kinds and names of fields as the kinds have them. */
function acceptedMeant(entry: AcceptedDrift): AcceptedDrift {
  return { ...inDokploysNames(entry), kind: resolveSection(entry.kind) };
}

/** The address and the field that something names, as the kinds have them. */
function inDokploysNames<T extends { readonly address?: string | undefined; readonly field?: string | undefined }>(
  named: T,
): T {
  const { address, field } = named;
  const meant = { address: address && resolveAddress(address), field: field && resolvePath(field) };
  return { ...named, ...defined(meant) };
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
    return Object.keys(added).length === 0
      ? resource
      : { ...resource, fields: Object.assign({}, resource.fields, added) };
  });
}
