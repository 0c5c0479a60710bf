import { attempts, policies } from '../api/attempts.ts';
import { PlatformError } from '../api/errors.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { blockAddress } from '../kind/address.ts';
import type { Row } from '../kind/json.ts';
import { isRow } from '../kind/json.ts';
import { takes } from '../kind/wire.ts';
import { deploymentsIn, statusIn } from '../observe/deployments.ts';
import type { Action } from '../plan/action.ts';
import type { Deploys } from '../state/pending.ts';
import type { PendingDeploy } from '../state/record.ts';
import { failed, failure, resetStatus, send, isLate, reportPhase } from './deploy-request.ts';
import type { Lost, DeployedService } from './deploy-request.ts';
import type { Ending, Watch } from './follow.ts';
import { follow } from './follow.ts';
import { sentNow, hasWritten, idOf, jobOf, scopeOf, report, reportAgain } from './run.ts';
import type { Run } from './run.ts';
import { saveDeploys } from './announce.ts';

/** The result of a deployment without a failure; `unverified`: the run did not read its end. */
type Result = 'done' | 'unverified';

/**
 * Deploys a service: starts the deployment once, and waits for it. The record is durable before the request, so that the
 * next run knows of it. Throws a Stop when it did not succeed.
 */
export async function deploy(run: Run, action: Action): Promise<Result> {
  const address = blockAddress(action.address);
  const root = scopeOf(run, address).root;
  const id = idOf(run, address);
  const inputs = root.service?.inputs(run.outputs);
  if (id === undefined || inputs === undefined) throw new Error(`${address} is deployed before it is known`);
  const service: DeployedService = { run, action, kind: root.kind, address, id, inputs };
  const known = jobOf(run, address).deploys ?? {};
  if (isNothingNew(run, root)) return succeeded(service);
  const before = scopeOf(run, address).readBack ?? (await run.reader.row(service.kind, id));
  if (before === undefined) throw failure(service, 'it is not on the platform any more', { remedy: 'Plan again.' });
  const earlier = known.pending === undefined ? undefined : await followEarlier(service, known.pending, before);
  if (earlier?.is === 'interrupted') return unwatched(service);
  if (earlier?.is === 'over' && earlier.status === 'done' && known.pending?.inputs === inputs)
    return succeeded(service);
  if (earlier?.is === 'not begun' && known.pending?.isAnswered === true) {
    const message = `the deployment of ${address} that an earlier run started did not begin, and no other runs; started it again`;
    report(run, action, diagnostic('repeated', message, { address: action.address }));
  }
  return start(service, known, before);
}

/** Whether nothing was owed before, and what was known only after apply came to what was there already. */
function isNothingNew(run: Run, { service }: Action): boolean {
  const { known, staleness } = service ?? {};
  if (known?.inputs === undefined || known.stale !== undefined || staleness?.isPending !== true) return false;
  return staleness.through.every((address) => !hasWritten(run, address));
}

/**
 * Waits for a deployment that an earlier run started, until its in-flight timeout; longer while the platform deploys
 * something else, because it may wait behind that. A restart of the platform empties its queue.
 */
async function followEarlier(service: DeployedService, sent: PendingDeploy, row: Row): Promise<Ending> {
  const { run, kind } = service;
  const { clock, input } = run;
  const age = Math.max(0, clock.wall() - sent.at);
  const about = { before: rowBefore(service, sent, row), mark: sent.mark, knownId: sent.id };
  const until = clock.monotonic() + input.deploying.limitMs(kind.kind);
  let ending = await watch(service, {
    ...about,
    since: clock.monotonic(),
    graceMs: Math.max(0, sent.timeoutMs - age),
  });
  let isBusy = sent.isAnswered === true;
  while (ending.is === 'not begun' && isBusy && clock.monotonic() < until) {
    isBusy = await isDeploying(service);
    // Between two deployments the platform shows none that runs.
    ending = await watch(service, { ...about, since: clock.monotonic(), graceMs: attempts.effect.lagMs });
  }
  return ending;
}

/** Whether the platform shows a deployment that runs beside a service, in the same environment. */
async function isDeploying({ run, action }: DeployedService): Promise<boolean> {
  const root = run.jobs.get(blockAddress(action.address))?.action;
  const above = run.jobs.get(root?.parent ?? '');
  const id = above?.object?.id;
  const row = above === undefined || id === undefined ? undefined : await run.reader.row(above.action.kind, id);
  if (row === undefined || above === undefined) return false;
  return run.input.kinds.some((other) => {
    const link = other.parents[above.action.kind.kind];
    if (other.service?.deployments === undefined || link === undefined || !('at' in link.listed)) return false;
    const listed = row[link.listed.at];
    return Array.isArray(listed) && listed.some((item: unknown) => isRow(item) && statusIn(other, item) === 'running');
  });
}

