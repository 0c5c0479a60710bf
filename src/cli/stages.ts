import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { keptIn } from '../api/once.ts';
import { type Stop, unlessStopped } from '../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { resolveAddress } from '../kind/aliases.ts';
import { matching } from '../plan/narrow.ts';
import { declaredResources } from '../project/load.ts';
import { requireFolder } from '../project/no-root-file.ts';
import { refuseTwins, rootFiles, stageOf } from '../project/root-files.ts';
import { sharedPlatforms } from '../project/shared-platforms.ts';
import { stageEnvironment } from '../project/stage-environment.ts';
import { findState, findUrl } from '../project/target.ts';
import { isErrorCode } from '../render/exit-codes.ts';
import { type StageEnd, exitCodeOf, stagesFormats } from '../render/stages.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { makeFolders } from '../state/disk.ts';
import type { Command, Given } from './command.ts';
import { readState } from './connect.ts';
import { type GlobalOptions, type Settled, settleOptions, usage } from './settle-options.ts';
import { checkPlanPath } from './plan-file-on-disk.ts';
import type { Process } from './process.ts';
import { executeIn, reportFailure } from './run-command.ts';
import { noteSignals } from './signals.ts';
import { type StageOutput, stageOutputs } from './stage-output.ts';
import type { Terminal } from './terminal.ts';

/** A command line for several root files. */
interface Asked {
  readonly command: Command;
  readonly given: Given;
  readonly options: GlobalOptions;
  /** The name of the command. */
  readonly name: string;
  readonly terminal: Terminal;
  readonly redactor: Redactor;
}

/** A stage of the run, and the words of the command line that are for it. */
interface Stage extends Pick<StageEnd, 'stage' | 'file'> {
  readonly options: Settled;
  /** undefined: what the command line names is in other stages only. */
  readonly given: Given | undefined;
}

/**
 * Executes a command for several root files, a run for each: no run knows of the others. Returns the exit code.
 *
 * @throws {Stop} `usage`, before the first run, when the command line does not fit several root files
 */
export async function executeStages(process: Process, asked: Asked): Promise<number> {
  const { command, terminal, options, name } = asked;
  const { runs } = severalOf(asked);
  const stages = await stagesOf(process, asked);
  const isAtOnce = runs === 'at once';
  const { format } = options;
  const outputs = stageOutputs(terminal, stages, { isKept: formatOf(asked)?.isKept === true, isAtOnce });
  const pairs = stages.map((stage, at) => [stage, outputs[at]] as const);
  const execute = async ([stage, output]: (typeof pairs)[number]): Promise<number> =>
    output === undefined ? 0 : executeStage(process, { command, stage, output, format });
  const noted = isAtOnce ? undefined : noteSignals(process);
  if (noted === undefined) await Promise.all(pairs.map(execute));
  else
    for (const pair of pairs) {
      const isFailed = isErrorCode(await execute(pair)) && runs === 'until one fails';
      // A stage that was about to end may end well after a signal.
      if (isFailed || noted.wasSent()) break;
    }
  noted?.end();
  const ends = outputs.map(({ result }) => result());
  formatOf(asked)?.end(terminal, ends, name);
  const [{ options: first } = {}] = stages;
  if (first !== undefined && 'all' in asked.given.flags)
    terminal.err(command.several?.besides?.(first.folder).join('') ?? '');
  return exitCodeOf(ends);
}

/** Runs the command for one stage; every failure becomes a message and an exit code, as in a run of one. */
async function executeStage(
  process: Process,
  about: { readonly command: Command; readonly stage: Stage; readonly output: StageOutput; readonly format: string },
): Promise<number> {
  const { command, stage, output, format } = about;
  const { options, given } = stage;
  const { terminal } = output;
  const view = await (command.formats[format] ?? command.formats.text)(terminal);
  const run = async (): Promise<number> => {
    if (given !== undefined) return executeIn({ command, given, process, view, options, terminal });
    terminal.conclude?.('nothing of what the command line names');
    return 0;
  };
  const { redactor } = options;
  const code = await run().catch((error: unknown) =>
    reportFailure(error, { env: process.env, terminal, redactor, view }),
  );
  output.end(code, options.env);
  return code;
}

/** How a command runs for several root files. @throws {Stop} `usage`, when it takes one, or the rest of the command line needs one */
function severalOf({ command, name, given, options }: Asked): NonNullable<Command['several']> {
  const { several } = command;
  const once = 'Run it once for each file.';
  if (several === undefined) throw usage(`${name} takes one root file, and several are named with -f`, once);
  if (formatOf({ options }) === undefined) {
    const others = Object.keys(stagesFormats).join(', ');
    throw usage(`--format ${options.format} is for one root file`, `${once} Several have these: ${others}.`);
  }
  const [argument] = given.args;
  if (argument !== undefined) throw usage(`${name} takes no ${argument} for several root files`, once);
  const refused = several.refuses?.find((flag) => flag in given.flags);
  if (refused !== undefined) throw usage(`--${refused} is for one root file`, once);
  return several;
}

function formatOf({ options: { format } }: Pick<Asked, 'options'>) {
  return Object.hasOwn(stagesFormats, format) ? stagesFormats[format] : undefined;
}

