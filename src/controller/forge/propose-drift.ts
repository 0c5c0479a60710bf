import { dirname, join } from 'node:path/posix';
import { ForgeError } from '../../forge/call-forge.ts';
import { writeComment } from '../../forge/comments.ts';
import { closePull, editPull, listOpenPulls, openPull, readPull } from '../../forge/pulls.ts';
import type { Adoption } from '../../index.ts';
import { marker } from '../../render/markdown.ts';
import { openStack } from '../open-stack.ts';
import { stackAddress } from '../page/addresses.ts';
import { problemText } from '../problem-text.ts';
import type { SourceRecord, StackRecord } from '../records/all.ts';
import type { ProposalRecord } from '../records/proposals.ts';
import { isOfDatabase } from '../transaction.ts';
import { driftBranch } from './drift-branch.ts';
import { type AtForge, type SourceForge, refusalOf, withForge } from './forge-of-source.ts';
import { adoptionName, proposalMessage, proposalText } from './proposal-text.ts';
import { siteOf } from './pull-comment.ts';

/** A proposal at its forge. */
interface Work {
  readonly forge: SourceForge;
  readonly source: SourceRecord;
  readonly stack: StackRecord & { readonly wanted: string };
  readonly proposal: ProposalRecord;
  readonly branch: string;
  readonly signal: AbortSignal;
}

/**
 * Brings the pull request that adopts the drift of a stack in line with the platform: its branch has what `trueup drift adopt`
 * writes, and there is one, or none where nothing drifted any more. What is refused waits by itself. Sends GETs to the platform only.
 *
 * @throws as `withForge`
 */
export async function proposeDrift(at: AtForge, id: string, signal: AbortSignal): Promise<void> {
  const { records } = at;
  const stack = await records.stack(id);
  if (stack === undefined) return;
  const propose = async (forge: SourceForge, source: SourceRecord): Promise<void> => {
    const [proposal, known] = [await records.proposal(id), await records.proposalFact(id)];
    if (proposal === undefined || known === undefined || stack.wanted === null) return;
    const branch = driftBranch(stack);
    const work = { forge, source, stack: { ...stack, wanted: stack.wanted }, proposal, branch, signal };
    try {
      const problem = await keepTrue(at, work);
      await records.proposalBrought(id, known.fact, problem);
    } catch (error) {
      signal.throwIfAborted();
      if (isOfDatabase(error)) throw error;
      await records.proposalRefused(
        id,
        error instanceof ForgeError ? await refusalOf(forge, error) : problemText(error),
      );
    }
  };
  await withForge(at, stack.source, propose, signal);
}

/** Gives why the files cannot have what drifted. */
async function keepTrue(at: AtForge, work: Work): Promise<string | undefined> {
  const { source, stack, proposal, branch, signal } = work;
  if (proposal.number !== null && !(await isOpen(work, proposal.number))) {
    // For the next proposal, what stays of the branch is the work of others: it says so.
    await at.pusher.remove(source, { branch, own: ownOf(proposal) }).catch(() => signal.throwIfAborted());
    await at.records.endProposal(stack.id, 'its pull request was merged, closed or deleted');
    return undefined;
  }
  return stack.isGone ? end(at, work, 'The stack is gone.') : bring(at, work);
}

/** Whether a pull request is open. One that the forge does not find is deleted where its list lacks it too. */
async function isOpen({ forge }: Work, number: number): Promise<boolean> {
  try {
    return (await readPull(forge, number)).isOpen;
  } catch (error) {
    if (!(error instanceof ForgeError) || error.status !== 404) throw error;
    if ((await listOpenPulls(forge)).some((pull) => pull.number === number)) throw error;
    return false;
  }
}

