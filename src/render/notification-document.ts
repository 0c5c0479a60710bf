import { defined } from '../formats/json.ts';
import { wholeUpTo } from './columns.ts';
import type { DriftDocument, DriftNotificationDocument } from './document-schemas.ts';
import { isFresh } from './drift-text.ts';
import { printable } from './printable.ts';

/** What a notification takes from a run of `drift`. */
export interface NotificationInput {
  readonly document: Pick<
    DriftDocument,
    'exitCode' | 'platform' | 'project' | 'state' | 'commit' | 'summary' | 'findings' | 'resolved'
  >;
  /** ISO 8601. */
  readonly time: string;
  /** The address of the run of the pipeline. */
  readonly run?: string | undefined;
}

/** Most findings that a message lists, and most that are resolved. */
const maxListed = 100;

/** Longest text of a message. Characters. */
const maxText = 500;

/**
 * The message about a document of `drift`, without values: receivers are read by more people than a plan. Every foreign text is
 * one line without control characters.
 */
export function notificationOf(input: NotificationInput): DriftNotificationDocument {
  const { document, time, run } = input;
  const { exitCode, platform, project, state, commit, summary, findings, resolved } = document;
  const clean = (text: string) => shortened(printable(text), maxText);
  const cleaned = (text: string | undefined) => (text === undefined ? undefined : clean(text));
  const listed = listedOf(findings).slice(0, maxListed);
  const gone = resolved.slice(0, maxListed);
  return {
    format: 'trueup/drift-notification',
    version: 1,
    time,
    exitCode: exitCode === 1 ? 0 : exitCode,
    ...defined({
      platform: cleaned(platform),
      project: project && { id: clean(project.id), ...defined({ name: cleaned(project.name) }) },
      state: state && { ...state, location: clean(state.location) },
      commit,
      run,
    }),
    summary,
    findings: listed.map(({ id, is, address, kind, objectId, name, path, status, since, position }) => ({
      id,
      is,
      ...defined({ address: cleaned(address) }),
      kind,
      ...defined({ objectId: cleaned(objectId), name: cleaned(name), path: cleaned(path) }),
      status,
      ...defined({ since, position: position && { ...position, file: clean(position.file) } }),
    })),
    resolved: gone.map(({ id, is, address, path }) => ({
      id,
      is,
      ...defined({ address: cleaned(address), path: cleaned(path) }),
    })),
    omitted: { findings: findings.length - listed.length, resolved: resolved.length - gone.length },
  };
}

type Finding = DriftDocument['findings'][number];

/** Drift, what is new first. What is not yet applied is counted only. */
function listedOf(findings: readonly Finding[]): readonly Finding[] {
  const drift = findings.filter(({ status }) => status !== 'not yet applied');
  return [...drift.filter(isFresh), ...drift.filter((one) => !isFresh(one))];
}

/** The beginning of a text that is too long; cuts no character in two. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, wholeUpTo(text, max - 1))}…`;
}
