import { PlatformError } from '../api/errors.ts';
import { textsIn } from '../kind/json.ts';
import type { Action } from '../plan/action.ts';
import { isMade } from '../plan/action.ts';
import { create } from './create.ts';
import { noteWrite } from './intents.ts';
import { lookUntil } from './look.ts';
import { rehearse } from './perform.ts';
import { findById, readLane } from './read-back.ts';
import type { Run } from './run.ts';
import { save } from './records.ts';
import { laneRoot } from './run.ts';
import { contextOf, send } from './send.ts';
import { stop, unchanged } from './unchanged.ts';

/** Takes the old object of an action away. Before a new one takes its place, the old one has to be gone for sure. */
export async function tearDown(run: Run, action: Action): Promise<void> {
  if (action.action === 'replace') rehearseCreation(run, action);
  const [first] = action.teardown;
  if (first !== undefined) {
    await unchanged(run, action, { step: first });
    await noteWrite(run, action);
  }
  for (const step of action.teardown) {
    try {
      await send(run, action, step);
    } catch (error) {
      if (!(error instanceof PlatformError) || !saysGone(error)) throw error;
    }
  }
  if (action.action !== 'replace') return;
  const old = run.ids.get(action.address);
  const lane = run.ids.get(action.lane);
  if (action.teardown.length > 0 && old !== undefined && lane !== undefined) {
    const root = laneRoot(run, action.lane);
    const look = async () => {
      const after = await readLane(run.reader, root, lane);
      return after !== 'gone' && findById(after, action, old) !== undefined;
    };
    if (await lookUntil(run, look, { isSeen: (isStill) => !isStill })) {
      throw stop(action, `the old ${action.address} was to be deleted and is still there; no new one was made`);
    }
  }
  run.ids.delete(action.address);
  await save(run, action.address, null);
}

/** Sends the requests that make and change the object of an action. */
export async function make(run: Run, action: Action): Promise<void> {
  if (action.steps.length > 0 && !isMade(action)) await unchanged(run, action);
  addOldSecrets(run, action);
  if (action.steps.length > 0) await noteWrite(run, action);
  for (const step of action.steps) {
    if (step.role === 'create') await create(run, action, step);
    else await send(run, action, step);
  }
}

/** What is overwritten may be quoted by a platform that refuses to. */
function addOldSecrets({ input }: Run, { parts }: Action): void {
  for (const { part, field, decision, before } of parts) {
    if (field.secrecy === undefined || (decision.do !== 'write' && decision.do !== 'remove')) continue;
    for (const text of textsIn(before.reveal())) {
      input.addSecret(text);
      const entries = part.key === undefined ? field.map?.read(text) : undefined;
      for (const entry of entries?.values() ?? []) input.addSecret(entry);
    }
  }
}

/** Some deletions of the platform answer 400 with these words where others answer 404. */
function saysGone(error: PlatformError): boolean {
  return error.failure === 'not found' || (error.failure === 'invalid' && /not found/i.test(error.serverMessage));
}

/** Checks that the new object can be made, before the old one goes. */
function rehearseCreation(run: Run, action: Action): void {
  if (run.actions.get(action.parent ?? '')?.action === 'replace') return; // what it refers to may come with the parent
  for (const step of action.steps) rehearse({ ...contextOf(run, action), step });
}
