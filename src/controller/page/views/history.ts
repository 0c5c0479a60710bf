import { type Markup, markup } from '../../../render/markup.ts';
import { stackAddress, withQuery } from '../addresses.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { stateOf } from '../stack-state.ts';
import type { Content } from './layout.ts';
import { badge, moment, nextLink } from './parts.ts';
import type { RunRow } from '../../records/shown-runs.ts';
import type { EventRow } from '../../records/shown-events.ts';
import { runTable } from './runs.ts';
import { backTo, headOf } from './stack.ts';

/** All runs of a stack, page by page, and what people did with it. */
export function historyPage(view: {
  readonly stack: StackRow;
  readonly runs: readonly RunRow[];
  readonly events: readonly EventRow[];
  /** The run before which the next page begins. */
  readonly next: string | undefined;
  readonly now: Date;
}): Content {
  const { stack, runs, events, next, now } = view;
  const address = stackAddress(stack.id);
  return {
    place: 'stacks',
    ...headOf(stack, 'History'),
    standing: badge(stateOf(stack)),
    head: backTo(stack),
    main: [
      markup`<section aria-labelledby="runs"><h2 id="runs">Runs</h2>${runs.length === 0 ? markup`<p class="empty">No earlier run.</p>` : runTable(runs, now)}${nextLink(next === undefined ? undefined : withQuery(`${address}/history`, { before: next }), 'Earlier runs')}</section>`,
      events.length === 0
        ? markup``
        : markup`<section aria-labelledby="events"><h2 id="events">What people did</h2><ul class="told">${events.map((event) => markup`<li><p><b>${event.who}</b> ${event.what} ${moment(event.at, now)}</p>${reasonOf(event)}</li>`)}</ul></section>`,
    ],
  };
}

function reasonOf({ about }: EventRow): Markup {
  const { because } = about;
  return typeof because === 'string' && because !== '' ? markup`<p class="quiet">${because}</p>` : markup``;
}
