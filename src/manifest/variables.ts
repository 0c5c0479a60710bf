import { didYouMean } from '../diagnostics/closest.ts';
import { type Diagnostic, positionText } from '../diagnostics/diagnostic.ts';
import { toJson } from '../formats/yaml-node.ts';
import { maskValue } from '../secrets/looks-secret.ts';
import type { Beside } from './beside.ts';
import { type Declaration, type Mismatch, readDeclaration, readText, readValue } from './declared.ts';
import { open, remedyOf } from './lines-to-paste.ts';
import { type Report, reportInto } from './report-at.ts';
import type { TypedValue, VariableValue } from './sources/source.ts';
import { readTree } from './read-tree.ts';
import { type Entry, type MapNode, type Node, type Place, isEmpty, nodeAt, position } from './tree.ts';

/** A declared variable. */
export interface Variable {
  readonly declaration: Declaration;
  readonly value: VariableValue;
  /** What gives it its value: `production.yaml:5:20`, `--var tag`; undefined: it has none. */
  readonly givenAt: string | undefined;
  /** `trueup promote` copies its value. */
  readonly isPromoted: boolean;
}

/** A value of the command line or the environment, and what gives it: `--var tag`, `TRUEUP_VAR_tag`. */
export interface GivenText {
  readonly text: string;
  readonly by: string;
}

/** A YAML file of `--var-file`: a map of names to values. */
export interface ValueFile {
  /** Its name on the command line; undefined: no option names it. */
  readonly written?: string;
  /** Its name below the folder of the manifest, for positions. */
  readonly file: string;
  readonly text: string;
}

/** Reads files of values; what is wrong is reported. */
export function readValueFiles(files: readonly ValueFile[], diagnostics: Diagnostic[]): readonly MapNode[] {
  return files.flatMap(({ file, text }) => {
    const before = diagnostics.length;
    const tree = readTree(file, text, diagnostics);
    if (tree === undefined || tree.is === 'map' || diagnostics.length > before) return tree?.is === 'map' ? tree : [];
    const remedy = 'Write a line name: value for each variable.';
    reportInto(diagnostics)('wrong-type', `${file} is not a map of names to values`, tree.at, remedy);
    return [];
  });
}

/** Whether the command line, the environment or a file of values gives a variable. */
export function givenElsewhere({
  given,
  valueFiles = [],
}: {
  readonly given: (name: string) => GivenText | undefined;
  readonly valueFiles?: readonly ValueFile[] | undefined;
}): (name: string) => boolean {
  const files = readValueFiles(valueFiles, []);
  return (name) => given(name) !== undefined || files.some(({ entries }) => entries.has(name));
}

/** Where the values of variables come from, apart from their defaults. Each comes before the one above it. */
interface Given {
  /** Those that the root file gives. */
  readonly values: ReadonlyMap<string, Entry>;
  /** Those of the files of `--var-file`. */
  readonly files: readonly MapNode[];
  readonly given: (name: string) => GivenText | undefined;
}

/** A root file whose variables only declare, and the values that it gives to them: whatever is no map. */
export function takeValues(root: MapNode): { readonly tree: MapNode; readonly values: ReadonlyMap<string, Entry> } {
  const entry = root.entries.get('variables');
  if (entry?.node.is !== 'map') return { tree: root, values: new Map() };
  const all = [...entry.node.entries];
  const values = new Map(all.filter(([, { node }]) => isGiven(node)));
  if (values.size === 0) return { tree: root, values };
  const node = { ...entry.node, entries: new Map(all.filter(([name]) => !values.has(name))) };
  return { tree: { ...root, entries: new Map([...root.entries, ['variables', { ...entry, node }]]) }, values };
}

/** Whether a node below `variables:` is a value, and no declaration. */
export function isGiven(node: Node): boolean {
  return node.is !== 'map' && !isEmpty(node);
}

/**
 * Reads the variables that the files declare, with their values. What is wrong is reported; `lacksFiles`: declarations may be
 * missing. `root`: the name of the root file.
 * @throws {Stop} `manifest`, when the pattern of one takes too long
 */