/** The row of a service before a deployment: with the deployments that were listed then, and no status. */
function rowBefore({ kind }: DeployedService, { newest }: PendingDeploy, row: Row): Row {
  const { deployments } = kind.service ?? {};
  if (deployments === undefined) return {};
  const ids = (deploymentsIn(kind, row) ?? []).map(({ id }) => id);
  const known = new Set(ids.slice(0, ids.indexOf(newest ?? '') + 1));
  const listed = Array.isArray(row[deployments]) ? (row[deployments] as unknown[]) : [];
  return { [deployments]: listed.filter((item) => isRow(item) && known.has(String(item.deploymentId))) };
}

/** Starts the deployment, and again only when a request got lost. */
async function start(service: DeployedService, known: Deploys, before: Row): Promise<Result> {
  const { run, action, address, inputs } = service;
  const { clock, input } = run;
  const { deploying } = input;
  const step = action.steps.find(({ role }) => role === 'deploy');
  if (step === undefined) throw new Error(`${action.address} has no request`);
  const mark = `trueup-${input.digest(`${address} ${clock.wall()} ${clock.monotonic()}`).slice(-12)}`;
  const recordBefore: Deploys = { ...known, stale: { ...known.stale } };
  const calm = await waitForOthers(service, before);
  if (calm === undefined) return unwatched(service);
  const newest = deploymentsIn(service.kind, calm)?.at(-1)?.id ?? null;
  // First the status: the next run takes the status it finds for the result of this deployment.
  const reset = await resetStatus(service, calm, recordBefore);
  const marked = takes(step.operation, 'description') ? { mark } : {};
  const startUntilKnown = async (starts: number): Promise<Started> => {
    let since = clock.monotonic();
    let sent: PendingDeploy = { is: 'deploy', ...sentNow(run), mark, inputs, newest };
    const note = async (): Promise<void> => {
      since = clock.monotonic();
      sent = { ...sent, at: clock.wall() };
      await saveDeploys(run, address, { ...recordBefore, pending: sent });
    };
    const isAgain = starts > 1;
    // That the platform did not execute a later request says nothing of the first.
    const lost = await send(service, {
      step,
      mark,
      note,
      recordBefore: isAgain ? { ...recordBefore, pending: sent } : recordBefore,
      isAgain,
    });
    if (lost === undefined && !isLate(service)) {
      await saveDeploys(run, address, { ...recordBefore, pending: { ...sent, isAnswered: true } });
    }
    if (lost === undefined && !deploying.waits && !isLate(service)) return { lost, ending: { is: 'left' } };
    const patience = patienceFor(service, lost);
    // What answers late was waited for while it was asked.
    const from = lost === undefined && isLate(service) ? clock.monotonic() : since;
    const ending = await watch(service, {
      ...marked,
      before: reset,
      since: from,
      ...(patience === undefined ? {} : { graceMs: patience }),
    });
    if (starts === policies.deploy.most || ending.is !== 'not begun' || lost?.mayLandLater !== true)
      return { lost, ending };
    reportAgain(run, action, { what: `the deployment of ${address}`, again: 'started' });
    return startUntilKnown(starts + 1);
  };
  return conclude(service, { ...(await startUntilKnown(1)), recordBefore });
}

/** How long to poll for a deployment that may not exist, in milliseconds; undefined: as long as for any deployment. */
function patienceFor(service: DeployedService, lost: Lost | undefined): number | undefined {
  if (lost !== undefined) return lost.mayLandLater ? service.run.input.inFlightTimeoutMs : attempts.effect.lagMs;
  return isLate(service) ? attempts.effect.lagMs : undefined;
}

/** Waits for another deployment of a service that shows its deployments only in its status: both ends look the same. */
async function waitForOthers(service: DeployedService, row: Row): Promise<Row | undefined> {
  const { run, kind, id } = service;
  if (!isLate(service) || statusIn(kind, row) !== 'running') return row;
  const ending = await watch(service, { before: row, since: run.clock.monotonic() });
  if (ending.is === 'interrupted') return undefined;
  if (ending.is === 'over') return ending.row;
  const after = ending.is === 'gone' ? undefined : await run.reader.row(kind, id);
  if (after !== undefined && statusIn(kind, after) !== 'running') return after;
  const why = ending.is === 'gone' ? 'it is not on the platform any more' : 'another deployment of it does not end';
  const remedy = `End that one on the platform, such as with trueup run stop ${service.address}, and apply again.`;
  throw failure(service, why, after === undefined ? {} : { row: after, remedy });
}

