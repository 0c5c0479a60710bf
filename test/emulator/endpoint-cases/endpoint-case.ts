import { endpointOf, type Operation } from '../../../src/api/contract.ts';
import type { Emulator } from '../../../src/emulator/emulator.ts';
import type { Ids } from './prepared-world.ts';

/** An object in an answer; the cases say what is in it. */
export type Row = { readonly [member: string]: unknown };

/** Calls an operation over HTTP and gives the data of its answer. */
export type Call = (operation: Operation, input?: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** What a case works with. */
interface Situation {
  readonly call: Call;
  /** Acts like a person in the platform's own pages, beyond the document. */
  readonly act: Emulator['act'];
  readonly ids: Ids;
}

/** One endpoint in a world where calling it makes sense, and what has to be true then. */
export interface EndpointCase {
  readonly input?: Readonly<Record<string, unknown>> | ((ids: Ids) => Readonly<Record<string, unknown>>);
  /** How long a deployment takes, in milliseconds; none by default. */
  readonly deployDelayMs?: number;
  /** What has to happen first. */
  readonly before?: (situation: Situation) => Promise<unknown>;
  /** Members that the answer has, or each item of a list that must then not be empty. */
  readonly has?: readonly string[];
  /** The refusal, for what cannot succeed without the world outside. */
  readonly refused?: { readonly status: number; readonly code: string; readonly says: RegExp };
  /** What the answer is and, for a write, what another operation reads afterwards. */
  readonly check: (situation: Situation & { readonly answer: unknown }) => unknown;
}

/** The names of members that operations take, which are the names of columns: all but those named. */
export function columnsOf(operations: readonly Operation[], without: readonly string[] = []): readonly string[] {
  const members = operations.flatMap((operation) => Object.keys(endpointOf(operation).input.shape));
  return [...new Set(members)].filter((name) => !without.includes(name));
}

/** Names of members, with a space between each two. */
export function names(text: string): readonly string[] {
  return text.split(' ');
}

/** An answer as an object. */
export function row(answer: unknown): Row {
  return answer as Row;
}

/** An answer, or a member of one, as a list of objects. */
export function rows(answer: unknown): readonly Row[] {
  return answer as readonly Row[];
}

/** What a call that finds nothing comes to. */
export const notFound = { status: 404, code: 'NOT_FOUND' };
