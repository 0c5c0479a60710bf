import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOfKey, PlatformError } from '../../api/platform-error.ts';
import type { NamedPlatform } from '../../api/profile.ts';
import { Stop } from '../../diagnostics/diagnostic.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import { shellWord } from '../../diagnostics/shell-word.ts';
import { writeEditorFiles, writeEmptyManifest } from '../../export/new-manifest.ts';
import { type Survey, countKinds, lookAround, survey } from '../../export/survey.ts';
import { readableName } from '../../kind/value-forms.ts';
import type { NamedProject } from '../../observe/reader.ts';
import { renderDiagnostics } from '../../render/diagnostics-text.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { type ExportReport, exportJson } from '../../render/export-report.ts';
import { type Formats, type ReportView, printJson } from '../../render/output-format.ts';
import { counted } from '../../render/fold-lines.ts';
import { printable } from '../../render/printable.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { type Run, defineCommand } from '../command.ts';
import { openPlatform } from '../connect.ts';
import { usage } from '../settle-options.ts';
import { type Prompt, openPrompt } from '../prompt.ts';
import { explain } from '../run-command.ts';
import { secretValues } from '../option-sets.ts';
import { exportFormats, readPlatform, runExport } from './export.ts';

/** Prints what `init` reports: what there is, the export, and what to do next. */
interface InitView extends ReportView<ExportReport> {
  /** The projects that there are, before the question for one; `more`: others that are not shown. */
  readonly projects: (shown: readonly NamedProject[], more: number) => void;
  /** The project that a number of the list means; `called`: the ids of others that have this number as their name. */
  readonly chosen: (what: {
    readonly number: string;
    readonly name: string;
    readonly called: readonly string[];
  }) => void;
  readonly found: (what: { readonly project: string; readonly kinds: ReadonlyMap<string, number> }) => void;
  /** A manifest without resources; `file`: its name, which `files` has among others. */
  readonly empty: (
    written: Pick<ExportReport, 'project' | 'folder' | 'files' | 'warnings' | 'counts'> & { readonly file: string },
  ) => void;
  readonly ready: (about: {
    readonly isExported: boolean;
    /** The key was typed: later runs need it from the environment. */
    readonly needsKey: boolean;
  }) => void;
}

const formats: Formats<InitView> = {
  text: (screen) => ({
    ...exportFormats.text(screen),
    projects: (shown, more) => {
      const names = shown.map(({ name }) => printable(name));
      const width = Math.max(...names.map((name) => name.length));
      const lines = shown.map(({ services }, at) => {
        const [number, name = ''] = [String(at + 1).padStart(String(shown.length).length), names[at]];
        return `  ${number}  ${name.padEnd(width)}  ${counted(services, 'service')}`;
      });
      screen.out(`${['Projects:', ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n')}\n`);
    },
    chosen: ({ number, name, called }) => {
      const line = `Number ${number} is ${printable(name)}.`;
      const others = called.map((id) => ` The project with the name ${number}: trueup init --project ${shellWord(id)}`);
      screen.out(`${[line, ...others].join('')}\n`);
    },
    found: ({ project, kinds }) => {
      const counts = [...kinds].map(([section, count]) => `${section} ${count}`).join(', ');
      screen.out(`Project ${printable(project)}, by section: ${counts}.\n`);
    },
    empty: ({ folder, file }) => screen.out(`Wrote ${printable(file)} in ${printable(folder)}, without resources.\n`),
    ready: ({ isExported, needsKey }) => {
      const lines = [
        ...(needsKey ? ['Set TRUEUP_API_KEY to the key: it was not saved.'] : []),
        `Next: trueup ${isExported ? 'plan' : 'export'}`,
      ];
      screen.out(`${lines.join('\n')}\n`);
    },
  }),
  json: (screen) => ({
    ...exportFormats.json(screen),
    projects: () => {},
    chosen: () => {},
    found: () => {},
    empty: (written) => printJson(screen, exportJson({ ...written, blocks: new Map(), secrets: [], notes: [] })),
    ready: () => {},
  }),
};

