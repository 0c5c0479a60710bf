import type { Environment } from '../project/folder.ts';
import { isKeptBack, variableOf } from '../project/stage-environment.ts';
import { type StageEnd, sectionSite } from '../render/stages.ts';
import type { Terminal } from './terminal.ts';

/** The output of one stage of several. */
export interface StageOutput {
  readonly terminal: Terminal;
  /** Notes how the stage ended. From now on the next one prints. `env`: what the stage could read. */
  readonly end: (exitCode: number, env: Environment) => void;
  /** How it ended, and what it printed on stdout, where that is put together at the end. */
  readonly result: () => StageEnd & { readonly printed: string };
}

/**
 * Makes an output for each stage. What stages print side by side appears stage by stage, in their order: the first that runs
 * prints at once, and the others when it has ended. Text stands below the name of its stage; JSON and Markdown are kept.
 */
export function stageOutputs(
  terminal: Terminal,
  stages: readonly Pick<StageEnd, 'stage' | 'file'>[],
  { isKept, isAtOnce }: { readonly isKept: boolean; readonly isAtOnce: boolean },
): readonly StageOutput[] {
  const isOver = stages.map(() => false);
  const waiting: (() => void)[][] = stages.map(() => []);
  let turn = 0;
  const inTurn = (at: number, print: () => void): void => {
    if (at === turn) print();
    else if (isOver[at] !== true) waiting[at]?.push(print);
  };
  const end = (at: number): void => {
    isOver[at] = true;
    while (isOver[turn] === true) for (const print of waiting[++turn]?.splice(0) ?? []) print();
  };
  const headings = headingsOn(terminal);
  return stages.map((about, at) => {
    const { stage } = about;
    let [printed, exitCode, words]: [string, number | undefined, string | undefined] = ['', undefined, undefined];
    const mentioned = new Set<string>();
    const below = (stream: 'out' | 'err') => (text: string) => {
      for (const [name] of text.matchAll(variables)) mentioned.add(name);
      inTurn(at, () => {
        headings(stream, stage);
        terminal[stream](text);
      });
    };
    const err = below('err');
    return {
      terminal: {
        ...terminal,
        out: isKept ? (text) => void (printed += text) : below('out'),
        err,
        ...(isAtOnce ? { live: undefined, isInteractive: false } : {}),
        site: () => sectionSite(terminal.site(), about, stages.length),
        conclude: (said) => void (words = said),
      },
      end: (code, env) => {
        exitCode = code;
        const unread = [...mentioned].filter((name) => env[name] === undefined && isKeptBack(env, name));
        if (unread.length > 0) err(unread.map((name) => namesItself(stage, name)).join(''));
        end(at);
      },
      result: () => ({ ...about, exitCode, words, printed }),
    };
  });
}

/** Variables that each stage of a run of several may read under a name of its own only. */
const variables = /\bTRUEUP_(?:API_KEY|SECRET_\w+)/g;

function namesItself(stage: string, name: string): string {
  return `note: of several root files, ${stage} reads ${variableOf(stage, name)}, not ${name}\n`;
}

/** Prints the name of a stage above its first text; on a terminal that shows both streams, once. */
function headingsOn({ out, err, outStyle, errStyle }: Terminal): (stream: 'out' | 'err', stage: string) => void {
  const isOneScreen = outStyle.width !== undefined && errStyle.width !== undefined;
  const last: { out?: string; err?: string } = {};
  return (stream, stage) => {
    if (last[stream] === stage) return;
    const isFirst = last[stream] === undefined;
    last[stream] = stage;
    if (isOneScreen) last.out = last.err = stage;
    const { paint } = stream === 'out' ? outStyle : errStyle;
    (stream === 'out' ? out : err)(`${isFirst ? '' : '\n'}${paint('strong', `=== ${stage} ===`)}\n`);
  };
}
