import type { PlanDocument } from './document-schemas.ts';
import { counted, hanging } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** The members of a document that say where it applies, and what it was made from. */
export type Head = Pick<PlanDocument, 'platform' | 'platformVersion' | 'project' | 'state' | 'commit'>;

/** The same, where both are known. */
export interface PlanAbout extends Pick<PlanDocument, 'platform' | 'platformVersion' | 'commit'> {
  readonly project: NonNullable<PlanDocument['project']>;
  readonly state: NonNullable<PlanDocument['state']>;
}

/** The facts of a document, each with its value; none, where it does not say where it applies. */
export function factsOf({ platform, platformVersion, project, state, commit }: Head): (readonly [string, string])[] {
  if (project === undefined || state === undefined) return [];
  const version = state.serial === undefined ? 'none yet' : `version ${state.serial}`;
  return [
    ...(platform === undefined
      ? []
      : [['platform', [platformWords(platform), platformVersion ?? []].flat().join(', ')] as const]),
    ['project', projectWords(project)],
    ['state', `${state.location}, ${version}`],
    ...(commit === undefined ? [] : [['commit', commitWords(commit)] as const]),
  ];
}

/** Renders the head of a document, a line per fact; no line without facts. */
export function renderHead(head: Head, style: Style): string[] {
  return factsOf(head).flatMap(([name, value]) => {
    const [first = '', ...rest] = hanging(printable(value), nameWidth, 0, style);
    return [`${style.paint('faint', name.padEnd(nameWidth))}${first}`, ...rest];
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
