import { dirname, join } from 'node:path/posix';
import { ForgeError } from '../../forge/call-forge.ts';
import { writeComment } from '../../forge/comments.ts';
import { changedFiles } from '../../forge/pulls.ts';
import { type Manifest, Stop, planDocument, validate } from '../../index.ts';
import { redactorOf } from '../../secrets/sources/env.ts';
import { areAmong, pathsOf } from '../fingerprint.ts';
import { environmentOf, openStack, whyUnreached } from '../open-stack.ts';
import { problemText } from '../problem-text.ts';
import type { PlatformRecord, SourceRecord } from '../records/all.ts';
import { platformsBy } from '../records/place-previews.ts';
import { type PullPlan, type PullRecord, wholeCommit } from '../records/pulls.ts';
import { isOfDatabase } from '../transaction.ts';
import { type AtForge, type SourceForge, refusalOf, withForge } from './forge-of-source.ts';
import { pullComment } from './pull-comment.ts';

/** A root file of a pull request, whose stack may not exist yet. */
interface Touched {
  readonly id: string;
  readonly path: string;
  readonly platform: PlatformRecord;
  /** It is validated without any secret: a stranger may have written it, or it describes previews, which plan themselves. */
  readonly isBlind: boolean;
  readonly isPreview: boolean;
}

/** What is known of a commit. `isOver`: false, where it is to be planned again after a pause. */
interface Outcome {
  readonly plans: readonly PullPlan[];
  readonly isOver: boolean;
}

/** A pull request at its forge. */
interface PullAt {
  readonly forge: SourceForge;
  readonly source: SourceRecord;
  readonly pull: PullRecord;
  readonly signal: AbortSignal;
}

/**
 * Plans the last commit of a pull request for each stack whose files it changes, and writes that as its one comment. Sends GETs to
 * platforms only, and keeps nothing that could be applied. What comes from another repository, is of a platform that only other
 * workers reach, or describes previews, is validated without any secret. A commit that cannot be read holds up nothing else of its
 * source: a stranger may have written it.
 *
 * @throws as `withForge`
 */
export async function planPull(at: AtForge, key: string, signal: AbortSignal): Promise<void> {
  const [id = '', number = ''] = key.split(' ');
  const { records } = at;
  const plan = async (forge: SourceForge, source: SourceRecord): Promise<void> => {
    const pull = await records.pull(id, Number(number));
    if (pull === undefined) return;
    const failed = (error: unknown): Promise<Outcome> => {
      signal.throwIfAborted();
      return withoutPlans(forge, error);
    };
    const former = await records.pullPlans(id, pull.number);
    const made = await plansOf(at, { forge, source, pull, signal }).catch(failed);
    // A comment that is there is kept true; there is none about nothing.
    const isShown = made.plans.length > 0 || former.length > 0;
    const text = pullComment(pull, made.plans, { links: forge.links, source: id });
    const said = isShown ? await writeComment(forge, pull.number, text).then(() => undefined, failed) : undefined;
    const outcome =
      said === undefined
        ? made
        : { ...said, plans: [...made.plans.filter(({ path }) => path !== wholeCommit), ...said.plans] };
    await records.keepPullPlans(pull, outcome.plans, outcome);
  };
  await withForge(at, id, plan, signal);
}

/** What is known where a commit was not planned, or not commented. @throws what a forge answers also to other requests, and what the database does */
async function withoutPlans(forge: SourceForge, error: unknown): Promise<Outcome> {
  if (isOfDatabase(error)) throw error;
  const problem = error instanceof ForgeError ? await refusalOf(forge, error) : problemText(error);
  const isTooLarge = error instanceof Stop && error.diagnostics.some(({ code }) => code === 'too-large');
  return { plans: [{ path: wholeCommit, document: null, problem }], isOver: isTooLarge };
}

/** Plans what a commit changes. @throws where the commit cannot be read */
async function plansOf(at: AtForge, { forge, source, pull, signal }: PullAt): Promise<Outcome> {
  const { checkouts } = at;
  const changed = await changedFiles(forge, pull.number);
  const mayTouch = (path: string): boolean => {
    const folder = dirname(path) === '.' ? '' : `${dirname(path)}/`;
    return [...changed].some((file) => file.startsWith(folder));
  };
  const paths = (await checkouts.rootFiles(source, pull.head)).filter(mayTouch);
  const previews = await checkouts.previewFiles(source, pull.head);
  const isBlind = pull.isFork && !pull.isAllowed;
  const touched = await withPlatforms(at, { source, paths, previews, isBlind });
  const plans: PullPlan[] = [];
  let isOver = true;
  if (touched.length > 0) {
    await checkouts.at(source, pull.head, async (folder) => {
      for (const one of touched) {
        signal.throwIfAborted();
        const { plan, isTransient } = await planOf(at, { one, folder, changed, signal });
        if (plan !== undefined) plans.push(plan);
        if (isTransient) isOver = false;
      }
    });
  }
  return { plans, isOver };
}

/** The root files that the source has a platform for. */
async function withPlatforms(
  at: AtForge,
  {
    source,
    paths,
    previews,
    isBlind,
  }: {
    readonly source: SourceRecord;
    readonly paths: readonly string[];
    readonly previews: readonly string[];
    readonly isBlind: boolean;
  },
): Promise<readonly Touched[]> {
  const platformOf = platformsBy(source.platforms);
  const found: Touched[] = [];
  for (const path of paths) {
    const name = platformOf(path);
    const platform = name === undefined ? undefined : await at.records.platform(name);
    if (platform === undefined) continue;
    const isPreview = previews.includes(path);
    const isAway = whyUnreached(at, platform) !== undefined;
    found.push({ id: `${source.id}:${path}`, path, platform, isBlind: isBlind || isAway || isPreview, isPreview });
  }
  return found;
}

/** Why there is no plan: an error of the manifest stays until the next commit, others may pass. */
interface Planned {
  /** undefined: the commit does not change the stack. */
  readonly plan: PullPlan | undefined;
  readonly isTransient: boolean;
}

interface PullFiles {
  readonly one: Touched;
  readonly folder: string;
  readonly changed: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

async function planOf(at: AtForge, files: PullFiles): Promise<Planned> {
  const { one, folder, changed, signal } = files;
  const { path, platform, isBlind, isPreview } = one;
  const isTouched = (manifest: Manifest): boolean => areAmong(changed, pathsOf(manifest, path));
  try {
    if (isBlind) {
      const env = { TRUEUP_URL: platform.url };
      const { manifest } = await validate(join(folder, dirname(path)), {
        file: fileOf(path),
        env,
        isPinned: false,
      });
      const isHere = isTouched(manifest);
      return { plan: isHere ? { path, document: null, problem: null, isPreview } : undefined, isTransient: false };
    }
    const project = await openStack(at, { ...one, folder });
    try {
      if (!isTouched(project.manifest)) return { plan: undefined, isTransient: false };
      const document = planDocument(await project.plan({ signal }));
      return { plan: { path, document, problem: null }, isTransient: false };
    } finally {
      await project.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const { redact } = redactorOf(isBlind ? {} : await environmentOf(platform));
    const isTransient = !(error instanceof Stop) || ['platform', 'state', 'locked'].includes(error.failure);
    return { plan: { path, document: null, problem: redact(problemText(error)) }, isTransient };
  }
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
