import type { FastifyInstance, FastifyRequest } from 'fastify';
import { repositoryAt } from '../../../forge/repository-at.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { stackAddress } from '../addresses.ts';
import { notFound, refusal } from '../refusal.ts';
import type { PageContext } from '../server.ts';
import { fieldOf, reasonOf } from '../fields.ts';
import { onlyOptions, onlyText } from '../../site.ts';
import { stackOf } from '../show.ts';

/** Wants the drift of a stack as a pull request. @throws {Refusal} 422, where there can be none */
export async function proposeOf({ records }: PageContext, request: FastifyRequest): Promise<StackRow> {
  const stack = await stackOf(records, request, 'propose');
  const why = await whyNoProposal({ records }, stack);
  if (why !== undefined) throw refusal(422, why);
  await records.propose(stack.id, request.viewer.name);
  return stack;
}

/** Why the drift of a stack cannot be a pull request; undefined: it can. */
export async function whyNoProposal(
  { records }: Pick<PageContext, 'records'>,
  { source: id, platform, only }: StackRow,
): Promise<string | undefined> {
  const source = await records.source(id);
  if (source === undefined || source.forge === 'none' || source.forgeTokenFile === null)
    return `The source ${id} names no forge, or no token for it.`;
  if (onlyText(only) === '') return undefined;
  return `Workers with ${onlyOptions(only)} reach the platform ${platform}, and workers without --only reach the forge.`;
}

/** The page of the pull request of a preview at its forge; undefined: the stack is none, or its forge is not known. */
export async function pullPageOf(
  { records }: Pick<PageContext, 'records'>,
  { pull, source: id }: StackRow,
): Promise<string | undefined> {
  const { url, forge = 'none' } = (pull === null ? undefined : await records.source(id)) ?? {};
  if (pull === null || url === undefined || forge === 'none') return undefined;
  try {
    return `${repositoryAt({ url, forge }).pulls}${pull}`;
  } catch {
    return undefined;
  }
}

/** What is done at forges by forms. */
export function forgeActs(app: FastifyInstance, context: PageContext): void {
  app.post('/stacks/:id/propose', { config: { act: 'propose' } }, async (request, reply) => {
    const stack = await proposeOf(context, request);
    return reply.redirect(`${stackAddress(stack.id)}/drift`, 303);
  });
}

/**
 * Lets a commit of another repository have the secrets of a plan. Whoever does that administers all that the source has.
 *
 * @throws {Refusal} 404, 403, 400 without a reason, 409 where it is not the last commit, or allowed already
 */
export async function allowOf({ records }: PageContext, { params, body, viewer }: FastifyRequest): Promise<void> {
  const { id = '', number = '' } = params as { readonly id?: string; readonly number?: string };
  const source = (await records.shownSources()).find((one) => one.id === id);
  const labels = source === undefined ? [] : [source.labels, ...source.stackLabels];
  if (!labels.some((one) => viewer.may('see', one))) throw notFound();
  if (!labels.every((one) => viewer.may('administer', one)))
    throw refusal(403, 'Your role does not allow this on all stacks of this source.');
  if (!/^[1-9]\d{0,8}$/.test(number)) throw notFound();
  const about = { source: id, number: Number(number), head: fieldOf(body, 'commit') };
  const isAllowed = await records.allowPull(about, { who: viewer.name, because: reasonOf(body) });
  if (!isAllowed) throw refusal(409, 'This is not the last commit of a pull request from another repository.');
}
