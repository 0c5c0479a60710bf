import { attempts } from '../api/attempts.ts';
import { PlatformError } from '../api/errors.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { deploymentsIn, statusIn } from '../observe/deployments.ts';
import type { Kind } from '../kind/kind.ts';
import type { Deployment } from '../observe/deployments.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { knowingInput } from '../secrets/call-secrets.ts';
import type { Deploys } from '../state/pending.ts';
import { saveDeploys } from './stale.ts';
import type { DeployedService } from './deployed-service.ts';

/** A deployment that is over and did not succeed: the next plan has it again. Tells what the platform knows of it. */
export async function failed(
  service: DeployedService,
  {
    row,
    deployment,
    owing,
    why,
  }: {
    readonly row: Row;
    readonly deployment: Deployment | undefined;
    readonly owing: Deploys;
    readonly why: string;
  },
): Promise<Stop> {
  const { run, address, kind, inputs } = service;
  const listed = deploymentsIn(kind, row);
  const { pending: _, ...rest } = owing;
  // A deployment that somebody makes later has everything.
  const saved = listed === undefined ? {} : { saved: { inputs, newest: listed.at(-1)?.id ?? null } };
  await saveDeploys(run, address, { ...rest, stale: { ...rest.stale, ...saved } });
  const logPath = deployment?.logPath === undefined ? [] : [`log on the server: ${deployment.logPath}`];
  const more = kind.service?.logs === undefined ? '' : ` trueup logs ${address} shows more.`;
  return failure(service, why, {
    row,
    ...(deployment === undefined ? {} : { status: deployment.status }),
    details: [...logPath, ...(await readLog(service))],
    remedy: `Mend it, and apply again.${more}`,
  });
}

/** The end of the log of a service, where the platform tells it. */
async function readLog({ run, kind, id }: DeployedService): Promise<string[]> {
  try {
    const answer = await run.reader.log(kind, id, { tail: attempts.deployment.logLines });
    const lines = typeof answer === 'string' ? answer.split(/\r?\n/) : [];
    return lines.filter((line) => line !== '').slice(-attempts.deployment.logLines);
  } catch (error) {
    if (error instanceof PlatformError) return []; // why it failed matters more
    throw error;
  }
}

/** What ends a deployment, with how the service is; nothing of it is secret. */
export function failure(
  { run, action, address, kind }: DeployedService,
  why: string,
  about: { row?: Row; status?: string; remedy?: string; details?: readonly string[] } = {},
): Stop {
  const { row, remedy, details = [] } = about;
  const status = about.status ?? (row === undefined ? undefined : statusIn(kind, row));
  const hide = hiding(kind, row ?? {}, run.input.redact);
  const told = {
    address: action.address,
    position: action.position,
    details: [...(status === undefined ? [] : [`status: ${status}`]), ...details.map((line) => hide(line))],
    remedy: remedy ?? 'What was written before stays. Apply again: the deployment is planned until it succeeds.',
  };
  return new Stop('platform', [diagnostic('deploy-failed', `${address} was not deployed: ${hide(why)}`, told)]);
}

/**
 * Hides in a text of the platform what the run knows to be secret and what the service has that is, or may be. Of a
 * text such as a compose file that is what is called so: its other lines are what a failure is about.
 */
function hiding(kind: Kind, row: Row, redact: (text: string) => string): (text: string) => string {
  const own = createRedactor();
  const texts = new Set(
    Object.entries(kind.fields).flatMap(([name, field]) =>
      field.secrecy === 'private' && field.map === undefined ? [name] : [],
    ),
  );
  const knowing = knowingInput(own, Object.fromEntries(Object.entries(row).filter(([name]) => !texts.has(name))));
  for (const name of texts) for (const secret of secretsIn(row[name])) own.add(secret);
  return (text) => redact(knowing.redact(text));
}

/** The values in a text whose names say that they are secret, and the passwords in its addresses. */
function secretsIn(text: unknown): string[] {
  if (typeof text !== 'string') return [];
  const named = /[\w.-]*(?:pass|pwd|secret|token|key|credential|auth)[\w.-]*["']?\s*[:=]\s*["']?([^\s"'#,}\]]+)/gi;
  const inAddress = /:\/\/[^\s:@/]*:([^\s@/]+)@/g;
  return [...text.matchAll(named), ...text.matchAll(inAddress)].flatMap((match) => match[1] ?? []);
}
