import { didYouMean } from '../../diagnostics/closest.ts';
import { type Diagnostic, Stop, stop } from '../../diagnostics/diagnostic.ts';
import { usage } from '../../diagnostics/usage.ts';
import { copyValue } from '../../edit/copy-value.ts';
import { overlay } from '../../export/prove-export.ts';
import { same } from '../../formats/json.ts';
import { readValue } from '../../manifest/declared.ts';
import { yamlLimit } from '../../manifest/load.ts';
import { withQuotes } from '../../manifest/quote.ts';
import { readTree } from '../../manifest/read-tree.ts';
import { type Node, position } from '../../manifest/tree.ts';
import { type ValueFile, type Variable, readValueFiles, takeValues } from '../../manifest/variables.ts';
import { loadManifest, openFolder } from '../../project/load.ts';
import { readingOf } from '../../project/pins.ts';
import { refuseLinkOut } from '../../project/root-of-trust.ts';
import { writeFiles } from '../../project/write-files.ts';
import { counted } from '../../render/fold-lines.ts';
import { printable } from '../../render/printable.ts';
import { maskValue } from '../../secrets/looks-secret.ts';
import { defineCommand } from '../command.ts';
import { type Settled, optionsFor } from '../settle-options.ts';
import { command as plan, planFormats } from './plan.ts';
import { withoutMark } from '../../formats/utf8.ts';

/** A value of the first file that the second does not have. */
interface Promoted {
  readonly name: string;
  readonly node: Node;
  /** undefined: the second file gives none. */
  readonly before: Node | undefined;
}

/** Copies values of variables from one root file to another. Sends the GETs of a plan. */
export const command = defineCommand({
  arguments: {
    '<file>': 'root file to copy from',
    '<to-file>': 'root file to change',
    '[variables...]': 'only these variables; without any, all that are declared with promote: true',
  },
  options: {
    '--dry-run': 'write nothing; plan as if the values were written',
    '--no-plan': 'show no plan: needs no API key, and sends nothing',
  },
  notes: 'Only the values change: comments, order, anchors and line breaks stay.',
  examples: [
    'trueup promote staging.yaml production.yaml',
    'trueup promote staging.yaml production.yaml tag --dry-run',
    'trueup promote staging.yaml production.yaml --no-plan',
  ],
  formats: planFormats,
  execute: async (run, view, { args: [from = '', to = '', ...names], flags }) => {
    const [source, target] = [optionsFor(from, run.options), optionsFor(to, run.options)];
    for (const place of [source, target]) await refuseLinkOut(place);
    const writes = flags.dryRun !== true;
    const { promoted, after } = await promote({ source, target, names, writes });
    run.terminal.err(summary(promoted, { from, to, writes }));
    if (flags.plan === false) return 'done';
    const valueFiles = [...(target.valueFiles ?? []), ...(writes ? [] : [valuesOf(promoted, after, target)])];
    return plan.execute({ ...run, options: { ...target, valueFiles } }, view, { args: [], flags: { deploy: true } });
  },
});

interface Request {
  readonly source: Settled;
  readonly target: Settled;
  readonly names: readonly string[];
  readonly writes: boolean;
}

/** A root file. */
interface Root {
  /** With a byte order mark, if it has one. */
  readonly text: string;
  readonly body: string;
  /** The values that it gives to variables. */
  readonly values: ReturnType<typeof takeValues>['values'];
}

/**
 * Copies values, and writes the second file as a whole, once it was read with them.
 * @throws {Stop} `usage`, `manifest`, with what is wrong in one of the two, or `refused`; nothing was written then
 */
async function promote({ source, target, names, writes }: Request): Promise<{ promoted: Promoted[]; after: string }> {
  if (source.folder === target.folder && source.file === target.file)
    throw usage('the two files are the same', 'Name the file to copy from first, and the file to change second.');
  const [from, to] = [await rootOf(source), await rootOf(target)];
  const { manifest } = await loadManifest(source);
  const valueFiles = (source.valueFiles ?? []).map((file) => ({
    file,
    values: readValueFiles([file], [])[0]?.entries,
  }));
  let after = to.text;
  const promoted: Promoted[] = [];
  for (const name of chooseVariables(manifest.variables, names, source.file)) {
    const [node, before] = [from.values.get(name)?.node, to.values.get(name)?.node];
    // Where neither file gives a value, both take the default.
    if (node === undefined && before === undefined && names.length === 0) continue;
    const inFile = valueFiles.find(({ values }) => values?.has(name) === true)?.file;
    checkValue(name, node, { source, inFile });
    const type = manifest.variables.get(name)?.declaration.type ?? 'text';
    // Other quotes are no other value.
    if (before !== undefined && same(readValue({ type }, before, name), readValue({ type }, node, name))) continue;
    const next = copyValue(target.file, after, ['variables', name], { node, text: from.body });
    promoted.push({ name, node, before });
    after = next;
  }
  const written = new Map([[target.file, after]]);
  await loadManifest(target, { around: (workspace) => overlay(workspace, written) });
  if (writes && promoted.length > 0) {
    const remedy = 'The file was changed meanwhile: run trueup promote again.';
    await writeFiles(target.folder, [{ path: target.file, content: after, replaces: to.text }], { remedy });
  }
  return { promoted, after };
}