/** Gives why the files cannot have what drifted. */
async function bring(at: AtForge, work: Work): Promise<string | undefined> {
  const { source, stack, signal } = work;
  const platform = await at.records.platform(stack.platform);
  if (platform === undefined) return 'its platform is gone';
  const commit = stack.read ?? stack.wanted;
  return at.checkouts.at(source, commit, async (folder) => {
    const project = await openStack(at, { id: stack.id, path: stack.path, platform, folder });
    try {
      const adoption = await project.adopt({ signal });
      if (adoption.files.length === 0) return await withoutFiles(at, work, adoption);
      await pushAdoption(at, work, { adoption, folder, parent: commit });
      await showPull(at, work, adoption);
      return undefined;
    } finally {
      await project.close();
    }
  });
}

/** Nothing is proposed any more: the drift is gone, or no file can have it. */
async function withoutFiles(at: AtForge, work: Work, { left }: Adoption): Promise<string | undefined> {
  const [first] = left;
  if (first === undefined) return end(at, work, 'The drift is gone: the platform has what the files say.');
  await close(at, work, 'What drifted now cannot be in the files.');
  return first.remedy === undefined ? first.message : `${first.message}\n-> ${first.remedy}`;
}

async function end(at: AtForge, work: Work, why: string): Promise<undefined> {
  await close(at, work, why);
  await at.records.endProposal(work.stack.id, why);
}

/** Closes the pull request with a comment, and removes its branch, unless others worked there. */
async function close({ records, pusher }: AtForge, work: Work, why: string): Promise<void> {
  const { forge, source, stack, proposal, branch } = work;
  const { number } = proposal;
  if (number !== null) {
    const { key } = siteOf({ links: forge.links, source: source.id }, stack.path, stack.wanted);
    // A conversation that a person locked takes no comment, and can be closed.
    await writeComment(forge, number, `${marker('drift', { key })}\n${why}\n`).catch((error: unknown) =>
      refusalOf(forge, error),
    );
    await closePull(forge, number);
  }
  await records.proposalShown(stack.id, { number: null, shown: null });
  await pusher.remove(source, { branch, own: ownOf(proposal) });
}

function ownOf({ pushed, pushing }: ProposalRecord): readonly string[] {
  return [pushed, pushing].filter((commit) => commit !== null);
}

async function pushAdoption(
  { records, pusher }: AtForge,
  { source, stack, proposal, branch }: Work,
  { adoption, folder, parent }: { readonly adoption: Adoption; readonly folder: string; readonly parent: string },
): Promise<void> {
  const files = adoption.files.map((file) => join(dirname(stack.path), file));
  const message = proposalMessage(stack.path, adoption);
  const commit = await pusher.commit(source, { folder, parent, files, message, at: proposal.askedAt });
  await records.proposalPushes(stack.id, commit);
  await pusher.push(source, { folder, commit, branch, own: ownOf(proposal) });
  await records.proposalPushed(stack.id, commit);
}

/** Opens the pull request, or gives the one that is open this text. */
async function showPull({ records }: AtForge, work: Work, adoption: Adoption): Promise<void> {
  const { forge, source, stack, proposal, branch } = work;
  const base = source.ref.replace(/^refs\/heads\//, '');
  const address = await records.pageAddress();
  const page = address === undefined ? undefined : `${address}${stackAddress(stack.id)}/drift`;
  const site = siteOf({ links: forge.links, source: source.id }, stack.path, stack.wanted);
  const text = proposalText(stack.path, adoption, { site, page });
  const shown = adoptionName(stack.wanted, adoption);
  const find = async () =>
    (await listOpenPulls(forge)).find((pull) => !pull.isFork && pull.branch === branch && pull.base === base)?.number;
  const present = proposal.number ?? (await find());
  const number =
    present ??
    (await openPull(forge, { branch, base, ...text }).catch(async (error: unknown) => {
      const isThere = error instanceof ForgeError && (error.status === 409 || error.status === 422);
      const other = isThere ? await find() : undefined;
      if (other === undefined) throw error;
      return other;
    }));
  if (present !== undefined && proposal.shown !== shown) await editPull(forge, number, text);
  await records.proposalShown(stack.id, { number, shown });
}