/** The stages that a command line names, in its order. @throws {Stop} `usage` */
async function stagesOf(process: Process, asked: Asked): Promise<readonly Stage[]> {
  const { options, redactor, given } = asked;
  const files = filesOf(process, asked);
  const platforms = sharedPlatforms();
  const bytes = new Map<string, Buffer>();
  const read = (path: string) => keptIn(bytes, path, () => readFileSync(path));
  const apart = { hasOnePlatform: false, platforms, read };
  const separate = files.map((file) => settleOptions({ ...options, file }, process, redactor, apart));
  const urls = new Set(await Promise.all(separate.map(findUrl)));
  urls.delete(undefined);
  const hasOnePlatform = urls.size === 1;
  const settled = hasOnePlatform
    ? separate.map((one) => ({ ...one, env: stageEnvironment(process.env, one, { hasOnePlatform }) }))
    : separate;
  const stages = settled.map((one) => ({ options: one, file: one.file, stage: stageOf(one.file) }));
  for (const { stage, file } of stages) if (stage === undefined) throw unnamed(file);
  const paths = settled.map(({ folder, file }) => join(folder, file));
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  if (twice !== undefined) throw usage(`-f names ${basename(twice)} twice`, 'Name it once.');
  refuseTwins(settled.map(({ file }) => file));
  const words = await wordsOf(settled, given);
  return Promise.all(
    stages.map(async ({ stage = '', ...rest }, at) => {
      const own = words[at];
      const named = own && (await planFileIn(own, stage, rest.options, process));
      return { ...rest, stage, given: own && { ...own, flags: { ...own.flags, ...named } } };
    }),
  );
}

function unnamed(file: string): Stop {
  const remedy = 'Rename it: the name of a stage has letters, digits, - and _, and no two of these side by side.';
  return usage(`${file} has no name that a stage can have`, remedy);
}

/** The root files that a command line names. @throws {Stop} `usage` */
function filesOf(process: Process, { options, given, command }: Asked): readonly string[] {
  const named = options.file ?? [];
  if (!('all' in given.flags)) return named;
  if (named.length > 0) throw usage('--all and -f exclude each other', 'Leave one of them out.');
  const folder = resolve(process.cwd(), options.directory ?? '.');
  requireFolder({ folder });
  const found = rootFiles(folder).filter((one) => !one.isPreview || command.several?.takesPreviews === true);
  if (found.length > 0) return found.map(({ file }) => file);
  throw usage(`--all: there is no root file in ${folder}`, 'A root file has trueup: 1 at its top.');
}

/** The plan of each stage has a file of its own in the folder that --out names. @throws {Stop} `usage` */
async function planFileIn(
  { flags }: Given,
  stage: string,
  { folder }: Settled,
  { cwd }: Pick<Process, 'cwd'>,
): Promise<{ out?: string }> {
  const { out } = flags as { readonly out?: string };
  if (out === undefined) return {};
  const file = join(out, `${stage}.trueup`);
  checkPlanPath(folder, cwd(), file);
  try {
    await makeFolders(resolve(cwd(), out));
  } catch (error) {
    const remedy = remedyForDisk(error) ?? 'For several root files, --out names a folder.';
    throw usage(`--out ${out}: cannot make this folder (${reasonOf(error)})`, remedy);
  }
  return { out: file };
}

/** The options that name addresses. */
const narrowing = ['target', 'exclude', 'replace'] as const;
type Narrowing = { readonly [name in (typeof narrowing)[number]]?: readonly string[] };

/**
 * Gives each stage the addresses of the command line that it has. One that no stage has goes to all of them, and each says
 * so. undefined: a stage has none of the targets.
 */
async function wordsOf(stages: readonly Settled[], given: Given): Promise<readonly (Given | undefined)[]> {
  const flags = given.flags as Narrowing;
  const all = narrowing.flatMap((name) => flags[name] ?? []);
  if (all.length === 0) return stages.map(() => given);
  const has = await Promise.all(stages.map((options) => knownIn(options, all)));
  const isSomewhere = (word: string) => has.some((known) => known?.has(word) === true);
  return has.map((known) => {
    // Its own run says what is wrong with it.
    if (known === undefined) return given;
    const own = narrowing.flatMap((name) => {
      const words = flags[name];
      const kept = words?.filter((word) => known.has(word) || !isSomewhere(word));
      return kept === undefined ? [] : [[name, kept] as const];
    });
    const narrowed = Object.fromEntries(own) as Narrowing;
    if (narrowed.target?.length === 0) return undefined;
    return { ...given, flags: { ...given.flags, ...narrowed } };
  });
}

/** Those words that name something in a stage: in its manifest, else in its state; undefined: one of these cannot be read. */
async function knownIn(options: Settled, words: readonly string[]): Promise<ReadonlySet<string> | undefined> {
  const among = (addresses: readonly string[]) =>
    words.filter((word) => matching(resolveAddress(word), addresses).length > 0);
  const find = async () => {
    const declared = among((await declaredResources(options)).map(({ address }) => address));
    if (declared.length === words.length) return new Set(declared);
    const state = await readState(await findState(options), options);
    return new Set([...declared, ...among(Object.keys(state?.resources ?? {}))]);
  };
  return unlessStopped(find());
}