export function readVariables(
  declared: MapNode | undefined,
  given: Given,
  {
    root,
    lacksFiles,
    isOfEach,
    declaredBeside,
    report,
  }: Beside & {
    readonly root: string;
    readonly lacksFiles: boolean;
    /** They are those of each preview, and not of one. */
    readonly isOfEach: boolean;
    readonly report: Report;
  },
): ReadonlyMap<string, Variable> {
  const variables = new Map<string, Variable>();
  for (const [name, entry] of declared?.entries ?? []) {
    if (isGiven(entry.node)) {
      report('wrong-type', onlyRootGives(name, entry.keyAt), entry.keyAt, asDefault(name, entry.node));
      continue;
    }
    const declaration = readDeclaration(`variables.${name}`, entry.node, report);
    const found = valueOf(name, { declaration, entry }, given, report);
    variables.set(name, {
      declaration,
      value: found?.value ?? (isOfEach ? { givenBy: 'each preview' } : missing(name, entry, root)),
      givenAt: found?.givenAt,
      isPromoted: isTrue(nodeAt(entry.node, ['promote'])),
    });
  }
  if (lacksFiles) return variables;
  for (const values of [given.values, ...given.files.map(({ entries }) => entries)]) {
    for (const [name, { keyAt, node }] of values) {
      if (declared?.entries.has(name) === true) continue;
      if (name === 'variables' && node.is === 'map') {
        const remedy = `Write the lines below it at the top of ${keyAt.file}.`;
        report('wrong-type', 'variables: does not stand in a file of values', keyAt, remedy);
        continue;
      }
      const beside = declaredBeside?.('variables', name);
      const remedy = beside ?? didYouMean(name, [...variables.keys()], asDefault(name, node));
      report('unknown-key', `neither ${root} nor a file that it includes declares a variable ${name}`, keyAt, remedy);
    }
  }
  return variables;
}

/** The sentence about a value in an included file. */
export function onlyRootGives(name: string, { file }: Place): string {
  return `${name} has a value in ${file}, and only a root file gives values`;
}

/** The value of a variable, the later place first, and that place. Those of all places are checked. */
function valueOf(
  name: string,
  { declaration, entry }: { readonly declaration: Declaration; readonly entry: Entry },
  { values, files, given }: Given,
  report: Report,
): { readonly value: TypedValue; readonly givenAt: string } | undefined {
  const read = (value: TypedValue | Mismatch, named: string, at: Place, otherwise?: string): TypedValue | undefined => {
    if (!('message' in value)) return value;
    report('wrong-type', `${named} ${value.message}`, at, value.remedy ?? otherwise);
    return undefined;
  };
  const declaredAt = `It is declared at ${positionText(position(entry.keyAt))}.`;
  // Only a default of a declaration without a type keeps that of YAML.
  const typed = { ...declaration, type: declaration.type ?? 'text' };
  const inFiles = [values, ...files.map(({ entries }) => entries)].flatMap((entries) => {
    const node = entries.get(name)?.node;
    const value = node && read(readValue(typed, node, name), `the variable ${name}`, node.at, declaredAt);
    return node === undefined || value === undefined ? [] : [{ value, givenAt: placeText(node) }];
  });
  const text = given(name);
  const last = text && read(readText(declaration, text.text, name), text.by, entry.keyAt);
  if (text !== undefined && last !== undefined) return { value: last, givenAt: text.by };
  const { default: value } = declaration;
  const written = nodeAt(entry.node, ['default']);
  return inFiles.at(-1) ?? (value && { value, givenAt: placeText(written ?? entry.node) });
}

function placeText({ at }: Node): string {
  return positionText(position(at));
}

/** The reason why a variable has no value. It names the root file where another file declares the variable. */
function missing(name: string, { keyAt }: Entry, root: string): VariableValue {
  const remedy = `Give it one with --var ${name}=… or TRUEUP_VAR_${name}, or declare a default.`;
  if (keyAt.file === root) return { problem: `the variable ${name} has no value`, remedy };
  return {
    problem: `${root} gives no value to the variable ${name}, which ${positionText(position(keyAt))} declares`,
    remedy: `Write variables: { ${name}: … } in ${root}, or give --var ${name}=… or TRUEUP_VAR_${name}.`,
  };
}

/** The remedy that makes a value the default of a declaration. */
function asDefault(name: string, node: Node): string {
  const value = toJson(node.written ?? node);
  const shown = maskValue(name, value) === value ? value : open;
  return remedyOf([{ key: name, value: { default: shown }, notes: [] }]);
}

function isTrue(node: Node | undefined): boolean {
  return node?.is === 'scalar' && node.value === true;
}
