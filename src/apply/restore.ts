import { policies } from '../api/attempts.ts';
import type { Client } from '../api/client.ts';
import { PlatformError } from '../api/platform-error.ts';
import { Stop, diagnostic, stop } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { type Row, defined } from '../formats/json.ts';
import { attributeName, changedFields } from '../kind/attribute.ts';
import { type Step, isDeployment } from '../plan/action.ts';
import { isWrittenForDeployment, pathsWritten } from '../plan/failed-change.ts';
import { withWrite } from '../state/pending-operation.ts';
import type { KnownRecord } from '../state/record.ts';
import { dispatch, jobOf, recordNow, saveRecord, sentNow } from './apply-run.ts';
import { attempt, poll } from './attempt.ts';
import type { Result } from './deploy-outcome.ts';
import type { DeployedService } from './deploy-request.ts';
import { buildMembers } from './fill-members.ts';
import type { Job } from './job.ts';
import { rowIn, scopeNow } from './rows.ts';
import { invoke, requestInput } from './send-step.ts';

type StartDeployment = (service: DeployedService, row: Row) => Promise<Result>;

/** One object whose former values are written back, as the plan and this run saw it. */
interface Restored {
  readonly job: Job;
  readonly id: string;
  /** Before this run, and after its writes. */
  readonly former: Row;
  readonly written: Row;
  readonly steps: readonly Step[];
  /** The fields that are written back. */
  readonly fields: readonly string[];
}

/** A restore while it goes on. */
interface Restore extends DeployedService {
  readonly objects: readonly Restored[];
}

/** Makes what puts the former version of a service back; undefined where the plan has no requests for that. */
export function restoreAfter(service: DeployedService, start: StartDeployment): DeployedService['restore'] {
  const { run, job, root } = service;
  const restores = isDeployment(job.action) ? job.action.restores : undefined;
  const inputs = root.action.service?.known?.inputs;
  if (restores === undefined || inputs === undefined) return undefined;
  return async (failure) => {
    const objects = restores.flatMap(({ address, steps }): Restored[] => {
      const object = jobOf(run, address);
      const written = rowIn(object, root.scope.readBack);
      const fields = steps.flatMap(({ changed }) => changed);
      if (object.object === undefined || object.planned === undefined || written === undefined) return [];
      return [{ job: object, id: object.object.id, former: object.planned.row, written, steps, fields }];
    });
    if (objects.length < restores.length)
      return combined(failure, ' and the former one was not restored, because what this run wrote was not read back');
    return restore({ ...service, inputs, objects, restore: undefined, isRestore: true }, start, failure);
  };
}

/** Writes the former values back, deploys them and watches that; gives what to report of both deployments. */
async function restore(service: Restore, start: StartDeployment, failure: Stop): Promise<Stop> {
  const { address } = service;
  let row: Row | undefined;
  try {
    await announce(service);
    for (const object of service.objects) for (const step of object.steps) await writeBack(service, object, step);
    row = await readRestored(service);
    await saveRecords(service, (record) => ({ ...record, pending: undefined }));
    const result = await start(service, row);
    if (result !== 'done') throw stop('platform', 'unverified', 'its deployment goes on without being watched');
  } catch (error) {
    if (!(error instanceof Stop) && !(error instanceof PlatformError)) throw error;
    return combined(failure, `; the restore of the former one failed: ${error.message}; ${stateOf(service, row)}`, {
      remedy: `See what runs with trueup status ${address}. Undo the change, or fix it, and apply. trueup apply --retry-failed repeats it.`,
      error,
    });
  }
  const remedy = 'Fix the change in the manifest. trueup apply --retry-failed repeats it.';
  return combined(failure, '; the former one runs again', { remedy });
}

