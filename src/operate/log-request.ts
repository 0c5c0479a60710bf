import { type Row, defined } from '../formats/json.ts';
import type { Client } from '../api/client.ts';
import { Stop, stop } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { idMember } from '../kind/row-values.ts';
import { deploymentsIn } from '../observe/listed-deployments.ts';
import { projectLists } from '../observe/ownership.ts';
import { createReader } from '../observe/reader.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { addSecretsOfRow } from '../state/row-secrets.ts';
import type { Addressed } from './addressed.ts';
import { checkInput } from './called-operation.ts';

/** The part of a log to read, in the words of the platform. */
interface LogFilter {
  /** Number of lines from the end. */
  readonly tail?: string | undefined;
  /** `10m`, `2h`. */
  readonly since?: string | undefined;
  readonly search?: string | undefined;
  /** The log of a deployment: of the last one, or of the one with this id. Not with `since` and `search`. */
  readonly deployment?: string | true | undefined;
}

/** One request for the log of a service; it is checked and not sent. */
interface LogRequest {
  readonly object: Addressed;
  /** Without the id of a deployment that only the row of the service names. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly deployment?: string | true | undefined;
}

/**
 * Makes the request for the log of a service.
 *
 * @throws {Stop} `refused`, when the platform has no such log of this kind; `usage`, when the filter is not valid.
 */
export function logRequest(object: Addressed, filter: LogFilter, kinds: readonly Kind[]): LogRequest {
  const { kind, id } = object;
  const { tail, since, search, deployment } = filter;
  const word = deployment === undefined ? 'logs' : 'deploymentLog';
  const operation = kind.service?.[word];
  if (operation === undefined) throw noLog(object, word, kinds);
  if (deployment !== undefined && (since !== undefined || search !== undefined)) {
    const message = 'the log of a deployment takes no --since and no --search';
    throw stop('usage', 'usage', message, { remedy: 'Leave them out; --tail limits it.' });
  }
  const input = {
    ...(deployment === undefined ? { [idMember(kind, operation)]: id } : {}),
    ...(tail === undefined ? {} : { tail: /^\d+$/.test(tail) ? Number(tail) : tail }),
    ...defined({ since, search }),
  };
  const whole = deployment === undefined ? input : { ...input, deploymentId: String(deployment) };
  const wrong = checkInput(operation, whole, 'trueup logs --help shows what its options take.');
  if (wrong.length > 0) throw new Stop('usage', wrong);
  return { object, input, deployment };
}

/** The refusal where a kind has no such log; it names what has. */
function noLog({ kind, address }: Addressed, word: 'logs' | 'deploymentLog', kinds: readonly Kind[]): Stop {
  const others = kinds.filter(({ service }) => service?.[word] !== undefined).map((other) => other.kind);
  const isOther = word === 'logs' && kind.service?.deploymentLog !== undefined;
  const what = word === 'logs' ? 'log' : 'log of deployments';
  const remedy = [
    ...(isOther ? ['--deployment prints the log of its last deployment.'] : []),
    ...(others.length === 0 ? [] : [`It has that of: ${others.join(', ')}.`]),
    'trueup status shows how a service is.',
  ].join(' ');
  return stop('refused', 'cannot-change', `the platform serves no ${what} for the kind ${kind.kind}`, {
    address,
    remedy,
  });
}

/** What a log is read with. */
interface LogReading {
  readonly addSecret: Redactor['add'];
  readonly showsSecrets: boolean;
  readonly kinds: readonly Kind[];
  /** The project that the service has to be in; undefined where neither a manifest nor a state names one. */
  readonly project: string | undefined;
}

/**
 * Reads a log, once the platform shows the service inside the project. Without `showsSecrets` it reads the service first,
 * so that the log does not show the secrets in its row.
 *
 * @throws {Stop} `refused`, when the service is in another project.
 * @throws {PlatformError} when the platform does not answer, or refuses.
 */
export async function readLog(
  client: Client,
  { object, input, deployment }: LogRequest,
  { addSecret, showsSecrets, kinds, project }: LogReading,
): Promise<string> {
  const { kind, id } = object;
  const reader = createReader(client);
  const row = showsSecrets && deployment === undefined ? undefined : await reader.row(kind, id);
  if (project !== undefined) {
    const foreign = await projectLists({ kinds, reader, projectId: project }).foreignAmong([{ ...object, row }]);
    if (foreign.length > 0) throw new Stop('refused', foreign);
  }
  if (!showsSecrets) addSecretsOfRow(addSecret, row, object);
  // A person waits for the answer: a service that does not run is not asked a second time.
  return deployment === undefined
    ? reader.log(kind, id, input)
    : reader.deploymentLog(kind, { ...input, ...deploymentOf(object, row ?? {}, deployment) });
}

/**
 * The deployment of a service that is meant. The row of the service has to list it: the platform itself shows the log of
 * any deployment to any owner.
 */
function deploymentOf({ kind, address }: Addressed, row: Row, deployment: string | true): { deploymentId: string } {
  const all = deploymentsIn(kind, row) ?? [];
  const meant = deployment === true ? all.at(-1) : all.find(({ id }) => id === deployment);
  if (meant !== undefined) return { deploymentId: meant.id };
  const message = deployment === true ? `${address} has no deployment` : `${address} has no deployment ${deployment}`;
  const ids = all.map(({ id }) => id).join(', ');
  const remedy = ids === '' ? `trueup run deploy ${address} makes one.` : `It has these, the newest last: ${ids}.`;
  throw stop('refused', 'cannot-change', message, { address, remedy });
}
