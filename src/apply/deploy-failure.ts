import { PlatformError } from '../api/errors.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { idMember } from '../kind/wire.ts';
import { deploymentsIn, statusIn } from '../observe/deployments.ts';
import { knowingInput } from '../secrets/call-secrets.ts';
import type { Deployed } from '../state/state.ts';
import { saveDeployed } from './debts.ts';
import type { DeployedService } from './deployed-service.ts';

/** The lines of a log that are told of a failure. */
const logLines = 10;

/** A deployment that is over and did not succeed: the next plan has it again. Tells what the platform knows of it. */
export async function failed(
  service: DeployedService,
  { row, owing, why }: { readonly row: Row | undefined; readonly owing: Deployed; readonly why: string },
): Promise<Stop> {
  const { run, address, kind, inputs } = service;
  const listed = row === undefined ? undefined : deploymentsIn(kind, row);
  const newest = listed?.at(-1);
  const { sent: _, ...rest } = owing;
  // A deployment that somebody makes later has everything.
  const saved = listed === undefined ? {} : { saved: { inputs, newest: newest?.id ?? null } };
  await saveDeployed(run, address, { ...rest, ...saved });
  const logPath = newest?.logPath === undefined ? [] : [`log on the server: ${newest.logPath}`];
  const more = kind.logs === undefined ? '' : ` trueup logs ${address} shows more.`;
  return failure(service, why, {
    ...(row === undefined ? {} : { row }),
    details: [...logPath, ...(await readLog(service, row))],
    remedy: `Mend it, and apply again.${more}`,
  });
}

/** The end of the log of a service, where the platform tells it. */
async function readLog({ run, kind, id }: DeployedService, row: Row | undefined): Promise<string[]> {
  if (kind.logs === undefined || row === undefined) return [];
  try {
    const answer = await run.input.client.invoke(kind.logs, { [idMember(kind, kind.logs)]: id, tail: logLines });
    const lines = typeof answer === 'string' ? answer.split(/\r?\n/) : [];
    return lines.filter((line) => line !== '').slice(-logLines);
  } catch (error) {
    if (error instanceof PlatformError) return []; // why it failed matters more
    throw error;
  }
}

/** What ends a deployment, with how the service is; nothing of it is secret. */
export function failure(
  { run, action, address, kind }: DeployedService,
  why: string,
  { row, remedy, details = [] }: { row?: Row; remedy?: string; details?: readonly string[] } = {},
): Stop {
  const { conceal, redact } = run.input;
  const knowing = knowingInput({ add: conceal, redact }, row ?? {});
  const status = row === undefined ? undefined : statusIn(kind, row);
  const message = `${address} was not deployed: ${knowing.redact(why)}`;
  const about = {
    address: action.address,
    position: action.position,
    details: [...(status === undefined ? [] : [`status: ${status}`]), ...details.map((line) => knowing.redact(line))],
    remedy: remedy ?? 'What was written before stays. Apply again: the deployment is planned until it succeeds.',
  };
  return new Stop('platform', [diagnostic('deploy-failed', message, about)]);
}