async function rootOf(place: Settled): Promise<Root> {
  const { file } = place;
  // Nothing gets to the platform from here, also where git does not track the file yet.
  const found = await (await openFolder({ ...place, isPinned: false })).read(file, yamlLimit);
  if ('problem' in found) throw stop('manifest', 'file-unreadable', found.problem, {});
  const body = withoutMark(found.text);
  const diagnostics: Diagnostic[] = [];
  const tree = readTree(file, body, diagnostics);
  if (diagnostics.length > 0) throw new Stop('manifest', withQuotes(diagnostics, new Map([[file, body]]), place.kinds));
  if (tree?.is === 'map' && tree.entries.has('trueup')) return { text: found.text, body, ...takeValues(tree) };
  const remedy = 'Name a file with trueup: 1 at its top. An included file has no values, and no state.';
  throw usage(`${file} is no root file`, remedy);
}

/** The variables to promote, in the order of their declarations. @throws {Stop} `usage` */
function chooseVariables(
  variables: ReadonlyMap<string, Variable>,
  names: readonly string[],
  file: string,
): readonly string[] {
  const all = [...variables].flatMap(([name, { isPromoted }]) => (isPromoted ? [name] : []));
  const other = names.find((name) => !all.includes(name));
  if (other !== undefined) {
    const isDeclared = variables.has(other);
    const message = isDeclared ? `${other} is declared without promote: true` : `${file} has no variable ${other}`;
    const otherwise = isDeclared ? 'Add promote: true to its declaration.' : 'Name a variable that is declared.';
    throw usage(message, didYouMean(other, all, otherwise));
  }
  if (all.length === 0)
    throw usage(`${file} has no variable with promote: true`, 'Write variables: { tag: { promote: true } }.');
  return names.length === 0 ? all : all.filter((name) => names.includes(name));
}

/** @throws {Stop} `refused`, for a value that is missing, covered by another one, or written with an expression */
function checkValue(
  name: string,
  node: Node | undefined,
  { source, inFile }: { readonly source: Settled; readonly inFile: ValueFile | undefined },
): asserts node is Node {
  const refuse = (why: string, remedy: string, at?: Node) =>
    stop('refused', 'not-editable', `cannot promote ${name}: ${why}; nothing was written`, {
      remedy,
      position: at && position(at.at),
    });
  const covering = readingOf(source).given(name)?.by ?? (inFile && `--var-file ${inFile.written}`);
  if (covering !== undefined) {
    const remedy = covering.startsWith('--') ? `Run trueup promote without ${covering}.` : `Unset ${covering}.`;
    throw refuse(`${covering} covers the value of ${source.file}`, remedy, node);
  }
  if (node === undefined)
    throw refuse(
      `${source.file} gives it no value`,
      `Write variables: { ${name}: … } there, or name the other variables.`,
    );
  if (textsOf(node).some((text) => /(?<!\$)\$\{[\w-]+:/.test(text)))
    throw refuse('its value has an expression, which means something else there', 'Write the value itself.', node);
}

/** The values as a file of values: a plan reads them as those of the root file. */
function valuesOf(promoted: readonly Promoted[], after: string, { file }: Settled): ValueFile {
  const body = withoutMark(after);
  const tree = readTree(file, body, []);
  const values = tree?.is === 'map' ? takeValues(tree).values : new Map<string, never>();
  const text = promoted.reduce((whole, { name }) => {
    const node = values.get(name)?.node;
    return node === undefined ? whole : copyValue(file, whole, [name], { node, text: body });
  }, '');
  return { file, text };
}

function summary(
  promoted: readonly Promoted[],
  { from, to, writes }: { from: string; to: string; writes: boolean },
): string {
  if (promoted.length === 0) return `${printable(to)} has the values of ${printable(from)} already.\n`;
  const what = `${counted(promoted.length, 'value')} from ${printable(from)} to ${printable(to)}`;
  const head = writes ? `Promoted ${what}:` : `Would promote ${what}; nothing was written:`;
  const lines = promoted.map(({ name, node, before }) => {
    const old = before === undefined ? '(none)' : shown(name, before);
    return `  ${printable(name)}: ${old} -> ${shown(name, node)}`;
  });
  return `${[head, ...lines].join('\n')}\n`;
}

/** A value without what may be secret. */
function shown(name: string, node: Node): string {
  const texts = textsOf(node).map((text) => String(maskValue(name, text)));
  return printable(node.is === 'list' ? `[${texts.join(', ')}]` : texts.join());
}

/** The text of a scalar, or of each item of a list. */
function textsOf(node: Node): readonly string[] {
  if (node.is === 'list') return node.items.flatMap(textsOf);
  return node.is === 'scalar' ? [typeof node.value === 'string' ? node.value : node.source] : [];
}
