import { usage } from '../diagnostics/usage.ts';
import { outputsDocument, previewsDocument } from '../render/document-schemas.ts';
import { code } from '../render/markdown.ts';
import { isPlainAddress } from '../render/plain-address.ts';
import type { Job } from './ci-job.ts';
import { resultText } from './ci-report.ts';
import { commentOn } from './comment.ts';
import { readCommit } from '../forge/repository.ts';
import type { Forge } from './forge-of-job.ts';
import { whyNoKey } from './missing-key.ts';
import { listOpenPulls, readPull } from '../forge/pulls.ts';
import type { Ended } from './trueup.ts';

/** A pull request, and the commit that its preview is to have. */
interface Wanted {
  readonly number: number;
  readonly commit: string;
}

/** A job whose forge is known. */
type PreviewJob = Job & { readonly forge: Forge };

/**
 * Creates or updates the preview of a pull request, and removes it when the pull request is closed. It asks the forge once more
 * under the lock of the preview, right before the first write: a job that waited neither brings a closed preview back nor puts an
 * older commit over a newer one. Returns the exit code: that of `trueup`, and 0 where there is nothing to do.
 *
 * @throws {Stop} `usage`. @throws {ForgeError} when the forge does not say how the pull request is; nothing is written then
 */
export async function managePreview(job: Job): Promise<number> {
  const { forge, options, report } = job;
  if (forge === undefined) throw usage('trueup-ci preview asks the forge that runs it, and none runs this');
  const known: PreviewJob = { ...job, forge };
  if (options.prune) return prunePreviews(known);
  const wanted = readWanted(known);
  if (typeof wanted === 'string') {
    report.say(`${wanted}: it gets no preview.`);
    return 0;
  }
  const task = options.remove ? 'remove' : await taskOf(forge, wanted);
  if (task === 'nothing') return isOutdated(known, wanted);
  return task === 'apply' ? applyPreview(known, wanted) : removePreview(known, wanted);
}

/** The pull request of a job; or why it gets no preview, as the start of a sentence. @throws {Stop} `usage` */
function readWanted(job: PreviewJob): Wanted | string {
  const { pull } = job.forge;
  const { options } = job;
  if (pull === undefined) {
    const number = Number(/^[1-9]\d{0,14}$/.exec(options.number ?? ''));
    const commit = readCommit(options.commit);
    if (number > 0 && commit !== undefined) return { number, commit };
    throw usage(
      'a preview that no pull request started needs its number and its whole commit',
      'Give --number 12 --commit COMMIT, of a commit that you have read.',
    );
  }
  if (pull.isFork) return 'This pull request comes from a fork';
  if (pull.head === undefined) return 'The forge does not name the last commit of this pull request';
  return whyNoKey(job) ?? { number: pull.number, commit: pull.head };
}

/** What is to be done for a pull request as it is now. @throws {ForgeError} */
async function taskOf(forge: Forge, { number, commit }: Wanted): Promise<'apply' | 'remove' | 'nothing'> {
  const { isOpen, head } = await readPull(forge, number);
  if (!isOpen) return 'remove';
  return head === commit ? 'apply' : 'nothing';
}

function isOutdated({ report }: PreviewJob, { number, commit }: Wanted): number {
  report.say(`Nothing was applied: pull request ${number} is closed, or has another commit than ${commit}.`);
  return 0;
}

/** The end of a command, and whether it had something to write. */
interface Written extends Ended {
  readonly wrote: boolean;
}

/** Runs a command on a preview, if the pull request is still as it was. undefined: it is not, and nothing was written. */
async function run(job: PreviewJob, command: 'apply' | 'destroy', wanted: Wanted): Promise<Written | undefined> {
  const { trueup, forge, options } = job;
  const task = command === 'apply' ? 'apply' : 'remove';
  let [isRefused, wrote] = [false, false];
  const mayWrite = async (): Promise<boolean> => {
    const isStill = options.remove || (await taskOf(forge, wanted)) === task;
    isRefused = !isStill;
    wrote = isStill;
    return isStill;
  };
  const inFlight = options.inFlightTimeout === undefined ? [] : [`--in-flight-timeout=${options.inFlightTimeout}`];
  const own = command === 'apply' ? [...inFlight, ...options.own] : inFlight;
  const words = [command, '--auto-approve', `--preview=${wanted.number}`, ...options.shared, ...own];
  const ended = await trueup(words, { isShown: true, mayWrite });
  return isRefused ? undefined : { ...ended, wrote };
}

