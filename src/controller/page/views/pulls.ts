import { counted } from '../../../render/fold-lines.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import type { PullRow } from '../../records/pulls.ts';
import { pullsAddress } from '../addresses.ts';
import type { Content } from './layout.ts';
import {
  actForm,
  cell,
  commitCode,
  emptyState,
  foldedAct,
  problemLines,
  reasonField,
  summarySigns,
  table,
} from './parts.ts';

/** The open pull requests into the branch of a source. */
export interface PullsView {
  readonly source: string;
  readonly pulls: readonly PullRow[];
  readonly csrf: string;
  /** The viewer administers all stacks of the source. */
  readonly mayAllow: boolean;
  /** The beginning of links to what a commit changes at the forge, `BASE...COMMIT` behind it; undefined: it is not known. */
  readonly compares?: string | undefined;
  /** What a form had before the session ended. */
  readonly because?: string | undefined;
}

/** What became of the last commit of each, and the way to let one of a stranger be planned. */
export function pullsPage(view: PullsView): Content {
  const { source, pulls, mayAllow } = view;
  const waiting = pulls.filter(isHeld).length;
  return {
    place: 'sources',
    subject: markup`Pull requests of <a href="/sources">${source}</a>`,
    title: 'Pull requests',
    verdict: pulls.length === 0 ? undefined : verdictOf(pulls.length, waiting),
    main:
      pulls.length === 0
        ? emptyState(
            'No open pull request',
            markup`<p>Each poll of the source looks for pull requests into its branch.</p>`,
          )
        : [
            waiting === 0 || mayAllow
              ? markup``
              : markup`<p class="hint">Who administers all stacks of this source lets a commit of a stranger be planned.</p>`,
            table({
              caption: 'Open pull requests, the last first',
              kind: 'pulls',
              heads: ['Pull request', 'Last commit', 'Opened by', 'Plan'],
              rows: pulls.map((pull) => pullRow(pull, view)),
            }),
          ],
  };
}

function verdictOf(all: number, waiting: number): string {
  const open = `${counted(all, 'pull request')} ${all === 1 ? 'is' : 'are'} open.`;
  if (waiting === 0) return open;
  return `${open} ${waiting === 1 ? '1 comes' : `${waiting} come`} from another repository, and ${waiting === 1 ? 'is' : 'are'} validated without secrets.`;
}

/** A stranger may have written its last commit, and no admin has read that yet. */
const isHeld = ({ isFork, isAllowed }: PullRow): boolean => isFork && !isAllowed;

function pullRow(pull: PullRow, view: PullsView): Markup {
  const { number, branch, base, head, author, isFork, isAllowed } = pull;
  const from = isFork ? 'from another repository' : `from ${branch}`;
  const allowed = isFork && isAllowed ? markup` <span class="badge info">allowed</span>` : '';
  return markup`<tr><th scope="row"><span class="name">${number}</span><div class="under"><span class="where">${from} into ${base}</span></div></th>
${cell('Last commit', markup`${commitCode(head)}${allowed}`)}
${cell('Opened by', author ?? markup`<span class="quiet">not known</span>`)}
${cell('Plan', markup`${planOf(pull)}${view.mayAllow && isHeld(pull) ? allowForm(pull, view) : ''}${view.mayAllow && pull.allowed !== null ? takeBackForm(pull.number, pull.allowed, view) : ''}`)}</tr>`;
}

function planOf(pull: PullRow): Markup {
  const { isPlanned, plans } = pull;
  if (isPlanned) return plans.length === 0 ? markup`<p class="quiet">It changes no stack.</p>` : planList(plans);
  const failed = plans.filter(({ problem }) => problem !== null);
  const words = `A worker ${isHeld(pull) ? 'validates' : 'plans'} it`;
  return failed.length === 0 ? markup`<p>${words}.</p>` : markup`<p>${words} again.</p>${planList(failed)}`;
}

function planList(plans: PullRow['plans']): Markup {
  return markup`<ul class="told">${plans.map(
    ({ path, summary, problem }) =>
      markup`<li class="${problem === null ? 'done' : 'bad'}"><p><code>${path}</code> ${problem === null ? (summary === null ? 'is valid; not planned' : changesIn(summary)) : 'fails'}</p>${problem === null ? '' : problemLines(problem)}</li>`,
  )}</ul>`;
}

function changesIn(summary: NonNullable<PullRow['plans'][number]['summary']>): Markup {
  const signs = summarySigns(summary);
  return signs.text === '' ? markup`has no changes` : signs;
}

/**
 * The form leads to the commit that it names, and shows all of its digits: the forge may have a later one, and the database not yet.
 * Another one that came meanwhile is not allowed by it.
 */
function allowForm(pull: PullRow, { source, csrf, compares, because = '' }: PullsView): Markup {
  const { number, head } = pull;
  const id = `because-${number}`;
  const changes =
    compares === undefined ? 'its changes' : markup`<a href="${changesAt(compares, pull)}">its changes</a>`;
  const hint = `${id}-hint`;
  const form = markup`<input type="hidden" name="commit" value="${head}"><p class="hint" id="${hint}">This allows commit <code>${head}</code>. Read ${changes} at the forge first: the last commit that the forge shows may be another. Its plan gets the secrets of the platform; its preview is applied by the policy of previews, with them. The next push needs this again.</p>${reasonField(because, { id, hint })}<button>Allow this commit</button>`;
  const summary = `Let commit ${head.slice(0, 12)} be planned and previewed`;
  return foldedAct(summary, because, actForm(`${pullsAddress(source)}/${number}/allow`, csrf, form));
}

/** An older commit stays allowed, and its preview applied, until the last one is. */
function takeBackForm(number: number, commit: string, { source, csrf }: PullsView): Markup {
  const id = `back-${number}`;
  const hint = `${id}-hint`;
  const form = markup`<input type="hidden" name="commit" value="${commit}"><p class="hint" id="${hint}">Commit <code>${commit}</code> gets no secrets any more. What runs for its preview is stopped, and the preview is removed with its data, as after the end of a pull request.</p>${reasonField('', { id, hint })}<button class="danger">Take it back</button>`;
  const summary = `Take back what commit ${commit.slice(0, 12)} was allowed`;
  return foldedAct(summary, '', actForm(`${pullsAddress(source)}/${number}/take-back`, csrf, form));
}

/** All that a commit has over the branch that it is to go into, and not what its last commit alone has. */
function changesAt(compares: string, { base, head }: PullRow): string {
  return `${compares}${base.split('/').map(encodeURIComponent).join('/')}...${encodeURIComponent(head)}`;
}
