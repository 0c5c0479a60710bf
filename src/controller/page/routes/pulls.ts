import type { FastifyInstance, FastifyRequest } from 'fastify';
import { repositoryAt } from '../../../forge/repository-at.ts';
import { wholeCommit } from '../../records/pulls.ts';
import type { SourceRow } from '../../records/shown-sources.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { pullsAddress, stackAddress } from '../addresses.ts';
import { notFound, refusal } from '../refusal.ts';
import type { PageContext } from '../server.ts';
import { fieldOf, reasonOf } from '../fields.ts';
import { onlyOptions, onlyText } from '../../site.ts';
import { labelsOf, maySee, show, showTooLate, stackOf } from '../show.ts';
import type { Viewer } from '../viewer.ts';
import { pullsPage } from '../views/pulls.ts';

/** Wants the drift of a stack as a pull request. @throws {Refusal} 422, where there can be none */
export async function proposeOf({ records }: PageContext, request: FastifyRequest): Promise<StackRow> {
  const stack = await stackOf(records, request, 'propose');
  const why = await whyNoProposal({ records }, stack);
  if (why !== undefined) throw refusal(422, why);
  await records.propose(stack.id, request.viewer.name);
  return stack;
}

/** Whether a viewer may have the drift of a stack as a pull request. */
export async function mayProposeFor(context: Pick<PageContext, 'records'>, viewer: Viewer, stack: StackRow) {
  return viewer.may('propose', stack.labels) && (await whyNoProposal(context, stack)) === undefined;
}

/** Why the drift of a stack cannot be a pull request; undefined: it can. */
async function whyNoProposal(
  { records }: Pick<PageContext, 'records'>,
  { source: id, platform, only, pull }: StackRow,
): Promise<string | undefined> {
  if (pull !== null) return 'The branch of a pull request has the files of its preview: change them there.';
  const source = await records.source(id);
  if (source === undefined || source.forge === 'none' || source.forgeTokenFile === null)
    return `The source ${id} names no forge, or no token for it.`;
  if (onlyText(only) === '') return undefined;
  return `Workers with ${onlyOptions(only)} reach the platform ${platform}, and workers without --only reach the forge.`;
}

/** The page of the pull request of a preview at its forge; undefined: the stack is none, or its forge is not known. */
export async function pullPageOf(context: Pick<PageContext, 'records'>, { pull, source }: StackRow) {
  if (pull === null) return undefined;
  const at = await forgeOf(context, source);
  return at && `${at.pulls}${pull}`;
}

/** The pages of a source at its forge; undefined: that is not known. */
async function forgeOf({ records }: Pick<PageContext, 'records'>, id: string) {
  const { url, forge = 'none' } = (await records.source(id)) ?? {};
  if (url === undefined || forge === 'none') return undefined;
  try {
    return repositoryAt({ url, forge });
  } catch {
    return undefined;
  }
}

/** Pull requests of sources, and what is done at forges by forms. */
export function pullRoutes(app: FastifyInstance, context: PageContext): void {
  app.post('/stacks/:id/propose', { config: { act: 'propose' } }, async (request, reply) => {
    const stack = await proposeOf(context, request);
    return reply.redirect(`${stackAddress(stack.id)}/drift`, 303);
  });
  app.get('/sources/:id/pulls', { config: { act: 'see' } }, async (request, reply) => {
    const { viewer } = request;
    const { source, mayAllow } = await sourceOf(context, request);
    const labels = new Map((await context.records.stackLabels()).map((one) => [one.id, one.labels]));
    const isSeen = (path: string) =>
      path === wholeCommit || viewer.may('see', labels.get(`${source.id}:${path}`) ?? source.labels);
    const pulls = (await context.records.shownPulls(source.id)).map((pull) => {
      return { ...pull, plans: pull.plans.filter(({ path }) => isSeen(path)) };
    });
    const because = fieldOf(request.query, 'because', 500);
    const compares = (await forgeOf(context, source.id))?.compares;
    const about = { source: source.id, pulls, csrf: reply.csrf(), mayAllow, because, compares };
    return show(request, reply, pullsPage(about));
  });
  for (const [act, { between }] of Object.entries(decisions))
    app.post(`/sources/:id/pulls/:number/${act}`, { config: { act: 'administer' } }, async (request, reply) => {
      const { source, isDone } = await decideOf(context, request, act as Decision);
      if (isDone) return reply.redirect(pullsAddress(source.id), 303);
      const way = { address: pullsAddress(source.id), words: 'Back to the pull requests' };
      return showTooLate(request, reply, { between, because: reasonOf(request.body), way });
    });
}

/** What people decide about a commit of another repository, and what came between where it is too late. */
const decisions = {
  allow: { write: 'allowPull', between: 'there was another commit, or this one was allowed' },
  'take-back': { write: 'takePullBack', between: 'it was taken back, or another commit was allowed' },
} as const;

type Decision = keyof typeof decisions;

/** The source of an address. @throws {Refusal} 404, where the viewer may see nothing of it */
async function sourceOf(
  { records }: PageContext,
  { params, viewer }: Pick<FastifyRequest, 'params' | 'viewer'>,
): Promise<{ readonly source: SourceRow; readonly mayAllow: boolean }> {
  const { id = '' } = params as { readonly id?: string };
  const source = (await records.shownSources()).find((one) => one.id === id);
  if (source === undefined || !maySee(viewer, source)) throw notFound();
  return { source, mayAllow: labelsOf(source).every((labels) => viewer.may('administer', labels)) };
}

/**
 * Lets a commit of another repository have the secrets of a plan, or takes that back. Whoever does that administers all that the
 * source has. Not done: it is not the last commit, is allowed already, or is not allowed any more.
 *
 * @throws {Refusal} 404, 403, 400 without a reason
 */
export async function decideOf(
  context: PageContext,
  request: Pick<FastifyRequest, 'params' | 'body' | 'viewer'>,
  decision: Decision,
): Promise<{ readonly source: SourceRow; readonly isDone: boolean }> {
  const { body, viewer } = request;
  const { source, number } = await pullOf(context, request);
  const about = { source: source.id, number, head: fieldOf(body, 'commit') };
  const { write } = decisions[decision];
  return { source, isDone: await context.records[write](about, { who: viewer.name, because: reasonOf(body) }) };
}

/** The pull request of an address, whose source the viewer administers. @throws {Refusal} 404, 403 */
async function pullOf(context: PageContext, request: Pick<FastifyRequest, 'params' | 'viewer'>) {
  const { number = '' } = request.params as { readonly number?: string };
  const { source, mayAllow } = await sourceOf(context, request);
  if (!mayAllow) throw refusal(403, 'Your role does not allow this on all stacks of this source.');
  if (!/^[1-9]\d{0,8}$/.test(number)) throw notFound();
  return { source, number: Number(number) };
}