/** The end of a started deployment. `left`: the platform accepted it, and the run does not wait for it. */
interface Started {
  readonly lost: Lost | undefined;
  readonly ending: Ending | { readonly is: 'left' };
}

async function watch(
  service: DeployedService,
  about: Pick<Watch, 'before' | 'since' | 'knownId'> & { readonly mark?: string; readonly graceMs?: number },
): Promise<Ending> {
  const { run, kind, id } = service;
  const { clock, input } = run;
  const { deploying } = input;
  try {
    return await follow({
      reader: run.reader,
      kind,
      id,
      clock,
      signal: input.signal,
      limitMs: deploying.limitMs(kind.kind),
      // What answers late does not go through the queue.
      ...(isLate(service) ? { isAtOnce: true, queue: { running: 0, movedAt: 0 } } : { queue: run.queue }),
      onBegin: (deploymentId) => begun(service, deploymentId),
      ...about,
    });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.failure === 'authentication') throw error;
    throw failure(service, `its outcome is unknown: ${error.message}`, { remedy: `${error.remedy} ${next}` });
  }
}

/** Tells that a deployment runs, and keeps its id: at its end it may not bear its mark any more. */
async function begun(service: DeployedService, id: string | undefined): Promise<void> {
  const { run, address } = service;
  reportPhase(service, 'deployment');
  const known = jobOf(run, address).deploys;
  if (id === undefined || known?.pending === undefined || known.pending.id === id) return;
  await saveDeploys(run, address, { ...known, pending: { ...known.pending, id } });
}

async function succeeded({ run, address, inputs }: DeployedService): Promise<'done'> {
  await saveDeploys(run, address, { inputs });
  return 'done';
}

function left({ run, action, address }: DeployedService): Result {
  const message = `started the deployment of ${address}; not waiting for it (--no-wait)`;
  report(run, action, diagnostic('ordered', message, { remedy: 'trueup status shows it.', address: action.address }));
  return 'done';
}

/** How to end a deployment, where the platform documents a way. */
function ends({ kind, address }: DeployedService): string {
  return kind.commands?.['kill-build'] === undefined ? '' : `, or end it with trueup run kill-build ${address}`;
}

const next = 'The next plan looks at what became of it, and deploys it again if it has to.';

function unwatched({ run, action, address }: DeployedService): Result {
  const message = `the deployment of ${address} goes on on the platform without being watched`;
  report(run, action, diagnostic('unverified', message, { remedy: next, address: action.address }));
  return 'unverified';
}

async function conclude(
  service: DeployedService,
  { ending, lost, recordBefore }: Started & { readonly recordBefore: Deploys },
): Promise<Result> {
  const { run, kind } = service;
  const limit = `${run.input.deploying.limitMs(kind.kind) / 1_000} s`;
  switch (ending.is) {
    case 'left':
      return left(service);
    case 'interrupted':
      return unwatched(service);
    case 'gone':
      throw failure(service, 'it was deleted on the platform while it was deployed', { remedy: 'Plan again.' });
    case 'over': {
      const { deployment, status, row } = ending;
      if (status === 'done') return succeeded(service);
      const why = deployment?.errorMessage ?? lost?.message ?? `it ended as ${status}`;
      throw await failed(service, { row, deployment, recordBefore, why });
    }
    case 'not over':
      throw failure(service, `it was not over within ${limit}`, {
        row: ending.row,
        remedy: `Give it more time with --deploy-timeout${ends(service)}. ${next}`,
      });
    case 'not begun': {
      const { row } = ending;
      // It may wait in the queue all the same, so it stays written down as sent.
      if (lost !== undefined && !lost.mayLandLater) throw failure(service, lost.message, { row, remedy: next });
      const why = isLate(service)
        ? 'nothing of it shows in its status'
        : `the platform did not begin with it within ${limit}, while nothing else of this run was deployed`;
      const remedy = `Its queue may be stuck, or a restart of the platform may have emptied it. ${next}`;
      throw failure(service, why, { row, remedy });
    }
    default:
      return ending satisfies never;
  }
}
