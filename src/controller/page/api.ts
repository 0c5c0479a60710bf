import type { FastifyInstance, FastifyReply } from 'fastify';
import { eventsDocument, planDocumentOf, runDocumentOf, stackDocument, stacksDocument } from './api-documents.ts';
import { refusal } from './refusal.ts';
import { decideOf, proposeOf } from './routes/pulls.ts';
import { noteVerdict, planOf, problemOf, verdictIn } from './routes/plans.ts';
import { eventFilterOf, visibleSubjects } from './routes/audit.ts';
import { progressOf, runOf } from './routes/runs.ts';
import { filterOf, untilOf, visibleStacks } from './routes/stacks.ts';
import type { PageContext } from './server.ts';
import { fieldOf, reasonOf } from './fields.ts';
import { now, stackOf } from './show.ts';
import { pageOfStacks } from './stack-list.ts';

/** Runs and events of one answer. */
const runsPerAnswer = 50;
const eventsPerAnswer = 200;

/** What the pages show and do, as JSON for programs: each body is a published document. */
export function api(app: FastifyInstance, context: PageContext): void {
  readings(app, context);
  acts(app, context);
}

function readings(app: FastifyInstance, { records, address }: PageContext): void {
  app.get('/api/v1/stacks', { config: { act: 'see' } }, async (request) => {
    const stacks = await visibleStacks(records, request);
    const after = fieldOf(request.query, 'after') || undefined;
    const part = pageOfStacks(stacks, filterOf(request.query), after);
    const rows = await records.shownStacks(part.rows.map(({ id }) => id));
    return stacksDocument({ ...part, rows }, address);
  });
  app.get('/api/v1/stacks/:id', { config: { act: 'see' } }, async (request) => {
    const stack = await stackOf(records, request);
    return stackDocument(stack, await records.shownRuns(stack.id, runsPerAnswer), address);
  });
  app.get('/api/v1/plans/:digest', { config: { act: 'see' } }, async (request) => {
    const { plan, stack } = await planOf(records, request);
    return planDocumentOf(plan, stack, address, now());
  });
  app.get('/api/v1/runs/:id', { config: { act: 'see' } }, async (request) => {
    const { run } = await runOf(records, request);
    return runDocumentOf(run, await progressOf(records, run), address);
  });
  app.get('/api/v1/events', { config: { act: 'see' } }, async ({ viewer, query }) => {
    const subjects = await visibleSubjects(records, viewer);
    const before = fieldOf(query, 'before');
    const events = await records.shownEvents(eventFilterOf(query), eventsPerAnswer + 1, { before, subjects });
    const shown = events.slice(0, eventsPerAnswer);
    return eventsDocument(shown, events.length > shown.length ? shown.at(-1)?.id : undefined);
  });
}

function acts(app: FastifyInstance, context: PageContext): void {
  const { records, address } = context;
  app.post('/api/v1/plans/:digest/verdict', { config: { act: 'approve' } }, async (request, reply) => {
    const { viewer, body } = request;
    const { plan, stack } = await planOf(records, request, 'approve');
    const verdict = verdictIn(body);
    const problem = problemOf(verdict, plan);
    if (problem !== undefined) throw refusal(422, problem);
    const isNoted = await noteVerdict(context, { plan, stack, viewer }, verdict);
    const since = await planOf(records, request);
    // What is in the way shows in the document: superseded, refused, being applied.
    return reply.code(isNoted ? 200 : 409).send(planDocumentOf(since.plan, since.stack, address, now()));
  });
  const answered = async (reply: FastifyReply, id: string): Promise<FastifyReply> => {
    const [stack, runs] = await Promise.all([records.shownStack(id), records.shownRuns(id, runsPerAnswer)]);
    return stack === undefined ? reply.code(404).send() : reply.send(stackDocument(stack, runs, address));
  };
  app.post('/api/v1/runs/:id/stop', { config: { act: 'operate' } }, async (request, reply) => {
    const { run } = await runOf(records, request, 'operate');
    const isStopped = await records.stopRun(run.id, request.viewer.name, reasonOf(request.body));
    const since = await runOf(records, request);
    const progress = await progressOf(records, since.run);
    return reply.code(isStopped ? 200 : 409).send(runDocumentOf(since.run, progress, address));
  });
  app.post('/api/v1/stacks/:id/run', { config: { act: 'operate' } }, async (request, reply) => {
    const stack = await stackOf(records, request, 'operate');
    await records.runSoon(stack, request.viewer.name);
    return answered(reply, stack.id);
  });
  app.post('/api/v1/stacks/:id/pause', { config: { act: 'operate' } }, async (request, reply) => {
    const stack = await stackOf(records, request, 'operate');
    const { body, viewer } = request;
    await records.pause(stack, { until: untilOf(body, now()), who: viewer.name, because: reasonOf(body) });
    return answered(reply, stack.id);
  });
  app.post('/api/v1/stacks/:id/resume', { config: { act: 'operate' } }, async (request, reply) => {
    const stack = await stackOf(records, request, 'operate');
    await records.pause(stack, { until: undefined, who: request.viewer.name, because: reasonOf(request.body) });
    return answered(reply, stack.id);
  });
  app.post('/api/v1/stacks/:id/propose', { config: { act: 'propose' } }, async (request, reply) => {
    return answered(reply, (await proposeOf(context, request)).id);
  });
  app.post('/api/v1/sources/:id/pulls/:number/allow', { config: { act: 'administer' } }, async (request, reply) => {
    if ((await decideOf(context, request, 'allow')).isDone) return reply.code(204).send();
    const what = 'the last commit of a pull request from another repository';
    throw refusal(409, `This is not ${what}, or it is allowed already.`);
  });
  app.post('/api/v1/sources/:id/pulls/:number/take-back', { config: { act: 'administer' } }, async (request, reply) => {
    if ((await decideOf(context, request, 'take-back')).isDone) return reply.code(204).send();
    throw refusal(409, 'This commit is not the one that is allowed.');
  });
}
