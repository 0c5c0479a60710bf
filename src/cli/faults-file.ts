import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type * as z from 'zod';
import type { Names } from '../api/translate.ts';
import { didYouMean } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { planInOwnWords } from '../emulator/faults/in-own-words.ts';
import { patterns } from '../emulator/faults/matching.ts';
import { type FaultPlan, faultPlan, keysIn } from '../emulator/faults/fault-plan.ts';
import { servedOperations } from '../emulator/served.ts';
import { missingBlank, shownKey } from '../manifest/problem.ts';
import { toJson } from '../formats/yaml-node.ts';
import { readTree } from '../manifest/read-tree.ts';
import { type Node, keyPlaceAt, placeAt, position } from '../manifest/tree.ts';
import { type FileText, openWorkspace } from '../manifest/workspace.ts';
import { withoutMark } from '../formats/utf8.ts';

/** Size limit of a faults file, in bytes. */
const limit = 1_000_000;

/** The remedy that names the page about faults files. */
const seeDocs = 'docs/faults.md shows what can stand here.';

/**
 * Reads a faults file; `path` starts in `folder`. `names` has the words that the file may use instead of those of the API document.
 *
 * @throws {Stop} `usage`
 */
export async function readFaultsFile(folder: string, path: string, names?: Names): Promise<FaultPlan> {
  const found: Diagnostic[] = [];
  const tree = readTree(path, withoutMark(await readText(folder, path)), found);
  const start = { file: path, line: 1, column: 1 };
  if (tree === undefined && found.length === 0) {
    const remedy = 'It begins with faults: and a list, as docs/faults.md shows.';
    found.push(diagnostic('wrong-type', `${path} is empty`, { remedy, position: start }));
  }
  if (tree === undefined) throw new Stop('usage', found);
  const parsed = faultPlan.safeParse(toJson(tree));
  const plan = parsed.success && names !== undefined ? planInOwnWords(parsed.data, names) : parsed.data;
  const wrong = parsed.success
    ? unknownOperations(plan ?? parsed.data, tree, names?.operation)
    : parsed.error.issues.flatMap((issue) => describe(innermost(issue), tree));
  if (plan === undefined || wrong.length > 0) throw new Stop('usage', wrong);
  return plan;
}

async function readText(folder: string, path: string): Promise<string> {
  const file = await readFile(folder, path);
  if ('text' in file) return file.text;
  const { remedy = 'Name a YAML file of faults, as docs/faults.md shows.' } = file;
  throw stop('usage', 'file-unreadable', `--faults: ${file.problem}`, { remedy });
}

async function readFile(folder: string, path: string): Promise<FileText> {
  let real: string;
  try {
    real = await realpath(resolve(folder, path));
  } catch (error) {
    const remedy = remedyForDisk(error);
    return {
      problem: remedy === undefined ? `there is no file ${path}` : `${path} cannot be read (${reasonOf(error)})`,
      remedy,
    };
  }
  return (await openWorkspace(dirname(real))).read(basename(real), limit);
}

type Path = readonly PropertyKey[];

/** The innermost issues: they say more than that a value has none of its forms. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  const inner = issue.code === 'invalid_union' ? issue.errors.flat().find(({ path }) => path.length > 0) : undefined;
  return inner === undefined ? issue : innermost({ ...inner, path: [...issue.path, ...inner.path] });
}

function describe(issue: z.core.$ZodIssue, tree: Node): Diagnostic[] {
  if (issue.code !== 'unrecognized_keys') {
    const at = { remedy: seeDocs, position: position(placeAt(tree, issue.path)) };
    return [diagnostic('wrong-type', `${nameOf(issue.path)}${issue.message}`, at)];
  }
  const known = keysAt(issue.path);
  return issue.keys.map((key) => {
    const remedy = didYouMean(key, known, missingBlank(key) ?? `It takes ${known.join(', ')}.`);
    const place = keyPlaceAt(tree, [...issue.path, key]);
    return diagnostic('unknown-key', `${nameOf(issue.path)}has no ${shownKey(key)}`, {
      remedy,
      position: position(place),
    });
  });
}

/** A place in words, without the number of the fault: its line identifies it. */
function nameOf(path: Path): string {
  if (path.length === 0) return 'the file: ';
  if (path.length === 2) return 'a fault: ';
  const inside = path.length === 1 ? path : path.slice(2);
  return `${inside.filter((step) => typeof step === 'string').join('.')}: `;
}

function keysAt(path: Path): readonly string[] {
  const last = path.at(-1);
  if (last === 'before' || last === 'after') return keysIn[last];
  if (path.length === 0) return keysIn.file;
  return path.includes('oneOf') ? keysIn.alternative : keysIn.rule;
}

/** Reports operations that the platform does not have. */
function unknownOperations(
  { faults }: FaultPlan,
  tree: Node,
  word: (operation: string) => string = (operation) => operation,
): Diagnostic[] {
  const check = (name: string | undefined, known: readonly string[], path: Path): Diagnostic[] =>
    name === undefined || known.includes(name) ? [] : [unknown(name, known.map(word), { path, tree })];
  return faults.flatMap((rule, index) => {
    const at = ['faults', index];
    const effects = [
      { effect: rule, at },
      ...(rule.oneOf ?? []).map((effect, n) => ({ effect, at: [...at, 'oneOf', n] })),
    ];
    const edits = effects.flatMap(({ effect, at: path }) => [
      ...check(effect.before?.do, servedOperations, [...path, 'before', 'do']),
      ...check(effect.after?.do, servedOperations, [...path, 'after', 'do']),
    ]);
    return [...rule.on.flatMap((on, n) => check(on, patterns, [...at, 'on', n])), ...edits];
  });
}

function unknown(
  name: string,
  known: readonly string[],
  { path, tree }: { readonly path: Path; readonly tree: Node },
): Diagnostic {
  const forms =
    'It takes an operation such as postgres.create, and under on also postgres.*, "*.create", GET, POST and "*".';
  const remedy = didYouMean(name, known, `${forms} trueup call --list shows the operations.`);
  const message = `${nameOf(path)}the platform has no ${name}`;
  return diagnostic('wrong-type', message, { remedy, position: position(placeAt(tree, path)) });
}
