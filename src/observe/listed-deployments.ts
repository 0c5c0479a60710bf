import { attempts } from '../api/attempts.ts';
import { type Row, isRow } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { Reader } from './reader.ts';

/** One deployment of a service, as the platform returns it. */
export interface Deployment {
  readonly id: string;
  /** `running`, `done`, `error` or `cancelled`. */
  readonly status: string;
  readonly title: string | undefined;
  readonly createdAt: string | undefined;
  readonly finishedAt: string | undefined;
  readonly errorMessage: string | undefined;
  /** The text that its request gave it; undefined when the platform does not return it. */
  readonly description: string | undefined;
  readonly logPath: string | undefined;
}

/** The deployments in the row of a service, the newest last; undefined when the platform keeps none of this kind. */
export function deploymentsIn(kind: Kind, row: Row): readonly Deployment[] | undefined {
  const at = kind.service?.deployments;
  return at === undefined ? undefined : deploymentsAt(row, at);
}

/** The deployments in a member of a row, the newest last; undefined when it is no list. */
export function deploymentsAt(row: Row, at: string): readonly Deployment[] | undefined {
  const listed = row[at];
  if (!Array.isArray(listed)) return undefined;
  const all = listed.flatMap((item: unknown): Deployment[] => {
    const id = isRow(item) ? text(item, 'deploymentId') : undefined;
    if (!isRow(item) || id === undefined) return [];
    return [
      {
        id,
        status: text(item, 'status') ?? 'unknown',
        title: text(item, 'title'),
        createdAt: text(item, 'createdAt'),
        finishedAt: text(item, 'finishedAt'),
        errorMessage: text(item, 'errorMessage'),
        description: item.description === undefined ? undefined : (text(item, 'description') ?? ''),
        logPath: text(item, 'logPath'),
      },
    ];
  });
  // The list has no order of its own: a row that was updated moves to its end.
  return all.toSorted((a, b) => ((a.createdAt ?? '') < (b.createdAt ?? '') ? -1 : a.createdAt === b.createdAt ? 0 : 1));
}

/** The last lines of the log of a failed deployment; none where the platform gives none. */
export async function ownLog(reader: Reader, kind: Kind, deploymentId: string): Promise<readonly string[]> {
  const { ownLogLines: tail } = attempts.deployment;
  return lastLines(await reader.deploymentLog(kind, { deploymentId, tail }, 'once'), tail);
}

/** The last lines of a log that say something, without colours and other commands to a terminal; each cut at 500 characters. */
export function lastLines(log: string, most: number): string[] {
  const lines = log.replaceAll(terminalCommands, '').split(/[\r\n]+/);
  const written = lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  return written.slice(-most).map((line) => (line.length > 500 ? `${line.slice(0, 499)}…` : line));
}

// oxlint-disable-next-line no-control-regex -- builds write them into their logs
const terminalCommands = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/** Whether a deployment is over. */
export function isOver({ status }: Deployment): boolean {
  return status === 'done' || status === 'error' || status === 'cancelled';
}

/** Whether a deployment fetched code: the platform then replaces its description with the commit. */
export function isFetchedIn({ description }: Deployment): boolean {
  return description?.startsWith('Commit: ') === true;
}

/** How a service runs, in the platform's word; undefined when the row does not say. */
export function statusIn(kind: Kind, row: Row): string | undefined {
  return kind.service === undefined ? undefined : text(row, kind.service.status);
}

function text(row: Row, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
