import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { StackGlance } from '../../records/shown-stacks.ts';
import type { Until } from '../../records/stacks.ts';
import { stackAddress } from '../addresses.ts';
import { refusal } from '../refusal.ts';
import type { PageContext } from '../server.ts';
import { driftPage } from '../../../render/html/drift-page.ts';
import { fieldOf, reasonOf } from '../fields.ts';
import { maySee, now, show, stackOf } from '../show.ts';
import { type StackFilter, pageOfStacks } from '../stack-list.ts';
import { type StackState, stackStates } from '../stack-state.ts';
import { historyPage } from '../views/history.ts';
import { homePage, maxShown } from '../views/home.ts';
import { alarmOf } from '../views/sources.ts';
import { proposalPart } from '../views/proposal.ts';
import { readerFor } from '../../page-reader.ts';
import { foundPage, noDriftPage, runsShown, stackPage } from '../views/stack.ts';
import { mayProposeFor, pullPageOf } from './pulls.ts';

/** Runs of one page of a history. */
const runsPerPage = 100;

/** What the first page asks for in its query. */
export function filterOf(query: unknown): StackFilter {
  const state = fieldOf(query, 'state');
  return {
    text: fieldOf(query, 'text', 200),
    label: fieldOf(query, 'label', 300),
    state: stackStates.includes(state as StackState) ? (state as StackState) : '',
  };
}

/** The first page, and all pages of one stack. */
export function stackRoutes(app: FastifyInstance, { records }: PageContext): void {
  app.get('/', { config: { act: 'see' } }, async (request, reply) =>
    show(request, reply, homePage(await homeOf(records, request))),
  );
  app.get('/stacks/:id', { config: { act: 'see' } }, async (request, reply) => {
    const stack = await stackOf(records, request);
    const [runs, former] = await Promise.all([
      records.shownRuns(stack.id, runsShown + 1),
      records.formerPlan(stack.id),
    ]);
    const mayOperate = request.viewer.may('operate', stack.labels);
    const because = fieldOf(request.query, 'because', 500);
    const about = { stack, former, runs, now: now(), csrf: reply.csrf(), mayOperate, because };
    return show(request, reply, stackPage({ ...about, pullPage: await pullPageOf({ records }, stack) }));
  });
  app.get('/stacks/:id/drift', { config: { act: 'see' } }, async (request, reply) => {
    const stack = await stackOf(records, request);
    const last = await records.lastDrift(stack.id);
    if (last?.document?.format !== 'trueup/drift') return show(request, reply, noDriftPage(stack));
    const mayPropose = last.document.findings.length > 0 && (await mayProposeFor({ records }, request.viewer, stack));
    const proposal = await records.proposal(stack.id);
    const shown = proposalPart(stack, { proposal, mayPropose, csrf: reply.csrf(), now: now() });
    const about = { at: last.beganAt, run: last.id, now: now(), proposal: shown };
    return show(request, reply, foundPage(stack, driftPage(last.document, readerFor(stack, { mayPropose })), about));
  });
  app.get('/stacks/:id/history', { config: { act: 'see' } }, async (request, reply) => {
    const stack = await stackOf(records, request);
    const before = fieldOf(request.query, 'before');
    const [runs, events] = await Promise.all([
      records.shownRuns(stack.id, runsPerPage + 1, before),
      before === '' ? records.stackEvents(stack.id, 50) : [],
    ]);
    const shown = runs.slice(0, runsPerPage);
    const next = runs.length > shown.length ? shown.at(-1)?.id : undefined;
    return show(request, reply, historyPage({ stack, runs: shown, events, next, now: now() }));
  });
}

/** What the first page shows: the stacks that a filter leaves, and what troubles somebody. */
async function homeOf(
  records: PageContext['records'],
  request: FastifyRequest,
): Promise<Parameters<typeof homePage>[0]> {
  const { viewer, query } = request;
  const [stacks, sources] = await Promise.all([visibleStacks(records, request), records.shownSources('troubled')]);
  const filter = filterOf(query);
  const moment = now();
  const labels = new Set<string>();
  for (const stack of stacks) for (const [key, value] of Object.entries(stack.labels)) labels.add(`${key}=${value}`);
  const alarms = sources.flatMap((source) => {
    const words = alarmOf(source, moment);
    return words === undefined || !maySee(viewer, source)
      ? []
      : [{ words, address: '/sources', link: 'See the sources' }];
  });
  const part = pageOfStacks(stacks, filter, fieldOf(query, 'after') || undefined);
  const first = part.urgent.slice(0, maxShown);
  // Of all others their number is shown.
  const found = await records.shownStacks([...part.rows, ...first].map(({ id }) => id));
  const rows = new Map(found.map((one) => [one.id, one]));
  const rowsOf = (glances: readonly StackGlance[]) => glances.flatMap(({ id }) => rows.get(id) ?? []);
  return {
    now: moment,
    page: { ...part, rows: rowsOf(part.rows) },
    urgent: { shown: rowsOf(first), rest: part.urgent.slice(maxShown) },
    filter,
    labels: [...labels].toSorted(),
    alarms,
  };
}

/** What is done to one stack: each leads back to its page. */
export function stackActs(app: FastifyInstance, { records }: PageContext): void {
  app.post('/stacks/:id/run', { config: { act: 'operate' } }, async (request, reply) => {
    const stack = await stackOf(records, request, 'operate');
    await records.runSoon(stack, request.viewer.name);
    return reply.redirect(stackAddress(stack.id), 303);
  });
  app.post('/stacks/:id/pause', { config: { act: 'operate' } }, async (request, reply) => {
    const stack = await stackOf(records, request, 'operate');
    const { body, viewer } = request;
    await records.pause(stack, { until: untilOf(body, now()), who: viewer.name, because: reasonOf(body) });
    return reply.redirect(stackAddress(stack.id), 303);
  });
  app.post('/stacks/:id/resume', { config: { act: 'operate' } }, async (request, reply) => {
    const stack = await stackOf(records, request, 'operate');
    await records.pause(stack, { until: undefined, who: request.viewer.name, because: reasonOf(request.body) });
    return reply.redirect(stackAddress(stack.id), 303);
  });
}

/** The longest pause: who needs a longer one takes the stack out of its source. */
const maxPauseHours = 90 * 24;

/** The end of the pause that a form asks for. @throws {Refusal} 400, where it is none, or is too far away */
export function untilOf(fields: unknown, from: Date): Until {
  const hours = fieldOf(fields, 'for');
  const until = fieldOf(fields, 'until');
  const isMoment = hours === 'until' || hours === '';
  const at = new Date(/Z|[+-]\d\d:\d\d$/.test(until) ? until : `${until}Z`);
  const ms = isMoment ? at.getTime() - from.getTime() : Number(hours) * 3_600_000;
  if (Number.isNaN(ms)) throw refusal(400, 'Write until when the pause lasts, such as 2026-12-24T18:00.');
  if (ms <= 0 || ms > maxPauseHours * 3_600_000) throw refusal(400, 'A pause ends after now, and within 90 days.');
  return isMoment ? at : { seconds: ms / 1_000 };
}

/** Every stack that a viewer may see. */
export async function visibleStacks(
  records: PageContext['records'],
  { viewer }: Pick<FastifyRequest, 'viewer'>,
): Promise<readonly StackGlance[]> {
  return (await records.stackGlances()).filter(({ labels }) => viewer.may('see', labels));
}
