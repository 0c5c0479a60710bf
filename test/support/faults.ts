import { expect } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import type { Send, WireAnswer, WireRequest } from '../../src/api/wire.ts';
import type { ApplyEvent, ApplyResult } from '../../src/apply/job.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Plan } from '../../src/plan/action.ts';
import type { Permissions } from '../../src/plan/safeguard.ts';
import type { Connection } from '../../src/workflow/connection.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import type { Platform } from '../../src/workflow/session.ts';
import { session } from '../../src/workflow/session.ts';
import type { StateStore } from '../../src/state/state.ts';
import type { Host } from '../../src/state/host.ts';
import { spoken } from './profile.ts';
import type { Bench } from './world.ts';

/** Platforms that answer wrongly, and what a test says of a run over them. */

/** What an apply is permitted when a test is not about permissions. */
export const everything = { dataLoss: true, adoption: true, massDeletion: true, massRecreation: true };

/** The world of a test whose requests go another way. */
export function worldOver(made: Bench, send: Send, store: StateStore = made.store): Connection {
  const client = createClient({
    ...spoken(send, made.world().client.contract),
    url: 'http://platform.test',
    apiKey: 'emulator-key',
    redact: made.redact,
    contract: made.world().client.contract,
    sleep: () => Promise.resolve(),
  });
  return { ...made.world(), client, store };
}

/** The platform of a test whose requests go another way, for sessions. */
export function platformOver(made: Bench, send: Send, store?: StateStore, host?: Host): Platform {
  return {
    kinds: made.world().kinds,
    connect: async (about) => {
      const { close, store: locked } = await made
        .platform({ ...(store === undefined ? {} : { store }), ...(host === undefined ? {} : { host }) })
        .connect(about);
      const guarded: Send = async (request) => {
        if (request.method === 'POST') about.mayWrite?.();
        return send(request);
      };
      return { ...worldOver(made, guarded, locked), close };
    },
  };
}

/** Applies a manifest over a platform whose answers a test changes. */
export async function applyOver(
  made: Bench,
  text: string,
  send: Send,
  options: {
    connections?: number;
    onEvent?: (event: ApplyEvent) => void;
    signal?: AbortSignal;
    permissions?: Permissions;
  } = {},
): Promise<ApplyResult> {
  const { permissions = everything, connections = 4, ...about } = options;
  const at = { purpose: 'apply', connections, clock: made.clock };
  return session(await made.manifest(text), platformOver(made, send), at, async (run) =>
    run.apply(await run.plan(), permissions, about),
  );
}

/** Applies a plan that was made earlier. */
export function applyLater(made: Bench, planned: Plan): Promise<ApplyResult> {
  return applyPlan(planned, made.world(), { permissions: everything, connections: 4, clock: made.clock });
}

/** The operation of a request. */
export function operationOf(request: WireRequest): string {
  return request.path.replace(/^\/api\//, '').replace(/\?.*$/, '');
}

/** A platform that lets a test answer some requests itself; the others it carries out. */
export function answering(made: Bench, answer: (operation: string, request: WireRequest) => WireAnswer | undefined) {
  const send: Send = async (request) => answer(operationOf(request), request) ?? made.emulator.send(request);
  return send;
}

/** A platform that carries out the first request of an operation, and whose answer to it never comes. */
export function losing(made: Bench, operation: string): Send {
  let isLost = false;
  return async (request) => {
    const answer = await made.emulator.send(request);
    if (operationOf(request) !== operation || isLost) return answer;
    isLost = true;
    throw connection('ECONNRESET');
  };
}

/** What a failed connection throws. */
export function connection(code: string): Error {
  return Object.assign(new Error('the connection failed'), { code });
}

/** An answer of the platform. */
export function answered(body: string, status = 200): WireAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body };
}

/** An answer of an error. */
export function failed(message: string, status = 500, more: Row = { code: 'INTERNAL_SERVER_ERROR' }): WireAnswer {
  return answered(JSON.stringify({ message, ...more }), status);
}

/** What a run says beside its messages: states, and lines of logs. */
export function detailsIn({ outcomes }: ApplyResult): string[] {
  return outcomes.flatMap(({ diagnostics }) => diagnostics.flatMap(({ details = [] }) => details));
}

/** What became of each address. */
export function results({ outcomes }: Pick<ApplyResult, 'outcomes'>): Record<string, string> {
  return Object.fromEntries(outcomes.map(({ action, result }) => [action.address, result]));
}

/** Everything that a run said. */
export function said({ outcomes }: ApplyResult): string {
  return outcomes
    .flatMap((outcome) => outcome.diagnostics.flatMap(({ message, details = [] }) => [message, ...details]))
    .join('\n');
}

/** What a plan would do, without what stays as it is. */
export function actionsOf(planned: Plan): string[] {
  return planned.actions.flatMap(({ action, address }) => (action === 'no-op' ? [] : [`${action} ${address}`]));
}

/** What a plan says beside its actions. */
export function notesOf(planned: Plan): Diagnostic[] {
  return [...planned.diagnostics, ...planned.actions.flatMap((action) => action.notes)];
}

/** What stops a run; nothing may have been written. */
export async function refusal(made: Bench, run: () => Promise<unknown>): Promise<readonly Diagnostic[]> {
  const before = JSON.stringify(made.emulator.world);
  const error = await run().catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('it was not refused', { cause: error });
  expect(JSON.stringify(made.emulator.world)).toBe(before);
  return error.diagnostics;
}

/** The plan is empty, and neither making it nor applying it without any permission sends a POST. */
export async function plansNothing(made: Bench, text: string | Record<string, string>): Promise<void> {
  made.requests('POST');
  expect(actionsOf(await made.plan(text))).toEqual([]);
  await made.apply(text);
  expect(made.requests('POST')).toEqual([]);
}

/** The id that the state ties to an address. */
export function idOf(made: Bench, address: string): string {
  const id = made.store.state?.resources[address]?.id;
  if (typeof id !== 'string') throw new Error(`the state knows no object at ${address}`);
  return id;
}

/** The rows of one table. */
export function rowsIn(
  made: Bench,
  table: 'application' | 'postgres' | 'redis' | 'compose' | 'domain' | 'mount' | 'backup' | 'environment',
) {
  return Object.values(made.emulator.world.tables[table]) as Row[];
}

/** Makes a database by hand in the production environment. */
export async function byHand(made: Bench, more: Row = {}): Promise<string> {
  const row = await made.emulator.act('postgres.create', {
    name: 'main',
    databaseName: 'shop',
    databaseUser: 'u',
    databasePassword: 'password-1',
    dockerImage: 'postgres:17',
    environmentId: 'env_prj_1',
    ...more,
  });
  return String((row as Row).postgresId);
}
