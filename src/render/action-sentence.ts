import { someOf } from '../diagnostics/some-of.ts';
import { flags } from '../diagnostics/safeguards.ts';
import { type GroupedAction, type PlannedAction, isMovedInState } from './groups.ts';
import { counted } from './fold-lines.ts';
import { printable } from './printable.ts';

/** What there is to say of an action: its name, the id of its object where a reader needs it, and what stands behind them. */
export interface Sentence {
  readonly name: string;
  readonly id?: string | undefined;
  /** Begins with the sign or the blank that joins it to the name; empty: the name says everything. */
  readonly detail: string;
}

/** The sentence about an action, for every view; names from outside are printable. */
export function sentenceOf(one: GroupedAction): Sentence {
  const { action } = one;
  const { action: name, id, requests, createsBeforeDestroy, goesWithParent } = action;
  const parent = printable(action.parent ?? 'its parent');
  const asked = action.asked === true ? ', because --replace asks for it' : '';
  switch (name) {
    case 'create':
      return { name, detail: '' };
    case 'update':
      return { name, detail: requests === 0 ? ': in the state only, nothing is sent' : '' };
    case 'move':
      return isMovedInState(action)
        ? { name: movedWords(one), detail: '; nothing changes on the platform' }
        : { name, detail: ` below ${printable(action.parent ?? 'the project')}` };
    case 'replace':
      if (createsBeforeDestroy === true)
        return { name, detail: `: create the new object, then delete the old one when nothing here uses it${asked}` };
      return {
        name,
        id,
        detail: `: delete and create again${goesWithParent === true ? ', with its parent' : ''}${asked}`,
      };
    case 'adopt':
      if (action.comesWithParent === true) return { name, detail: `: comes with ${parent}` };
      return { name, id, detail: `: exists on the platform${requests === 0 ? ', unchanged' : ''}` };
    case 'delete': {
      const { along, because } = deletionReason(action);
      const why = because === undefined ? '' : `: ${because}`;
      return { name, id, detail: along === undefined ? why : `, with ${along}` };
    }
    case 'forget': {
      const left = goesWithParent === true ? `deleted with ${parent}` : 'stays on the platform, no longer managed';
      return { name: 'remove from state', id, detail: `: ${id === undefined ? whereabouts(action) : left}` };
    }
    case 'deploy':
      return {
        name: deploymentWords(one),
        detail: aroundDeployment(action),
      };
    case 'run':
      return { name: 'run once, when the rest is done', detail: '' };
    case 'no-op':
      return { name: standstill(action), detail: '' };
    default:
      return name satisfies never;
  }
}

/** What comes before a deployment, and after it. */
function aroundDeployment({ deploysAfter = [], asks = [] }: PlannedAction): string {
  const before = deploysAfter.length === 0 ? '' : `; deploys after ${someOf(deploysAfter.map(printable))}`;
  return asks.length === 0 ? before : `${before}; asks ${someOf(asks.map(printable))} afterwards`;
}

/** The words about a move in the state, with what moves along. */
export function movedWords({ followers }: GroupedAction): string {
  return `moved in the state${followers === 0 ? '' : `, with ${counted(followers, 'object')} below it`}`;
}

/** Why an object is deleted: along with another, or for a reason of its own, which `destroy` has for all. */
export function deletionReason(
  { why, elsewhere = '', goesWith, goesWithParent }: PlannedAction,
  nameOf = printable,
): { readonly along?: string; readonly because?: string } {
  if (goesWithParent === true) return { along: 'its parent' };
  if (goesWith !== undefined) return { along: nameOf(goesWith) };
  if (why === 'block removed') return { because: 'its block was removed' };
  if (why === 'block elsewhere') return { because: `its block was removed, and ${nameOf(elsewhere)} is new` };
  return why === 'replaced' ? { because: 'the new object replaces it' } : {};
}

/** What permits a risk for data. */
export function permission({ protect }: Pick<PlannedAction, 'protect'>, nameOf = (words: string) => words): string {
  return protect === false ? `allowed by ${nameOf('protect: false')}` : `apply needs ${nameOf(flags.dataLoss)}`;
}

/** The number of changes that the reason of a deployment names. */
const maxReasons = 6;

/** The reason for a deployment. A reviewer must see that the service restarts. */
function deploymentWords({ action: { because, underWay }, isOfReplacement }: GroupedAction): string {
  if (underWay === true) return 'started by an earlier run; started again if that deployment fails';
  if (because === undefined) return isOfReplacement ? 'deployment of the new object' : 'first deployment';
  if (because.length === 0) return 'restarts with undeployed changes';
  const shown = because.slice(0, maxReasons).map(printable);
  const rest = because.length - shown.length;
  return `restarts with ${[...shown, ...(rest === 0 ? [] : [`${rest} more`])].join(', ')}`;
}

/** Why an object stays as it is. A note says why, and may say that the object differs. */
function standstill({ notes }: PlannedAction): string {
  if (notes.some(({ severity }) => severity === 'error')) return 'cannot be applied';
  return notes.length === 0 ? 'unchanged' : 'nothing is written';
}

/** Where an object without an id is that a plan removes from the state. */
function whereabouts({ notes }: PlannedAction): string {
  const has = (code: string) => notes.some((note) => note.code === code);
  if (has('stays-there')) return 'stays on the platform, no longer managed';
  return has('unverified') ? 'whether it is on the platform is not known' : 'no longer on the platform';
}
