import { counted, fold, indented } from './lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** Where a plan applies, and what it was made from. */
export interface PlanAbout {
  /** `emulator`, or the address; undefined: the caller of the library opened it. */
  readonly platform: string | undefined;
  /** undefined: the platform does not tell it. */
  readonly platformVersion?: string | undefined;
  /** The name as the platform has it, where a read shows it. */
  readonly project: { readonly id: string; readonly name?: string | undefined };
  /** `serial`: the version of the state; undefined while there is none. */
  readonly state: { readonly location: string; readonly serial?: number | undefined };
  /** The commit that is checked out; undefined where there is none. */
  readonly commit?:
    | {
        readonly id: string;
        /** Number of files of the manifest that the index of git does not have with the same content. */
        readonly differing?: number | undefined;
        /** The files of the manifest are proved to be as the commit has them. */
        readonly isClean?: true | undefined;
      }
    | undefined;
}

/** Names the facts of a head, each with its value. */
export function headFacts({
  platform,
  platformVersion,
  project,
  state,
  commit,
}: PlanAbout): (readonly [name: string, value: string])[] {
  const version = state.serial === undefined ? 'none yet' : `version ${state.serial}`;
  return [
    ...(platform === undefined
      ? []
      : [
          [
            'platform',
            `${platformWords(platform)}${platformVersion === undefined ? '' : `, ${platformVersion}`}`,
          ] as const,
        ]),
    ['project', projectWords(project)],
    ['state', `${state.location}, ${version}`],
    ...(commit === undefined ? [] : [['commit', commitWords(commit)] as const]),
  ];
}

/** Renders the head of a plan, a line per fact. */
export function renderHead(about: PlanAbout, style: Style): string[] {
  return headFacts(about).flatMap(([name, value]) => {
    const [first = '', ...rest] = fold(printable(value), nameWidth, style);
    return [`${style.paint('faint', name.padEnd(nameWidth))}${first}`, ...indented(rest, nameWidth)];
  });
}

/** Names the project, and its platform where that is known: `project shop (prj_1) on https://…`. */
export function placeWords({ platform, project }: PlanAbout): string {
  return `project ${projectWords(project)}${platform === undefined ? '' : ` on ${platformWords(platform)}`}`;
}

/** The columns of the names of facts. */
const nameWidth = 10;

function platformWords(platform: string): string {
  return platform === 'emulator' ? 'the embedded emulator' : platform;
}

function projectWords({ id, name }: PlanAbout['project']): string {
  if (name === undefined) return id;
  return id === '' ? `${name}, not there yet` : `${name} (${id})`;
}

/** Without a difference and without a proof it claims nothing: the index may hold what was never committed. */
function commitWords({ id, differing = 0, isClean }: NonNullable<PlanAbout['commit']>): string {
  if (isClean === true) return `${id.slice(0, 12)}, with the files of the manifest as it has them`;
  const words = `${counted(differing, 'file')} of the manifest differ${differing === 1 ? 's' : ''} from the index of git`;
  return `${id.slice(0, 12)}${differing === 0 ? '' : `; ${words}`}`;
}