const options = {
  '--url <url>': 'address of the platform',
  '--project <id>': 'id or name of the project',
  '--no-export': 'write a manifest without resources',
  ...secretValues,
  '--yes': 'ask nothing',
} as const satisfies Options;

type InitFlags = FlagsOf<typeof options>;

/** Sets up a folder for a project: asks for what no option says, writes the manifest, and exports what is there. */
export const command = defineCommand({
  options,
  examples: ['trueup init', 'trueup init --url https://deploy.example.com --project prj_1 --yes'],
  formats,
  execute: async (run, view, { flags }) => {
    const { folder, file } = run.options;
    if (existsSync(join(folder, file))) {
      throw usage(`there is a manifest in ${folder}`, 'trueup export --unmanaged adds what it does not manage.');
    }
    const prompt = run.cannotAsk === undefined && flags.yes !== true ? openPrompt(run.process) : undefined;
    try {
      return await init(run, view, { flags, prompt });
    } finally {
      prompt?.close();
    }
  },
});

interface Asking {
  readonly flags: InitFlags;
  /** undefined: there is no terminal, or no question is wanted. */
  readonly prompt: Prompt | undefined;
}

async function init(given: Run, view: InitView, { flags, prompt }: Asking): Promise<Exit> {
  const asking: Asked = { prompt, why: given.cannotAsk ?? '--yes was given' };
  const { env } = given.options;
  const known = flags.url ?? env['TRUEUP_URL'];
  const asksAddress = known === undefined ? prompt : undefined;
  const answered = () =>
    until(given, asksAddress, async () => {
      const url = known ?? (await answerTo('Address of the platform', 'url', asking));
      return { url, platform: readPlatform(url) };
    });
  let address: Awaited<ReturnType<typeof answered>> | undefined = await answered();
  const key = env['TRUEUP_API_KEY'] ?? '';
  const keyName = key === '' && prompt !== undefined ? 'the API key that was typed' : undefined;
  const asks = asksAddress ?? (key === '' && !address.platform.emulator ? prompt : undefined);
  const { url, platform, typed, run, opened } = await until({ ...given, keyName }, asks, async () => {
    address ??= await answered();
    const { url, platform } = address;
    const asksKey = !platform.emulator && key === '';
    const typed = asksKey
      ? await prompt?.ask('API key (does not show, and is not saved): ', { isHidden: true })
      : undefined;
    if (typed !== undefined) given.options.redactor.add(typed);
    const { options } = given;
    const known = typed === undefined ? options : { ...options, env: { ...env, TRUEUP_API_KEY: typed } };
    const run: Run = { ...given, options: known };
    try {
      const opened = await openWith(run, { platform, lists: flags.project === undefined });
      return { url, platform, typed, run, opened };
    } catch (error) {
      // Of an answer that is none of a platform, the address is asked again, and not the key alone.
      if (error instanceof PlatformError && !isOfKey(error) && asksAddress !== undefined) address = undefined;
      throw error;
    }
  });
  const { project, found } = await lookAt(given, view, { flags, asking, opened });
  view.found({ project, kinds: countKinds(found) });
  const isMeant =
    flags.export !== false &&
    (prompt === undefined || (await isYes('Write all of it as a manifest now? (yes/no) ', prompt)));
  const { folder, file } = run.options;
  if (isMeant) {
    await runExport(run, view, { ...flags, url, project });
    await writeEditorFiles(run.options);
  } else {
    const files = await writeEmptyManifest(run.options, { platform, project });
    const { warnings, counts } = opened;
    run.warn(warnings);
    view.empty({ project, folder, file, files, warnings, counts });
  }
  view.ready({ isExported: isMeant, needsKey: typed !== undefined });
  return 'done';
}

/** Most times that a question is asked. */
const maxTries = 3;

