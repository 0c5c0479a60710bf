import type { FastifyReply, FastifyRequest } from 'fastify';
import { assetsVersion } from '../../render/html/assets.ts';
import type { StackRow } from '../records/shown-stacks.ts';
import type { Records } from '../records/all.ts';
import { stackIdOf } from './addresses.ts';
import { notFound, refusal } from './refusal.ts';
import type { Act, Labels, Viewer } from './viewer.ts';
import { type Content, renderLayout } from './views/layout.ts';
import { messagePage } from './views/messages.ts';

/** What routes of pages share. */

/** The moment that ages on pages are counted from. */
export const now = (): Date => new Date();

/** Browsers keep each version of the page's own files for ever. */
const assets = {
  style: `/assets/page.css?v=${assetsVersion}`,
  script: `/assets/page.js?v=${assetsVersion}`,
  icon: `/assets/icon.svg?v=${assetsVersion}`,
};

/** Answers with a page. */
export function show(request: FastifyRequest, reply: FastifyReply, content: Content, status = 200): FastifyReply {
  const who = request.known === undefined ? '' : request.viewer.name;
  return reply.code(status).type('text/html; charset=utf-8').send(renderLayout({ who, assets }, content));
}

/** Answers that an act came too late, and with the reason that its form had. `between`: what happened meanwhile. */
export function showTooLate(
  request: FastifyRequest,
  reply: FastifyReply,
  about: {
    readonly between: string;
    readonly because: string;
    readonly way: { readonly address: string; readonly words: string };
  },
): FastifyReply {
  const words = `In between ${about.between}. You wrote: ${about.because}`;
  return show(request, reply, messagePage('It came too late', words, about.way), 409);
}

/** The stack of an address. @throws {Refusal} 404 where the viewer may not see it, 403 where they may not do this to it */
export async function stackOf(
  records: Records,
  { viewer, params }: Pick<FastifyRequest, 'viewer' | 'params'>,
  act: Act = 'see',
): Promise<StackRow> {
  const { id = '' } = params as { readonly id?: string };
  return seen(await records.shownStack(stackIdOf(id)), viewer, act);
}

/** A row of a stack, such as a plan, with its stack. @throws {Refusal} 404 where the viewer may not see it, 403 where they may not do this */
export async function withStackOf<Row extends { readonly stack: string }>(
  records: Records,
  row: Row | undefined,
  viewer: Viewer,
  act: Act,
): Promise<{ readonly row: Row; readonly stack: StackRow }> {
  if (row === undefined) throw notFound();
  return { row, stack: seen(await records.shownStack(row.stack), viewer, act) };
}

/** A stack that a viewer may see, and may do something to. */
function seen(stack: StackRow | undefined, viewer: Viewer, act: Act = 'see'): StackRow {
  if (stack === undefined || !viewer.may('see', stack.labels)) throw notFound();
  if (!viewer.may(act, stack.labels)) throw refusal(403, 'Your role does not allow this on this stack.');
  return stack;
}

/** A source or a platform, with its stacks. */
interface Holder {
  readonly labels: Labels;
  readonly stacks: readonly { readonly labels: Labels }[];
}

/** The labels of a source or a platform, and those of each of its stacks. */
export function labelsOf({ labels, stacks }: Holder): readonly Labels[] {
  return [labels, ...stacks.map((stack) => stack.labels)];
}

/** Whether a viewer may see a source or a platform: by its labels or those of a stack. */
export function maySee(viewer: Viewer, holder: Holder): boolean {
  return labelsOf(holder).some((labels) => viewer.may('see', labels));
}

/** The sources or platforms that a viewer may see; only the stacks that they see count. */
export function visibleTo<T extends Holder>(viewer: Viewer, holders: readonly T[]): T[] {
  return holders
    .filter((holder) => maySee(viewer, holder))
    .map((holder) => ({ ...holder, stacks: holder.stacks.filter(({ labels }) => viewer.may('see', labels)) }));
}
