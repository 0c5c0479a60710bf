import { attempts } from '../api/attempts.ts';
import type { PlatformError } from '../api/platform-error.ts';
import { type Stop, diagnostic } from '../diagnostics/diagnostic.ts';
import { type Row, defined } from '../formats/json.ts';
import type { Unit } from '../observe/containers.ts';
import { lastLines, ownLog } from '../observe/listed-deployments.ts';
import { deployedFrom } from '../plan/deployment-record.ts';
import type { Deploys } from '../state/record.ts';
import { savedIn, saveDeploys } from './announce.ts';
import { dispatch } from './apply-run.ts';
import { type DeployedService, deploysNow, failure, reasonOf } from './deploy-request.ts';
import type { Ending } from './follow.ts';
import { report } from './job.ts';
import { reportFailure } from './report-failure.ts';
import { type Unanswered, askAddresses } from './probe.ts';
import { type Fault, type UnitsBefore, comeUp, logOf } from './watch-health.ts';

/**
 * The result of a deployment that did not fail; `unverified`: the run was interrupted before its end; `watched`: it holds,
 * and the rest of its watch settles the job.
 */
export type Result = 'done' | 'unverified' | 'watched';

/** The end of the remedy of a deployment that may go on. */
export const next = 'The next plan looks at what became of it, and deploys it again if it has to.';

/**
 * Waits until a service holds that the platform deployed, and records that. Until then its deployment stays pending, so that
 * a later run looks at it.
 *
 * @throws {Stop} when it does not stay up.
 */
export async function succeeded(service: DeployedService, row: Row, before: UnitsBefore): Promise<Result> {
  const { run, job } = service;
  const former = deploysNow(service);
  const health = await comeUp(service, row, before);
  if (health.is === 'interrupted') return unwatched(service, health.known);
  if (health.is === 'down') throw await fallen(service, row, { former, ...health });
  const early = new AbortController();
  const resting = health.rest?.(early.signal);
  resting?.catch(() => undefined); // it is awaited once the addresses were asked
  const rest = async (): Promise<void> => {
    const fault = await resting;
    if (fault !== undefined) throw await fallen(service, row, { former, ...fault });
  };
  // The probes of the manifest are those of the new version.
  const unanswered = service.isRestore === true ? [] : await askAddresses(service);
  if (unanswered.length > 0) {
    if (run.input.signal?.aborted === true) return unwatched(service, unanswered.map(({ why }) => why).join('; '));
    early.abort();
    await rest();
    throw await silent(service, row, { former, unanswered, units: health.units ?? [] });
  }
  if (service.isRestore === true) await rest();
  const done = await recordSuccess(service);
  if (resting === undefined || service.isRestore === true) return done;
  const end = rest().then(() => dispatch(run, job, { is: 'settled', result: done }));
  run.health.watches.push(
    end.catch((error: unknown) => {
      reportFailure(run, job, error);
      dispatch(run, job, { is: 'failed' });
    }),
  );
  return 'watched';
}

export async function recordSuccess({ run, root, inputs }: DeployedService): Promise<'done'> {
  await saveDeploys(run, root, deployedFrom(root.deploys ?? {}, inputs));
  return 'done';
}

/** Records that a deployed service does not stay up, and gives the failure. */
async function fallen(
  service: DeployedService,
  row: Row,
  { former, why, lines }: Fault & { readonly former: Deploys },
): Promise<Stop> {
  await saveFailed(service, row, former);
  const remedy = `Fix it, and apply again: the next plan deploys it again.${moreLog(service)}`;
  const failed = failure(service, why, { how: 'was deployed and does not stay up', details: lines, remedy });
  return afterwards(service, failed);
}

function moreLog({ address, kind }: DeployedService): string {
  return kind.service?.logs === undefined ? '' : ` trueup logs ${address} shows more.`;
}

