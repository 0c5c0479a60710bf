import type { Checkouts } from './checkouts.ts';
import { examineFile } from './examine-files.ts';
import { type Finding, asFinding, finding } from './finding.ts';
import type { SourceRecord } from './records/all.ts';

/** Examines a source: its files, whether git can read it now, and whether workers poll it. */
export async function examineSource(
  source: SourceRecord,
  checkouts: Checkouts,
  { now, isStopped }: { readonly now: number; readonly isStopped: boolean },
): Promise<readonly Finding[]> {
  const { id, hookSecretFile, forgeTokenFile, credentialsFile } = source;
  const named = [
    [`the webhook secret of ${id}`, hookSecretFile],
    [`the token for the forge of ${id}`, forgeTokenFile],
    [`the git credentials of ${id}`, credentialsFile],
  ] as const;
  const files = await Promise.all(named.flatMap(([what, file]) => (file === null ? [] : [examineFile(what, file)])));
  return [
    ...files.flat(),
    ...(await fetchOf(source, checkouts)),
    ...pollOf(source, now, isStopped),
    ...stacklessOf(source),
  ];
}

/** Examines what a worker needs of a source that others poll: git, with its credentials. */
export async function examineFetch(source: SourceRecord, checkouts: Checkouts): Promise<readonly Finding[]> {
  const { id, credentialsFile } = source;
  const files = credentialsFile === null ? [] : await examineFile(`the git credentials of ${id}`, credentialsFile);
  return [...files, ...(await fetchOf(source, checkouts))];
}

/** Fetches a source as a worker does. */
export async function fetchOf(
  source: Parameters<Checkouts['fetch']>[0],
  checkouts: Checkouts,
): Promise<readonly Finding[]> {
  try {
    const commit = await checkouts.fetch(source);
    const { length } = await checkouts.rootFiles(source, commit);
    const files = length === 1 ? 'one root file' : `${length} root files`;
    return [finding('source', 'good', `${source.id}: git reads ${commit.slice(0, 12)}, with ${files}`)];
  } catch (error) {
    return asFinding('source', error, (message) => `${source.id}: ${message}`);
  }
}

/** Says that root files make no stack. */
function stacklessOf({ id, filesProblem }: SourceRecord): readonly Finding[] {
  if (filesProblem === null) return [];
  const [problem, remedy] = filesProblem.split('\n-> ');
  return [finding('source', 'warning', `${id}: ${problem}`, remedy)];
}

/** Says that polls stopped: nothing else would. */
function pollOf({ id, polledAt, pollSeconds }: SourceRecord, now: number, isStopped: boolean): readonly Finding[] {
  const remedy = 'Start trueup controller work, or read the log of the workers.';
  if (polledAt === null) return [finding('poll', 'warning', `${id}: no worker has read it yet`, remedy)];
  if (!isStopped) return [];
  const minutes = Math.round((now - polledAt.getTime()) / 60_000);
  const message = `${id}: workers read it last ${minutes} min ago, and should every ${pollSeconds} s`;
  return [finding('poll', 'bad', message, remedy)];
}