async function applyPreview(job: PreviewJob, wanted: Wanted): Promise<number> {
  const ended = await run(job, 'apply', wanted);
  if (ended === undefined) return isOutdated(job, wanted);
  const isDone = ended.code === 0;
  const addresses = isDone ? await addressesOf(job, wanted) : '';
  const title = isDone ? 'preview' : `preview: apply ended with exit code ${ended.code}`;
  await reportOn(job, wanted, resultText(title, ended.all, `${addresses}Commit ${wanted.commit}.`));
  job.report.output('exit-code', String(ended.code));
  return ended.code;
}

async function removePreview(job: PreviewJob, wanted: Wanted): Promise<number> {
  const ended = await run(job, 'destroy', wanted);
  if (ended === undefined) {
    job.report.say(`Nothing was removed: pull request ${wanted.number} is open again.`);
    return 0;
  }
  const done = ended.wrote ? 'preview removed' : 'preview: there was nothing to remove';
  const title = ended.code === 0 ? done : `preview: destroy ended with exit code ${ended.code}`;
  await reportOn(job, wanted, resultText(title, ended.all, ''));
  job.report.output('exit-code', String(ended.code));
  return ended.code;
}

/** The outputs of the manifest as a list, with a link for each address. Empty: it has none, or they cannot be read. */
async function addressesOf({ trueup, options }: PreviewJob, { number }: Wanted): Promise<string> {
  const { out } = await trueup(['output', '--format=json', `--preview=${number}`, ...options.shared]);
  const outputs = readOutputs(out);
  const lines = Object.entries(outputs).flatMap(([name, { value, sensitive }]) => {
    if (sensitive) return [];
    return [`- ${code(name)}: ${isPlainAddress(value) ? `<${value}>` : code(value)}\n`];
  });
  return lines.length === 0 ? '' : `${lines.join('')}\n`;
}

function readOutputs(text: string) {
  try {
    return outputsDocument.safeParse(JSON.parse(text)).data?.outputs ?? {};
  } catch {
    return {};
  }
}

/** Shows what became of a preview on the page of the job and on its pull request. */
function reportOn(job: PreviewJob, { number }: Wanted, body: string): Promise<void> {
  job.report.summary(body);
  return commentOn(job, number, { command: 'preview', body });
}

/**
 * Removes the previews whose pull requests are closed, and those that are too old. It lists the previews before it asks the
 * forge: one whose pull request is opened in between is not among them.
 *
 * @throws {ForgeError}
 */
async function prunePreviews({ forge, trueup, options, report }: PreviewJob): Promise<number> {
  const listed = await trueup(['preview', 'list', '--format=json', ...options.shared]);
  if (listed.code !== 0) return listed.code;
  const present = previewsDocument.parse(JSON.parse(listed.out)).previews;
  const open = await listOpenPulls(forge);
  if (open.length === 0) {
    report.say('Nothing was removed: the forge lists no open pull request, and that may be a mistake.');
    return 0;
  }
  const isOpen = new Set(open.map(({ number }) => String(number)));
  // Only a number is that of a pull request.
  const ids = present.flatMap(({ id }) => (/^\d+$/.test(id) && !isOpen.has(id) ? [id] : []));
  const closed = ids.length === 0 ? [] : [`--closed=${ids.join(',')}`];
  const words = ['preview', 'prune', ...closed, '--auto-approve', ...options.shared, ...options.own];
  const { code: exitCode, all } = await trueup(words, { isShown: true });
  report.summary(resultText(exitCode === 0 ? 'previews pruned' : `prune ended with exit code ${exitCode}`, all, ''));
  report.output('exit-code', String(exitCode));
  return exitCode;
}
