import { PlatformError } from '../api/errors.ts';
import { textsIn } from '../kind/json.ts';
import type { Action } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { create } from './create.ts';
import { refuseChanged } from './freshness.ts';
import { announceWrite } from './announce.ts';
import { poll } from './poll.ts';
import { refusal } from './report.ts';
import { rehearse } from './request.ts';
import type { Run } from './run.ts';
import { happen, idOf, scopeOf } from './run.ts';
import { findById } from './scope-row.ts';
import { readScope } from './scope.ts';
import { requestInput, send } from './send.ts';

/**
 * Deletes the old object of an action. Before a new one takes its place, the old one has to be gone for sure.
 *
 * @throws {Stop} when somebody changed it since, when it stays, or when the new one could not be created.
 */
export async function tearDown(run: Run, action: Action): Promise<void> {
  const { address } = action;
  if (action.action === 'replace') rehearseCreation(run, action);
  const [first] = action.teardown;
  if (first !== undefined) {
    await refuseChanged(run, action, { step: first });
    await announceWrite(run, action);
  }
  for (const step of action.teardown) {
    try {
      await send(run, action, step);
    } catch (error) {
      if (!(error instanceof PlatformError) || !saysGone(error)) throw error;
    }
  }
  if (action.action !== 'replace') return;
  const old = idOf(run, address);
  const scope = idOf(run, action.scope);
  if (action.teardown.length > 0 && old !== undefined && scope !== undefined) {
    const { root } = scopeOf(run, action.scope);
    const look = async () => {
      const after = await readScope(run.reader, root, scope);
      return after !== 'gone' && findById(after, action, old) !== undefined;
    };
    if (await poll(run, look, { isSeen: (isStill) => !isStill })) {
      throw refusal(action, `the old ${address} was to be deleted and is still there; no new one was created`);
    }
  }
  happen(run, address, { is: 'removed' });
  await run.journal.save(address, null);
}

/** Sends the requests that create or update the object of an action. */
export async function createOrUpdate(run: Run, action: Action): Promise<void> {
  if (action.steps.length === 0) return;
  if (!isMade(action)) await refuseChanged(run, action);
  addOldSecrets(run, action);
  await announceWrite(run, action);
  for (const step of action.steps) {
    if (step.role === 'create') await create(run, action, step);
    else await send(run, action, step);
  }
}

/** A platform that refuses to overwrite a value may quote it. */
function addOldSecrets({ input }: Run, { attributes }: Action): void {
  for (const { attribute, field, decision, before } of attributes) {
    if (field.secrecy === undefined || (decision.do !== 'write' && decision.do !== 'remove')) continue;
    for (const text of textsIn(before.reveal())) {
      input.addSecret(text);
      const entries = attribute.key === undefined ? field.map?.read(text) : undefined;
      for (const entry of entries?.values() ?? []) input.addSecret(entry);
    }
  }
}

/** Some deletions of the platform answer 400 with these words where others answer 404. */
function saysGone(error: PlatformError): boolean {
  return error.failure === 'not found' || (error.failure === 'invalid' && /not found/i.test(error.serverMessage));
}

/** Checks that the new object can be created, before the old one goes. */
function rehearseCreation(run: Run, action: Action): void {
  // What it refers to may come with the parent.
  if (run.jobs.get(action.parent ?? '')?.action.action === 'replace') return;
  for (const step of action.steps) rehearse({ ...requestInput(run, action), step });
}