/** Asks again after an answer that cannot be right, with the reason; the last reason, or one without a prompt, ends the run. */
async function until<T>(
  { terminal, options: { redactor, env }, keyName }: Run & { readonly keyName?: string | undefined },
  prompt: Prompt | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const isAnswer = error instanceof Stop || error instanceof PlatformError;
      const isLast = prompt === undefined || prompt.isOver() || tries === maxTries || !isAnswer;
      const isTyped = keyName !== undefined && error instanceof PlatformError && error.isKeyRefused;
      if (isLast && isTyped)
        throw new Stop('authentication', explain(error, redactor.redact, { env, keyName }).diagnostics);
      if (isLast) throw error;
      const reasons = explain(error, redactor.redact, { env, keyName }).diagnostics;
      terminal.err(`${renderDiagnostics(reasons, terminal.errStyle)}\n`);
    }
  }
}

/** Asks until the answer is yes or no; the end of the input means no. */
async function isYes(question: string, prompt: Prompt): Promise<boolean> {
  for (;;) {
    const answer = await prompt.ask(question);
    if (answer === undefined || /^no?$/i.test(answer)) return false;
    if (/^y(es)?$/i.test(answer)) return true;
  }
}

interface Asked {
  readonly prompt: Prompt | undefined;
  readonly why: string;
}

async function answerTo(question: string, option: string, { prompt, why }: Asked): Promise<string> {
  const answer = await prompt?.ask(`${question}: `);
  if (answer !== undefined && answer !== '') return answer;
  if (prompt !== undefined) throw usage(`${question}: no answer`, `Run it again, or give --${option}.`);
  throw usage(
    `cannot ask for --${option}: ${why}`,
    'Give --url and --project, such as --url https://deploy.example.com --project prj_1.',
  );
}

/** What the project has that the options name, or the answers. */
async function lookAt(
  run: Run,
  view: InitView,
  { flags, asking, opened }: { readonly flags: InitFlags; readonly asking: Asked; readonly opened: Opened },
): Promise<{ readonly project: string; readonly found: Survey }> {
  const { reader, kinds, projects, close } = opened;
  try {
    return await until(run, flags.project === undefined ? asking.prompt : undefined, async () => {
      const project = flags.project ?? (await projectOf(projects, view, asking));
      return { project, found: await survey(reader, kinds, project) };
    });
  } finally {
    await close();
  }
}

/** Most projects that the question for one shows. */
const maxShown = 20;

/** The project that an answer means: its number in the list, its name or its id. A number of the list is never a name. */
async function projectOf(
  projects: readonly NamedProject[] | undefined,
  view: InitView,
  asking: Asked,
): Promise<string> {
  if (projects === undefined || projects.length === 0) {
    return answerTo('Id of the project (in the address of its page)', 'project', asking);
  }
  if (asking.prompt === undefined) {
    const named = projects.map(({ name, services }) => `${name} (${counted(services, 'service')})`);
    const remedy = `Give --project with one of: ${someOf(named)}.`;
    throw usage(`cannot ask for --project: ${asking.why}`, remedy);
  }
  const shown = projects.slice(0, maxShown);
  view.projects(shown, projects.length - shown.length);
  const answer = await answerTo('Project (number, name or id)', 'project', asking);
  const meant = /^[1-9]\d?$/.test(answer) ? shown[Number(answer) - 1] : undefined;
  if (meant === undefined) return answer;
  const called = projects.filter((one) => one !== meant && (one.id === answer || one.name === answer));
  view.chosen({ number: answer, name: meant.name, called: called.map(({ id }) => id) });
  const isAlone = projects.filter(({ id, name }) => name === meant.name || id === meant.name).length === 1;
  return isAlone && readableName.safeParse(meant.name).success ? meant.name : meant.id;
}

/** A platform that answers to the API key, and what there is to export. */
interface Opened extends Awaited<ReturnType<typeof lookAround>> {
  /** Counts the requests, also those that follow. */
  readonly counts: ExportReport['counts'];
  readonly close: () => Promise<void>;
}

async function openWith(
  run: Run,
  { platform, lists }: { readonly platform: NamedPlatform; readonly lists: boolean },
): Promise<Opened> {
  const { client, close } = await openPlatform(run, platform, { purpose: 'init' });
  try {
    const { kinds } = run.options;
    const there = await lookAround(client, { kinds, discovers: !platform.emulator, lists });
    return { ...there, counts: client.counts, close };
  } catch (error) {
    await close();
    throw error;
  }
}