/** Records that addresses of a deployed service do not answer as their probes say, and gives the failure. */
async function silent(
  service: DeployedService,
  row: Row,
  {
    former,
    unanswered: [first, ...others],
    units,
  }: { readonly former: Deploys; readonly unanswered: readonly Unanswered[]; readonly units: readonly Unit[] },
): Promise<Stop> {
  await saveFailed(service, row, former);
  const part = first?.service;
  const unit = units.find(({ name }) => part !== undefined && name.includes(part)) ?? units[0];
  const details = [...others.map(({ why }) => why), ...(await logOf(service, unit))];
  const remedy = `${first?.remedy ?? 'Fix it.'} Apply again: the next plan deploys it again.${moreLog(service)}`;
  const how = 'was deployed and does not answer as its probe says';
  return afterwards(service, failure(service, first?.why ?? '', { how, details, remedy }));
}

/** Records that a deployment failed; one that a person makes later has everything. From here on a restore is not finished. */
async function saveFailed(service: DeployedService, row: Row, former: Deploys): Promise<void> {
  const { run, root, kind, inputs, restore } = service;
  const { pending: _, failed: other, ...rest } = former;
  const stale = { ...rest.stale, ...savedIn(kind, row, inputs) };
  // One that fails once more and that nothing takes back is a failed deployment as any other.
  const kept = other?.inputs === inputs ? undefined : other;
  const failed = restore ? { inputs, at: run.clock.wall(), isRestoring: true as const } : kept;
  await saveDeploys(run, root, { ...rest, stale, ...defined({ failed }) });
}

/** What is to be reported of a deployment that failed, once the former version is back where the block says so. */
async function afterwards({ restore }: DeployedService, failure: Stop): Promise<Stop> {
  return restore === undefined ? failure : restore(failure);
}

/** Records that a deployment failed, and gives the reason with the logs. */
export async function failed(
  service: DeployedService,
  { row, deployment, status }: Extract<Ending, { is: 'over' }>,
  lost: PlatformError | undefined,
): Promise<Stop> {
  const { run, address, kind, id } = service;
  const { redact } = run.input.client;
  await saveFailed(service, row, deploysNow(service));
  const reason = deployment?.errorMessage ?? (lost && reasonOf(lost));
  // Its own log, else that of the container.
  const { logLines: tail } = attempts.deployment;
  const lines =
    deployment === undefined
      ? lastLines(await run.reader.log(kind, id, { tail }, 'once'), tail)
      : await ownLog(run.reader, kind, deployment.id);
  const path = deployment?.logPath === undefined ? [] : [`log on the server: ${redact(deployment.logPath)}`];
  const found =
    reason !== undefined
      ? redact(reason)
      : deployment !== undefined && lines.length > 0
        ? ''
        : await run.reader.reason(kind, id);
  const why = found === '' ? `it ended as ${redact(status)}` : found;
  const { logs, deploymentLog } = kind.service ?? {};
  const more =
    deploymentLog !== undefined
      ? ` trueup logs ${address} --deployment shows more.`
      : logs === undefined
        ? ' Its log is on the platform, on the page of the service under Deployments.'
        : ` trueup logs ${address} shows more.`;
  const about = { row, status: deployment?.status, details: [...path, ...lines] };
  return afterwards(service, failure(service, why, { ...about, remedy: `Fix it, and apply again.${more}` }));
}

export function left({ job, address }: DeployedService): Result {
  const message = `started the deployment of ${address}; not waiting for it (--no-wait)`;
  report(job, diagnostic('ordered', message, { remedy: 'trueup status shows it.', address: job.action.address }));
  return 'done';
}

/** Reports that the run ended first. `known`: what the platform showed after the deployment; undefined: it is not over. */
export function unwatched({ job, address }: DeployedService, known?: string): Result {
  const message =
    known === undefined
      ? `the deployment of ${address} goes on on the platform without being watched`
      : `${address} was deployed, and the run was interrupted before it was known to stay up: ${known}`;
  report(job, diagnostic('unverified', message, { remedy: next, address: job.action.address }));
  return 'unverified';
}