/** The failure of the new version, with what became of the former one. */
function combined(
  { failure, diagnostics: [first, ...rest] }: Stop,
  end: string,
  { remedy, error }: { readonly remedy?: string; readonly error?: Stop | PlatformError } = {},
): Stop {
  const message = `the new version failed: ${first?.message ?? ''}${end}`;
  const more = error instanceof Stop ? error.diagnostics.flatMap(({ details = [] }) => details) : [];
  const details = [...(first?.details ?? []), ...more];
  const about = { ...first, remedy: remedy ?? first?.remedy, details };
  // A state that fails lets nothing new start.
  const reason = error instanceof Stop ? error.failure : failure;
  return new Stop(reason, [diagnostic('deploy-failed', message, about), ...rest]);
}

/** Says which values the platform has, as far as the restore came. `row`: it has all of the former ones. */
function stateOf({ root, objects }: Restore, row: Row | undefined): string {
  if (row !== undefined) return 'the platform has the values of the former version, and what runs is not known';
  const paths = objects.flatMap(({ job }) => pathsWritten(root.action, job.action));
  return `the platform may have values of both versions in ${someOf(paths)}`;
}

/** Records that the objects are about to have the former values: what was settled before this run holds again. */
async function announce(service: Restore): Promise<void> {
  const { run } = service;
  const sent = sentNow(run);
  await saveRecords(service, (record) => withWrite(record, { id: record.id, ...sent }));
}

/** Saves the records of the objects, each with its former pairs; that of the service first. */
async function saveRecords(
  { run, root, objects }: Restore,
  change: (record: KnownRecord) => KnownRecord,
): Promise<void> {
  const inOrder = objects.toSorted((a, b) => Number(b.job === root) - Number(a.job === root));
  for (const { job, id } of inOrder) {
    const record = recordNow(run, job);
    if (record === undefined) continue;
    const names = job.action.attributes.filter(isWrittenForDeployment).map(({ attribute }) => attributeName(attribute));
    const pairs = { ...record.pairs };
    for (const name of names) {
      const pair = job.known?.pairs[name];
      if (pair === undefined) delete pairs[name];
      else pairs[name] = pair;
    }
    await saveRecord(run, job, change({ ...record, id, pairs }));
  }
}

/**
 * Writes the former values of one request back.
 *
 * @throws {Stop} when another user changed one of them meanwhile. @throws {PlatformError} when the outcome stays unknown.
 */
async function writeBack(service: Restore, object: Restored, step: Step): Promise<void> {
  const { run, job, root } = service;
  const { kind, address } = object.job.action;
  const isFormer = (row: Row) => changedFields(kind, step.changed, object.former, row).length === 0;
  const rowNow = async (client?: Client) =>
    rowIn(object.job, await scopeNow(run, root.scope, { ...defined({ client }), refetch: true }));
  const send = () =>
    run.input.client.withConnection(step.operation, async (own) => {
      const now = await rowNow(own);
      if (now === undefined) throw refusal(`${address} is not on the platform any more`);
      if (isFormer(now)) return;
      const [other] = changedFields(kind, step.changed, object.written, now);
      if (other !== undefined) throw refusal(`${address}: ${other} was changed on the platform meanwhile`);
      const members = buildMembers({ ...requestInput(run, object.job), step, now }) ?? {};
      await invoke(run, job, own, step.operation, members);
      dispatch(run, job, { is: 'answered' });
    });
  await attempt<void>(run, policies.update, {
    send,
    look: async () => {
      const row = await poll(run, () => rowNow(), { isSeen: (one) => one !== undefined && isFormer(one) });
      return row !== undefined && isFormer(row) ? { found: undefined } : undefined;
    },
  });
}

/** Reads a service until it has all former values. @throws {Stop} when it does not. */
async function readRestored({ run, root, objects, kind, id }: Restore): Promise<Row> {
  const isRestored = (row: Row | undefined) =>
    objects.every(({ job, former, fields }) => {
      const now = rowIn(job, row);
      return now !== undefined && changedFields(job.action.kind, fields, former, now).length === 0;
    });
  const row = await poll(run, () => run.reader.row(kind, id), { isSeen: isRestored });
  if (row === undefined || !isRestored(row)) throw refusal('the platform does not show the former values');
  root.scope.readBack = row;
  return row;
}

function refusal(message: string): Stop {
  return stop('platform', 'platform-answer', message);
}
