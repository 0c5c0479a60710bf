import type { RunRow } from '../../records/shown-runs.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { planAddress, runAddress } from '../addresses.ts';
import { cell, commitCode, endingBadge, moment, table, tookOf } from './parts.ts';

/** Runs as a table: what, why and by whom, how long, how it ended. */
export function runTable(runs: readonly RunRow[], now: Date): Markup {
  return table({
    caption: 'Runs, the last first',
    heads: ['Run', 'Why', 'Commit', 'Began', 'Took', 'Ended'],
    rows: runs.map(
      (run) =>
        markup`<tr><th scope="row"><a href="${runAddress(run.id)}">${run.kind} ${run.id}</a></th>
${cell('Why', why(run))}
${cell('Commit', commitCode(run.commit))}
${cell('Began', moment(run.beganAt, now))}
${cell('Took', tookOf(run.beganAt, run.endedAt, now))}
${cell('Ended', endingBadge(run.ending))}</tr>`,
    ),
  });
}

/** Why a run began, and who approved it. */
export function why({ cause, plan, verdicts }: RunRow): Markup {
  const said = verdicts.map(
    ({ who, approves, because }) =>
      markup`<span class="said">${approves ? 'approved' : 'refused'} by <b>${who}</b>${because === '' ? '' : `: ${because}`}</span>`,
  );
  const words = markup`${causeWords[cause] ?? cause}`;
  return markup`${plan === null ? words : markup`<a href="${planAddress(plan)}">${words}</a>`} ${said}`;
}

const causeWords: Readonly<Record<string, string>> = {
  commit: 'a commit',
  drift: 'what drifted',
  look: 'a look at drift',
  closed: 'a preview that is wanted no more',
  over: 'the end of its time',
  'earlier run': 'an earlier run',
};
