import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { LoggedRequest } from '../../src/emulator/emulator.ts';
import type { World as Tables } from '../../src/emulator/world.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import type { Row } from '../../src/formats/json.ts';
import { isRow } from '../../src/formats/json.ts';
import { idMember } from '../../src/kind/row-values.ts';
import type { Action, Plan } from '../../src/plan/action.ts';
import { obstacles } from '../../src/plan/safeguard.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import type { State } from '../../src/state/state.ts';
import { actionsOf, notesOf } from '../support/faults.ts';
import { declareMentioned, modelOf } from '../support/random-blocks.ts';
import { histories } from '../support/random-commands.ts';
import { applyEdit } from '../support/random-edits.ts';
import { treeOf, yamlOf } from '../support/random-yaml.ts';
import { again, applyFile, review } from '../support/reviewed.ts';
import { effort } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/**
 * Random manifests whose plan goes through a file, while somebody changes the platform: what is sent then is some of
 * what the file would have sent, or nothing is.
 */

const seed = Number(process.env.TRUEUP_SEED ?? 1);
const runs = Number(process.env.TRUEUP_RUNS ?? effort({ fast: 20, all: 60 }));
const folder = mkdtempSync(join(tmpdir(), 'trueup-reviewed-'));
const all = { dataLoss: true, adoption: true };

/** What somebody does by hand: changes a field, deletes an object, or does what is planned. */
const byHand = fc.record({
  does: fc.constantFrom('change' as const, 'change' as const, 'delete' as const, 'as planned' as const),
  at: fc.nat(300),
  field: fc.nat(300),
  value: fc.nat(1),
});
const edits = fc.array(byHand, { minLength: 1, maxLength: 3 });
type ByHand = typeof byHand extends fc.Arbitrary<infer T> ? T : never;

function begin(world: Tables, state: State | undefined): Bench {
  let count = 0;
  const made = bench({
    emulate: { world, newId: () => `id_${state?.serial ?? 0}_${++count}` },
    folder,
  });
  made.store.state = state;
  return made;
}

function somebody(): Tables {
  const world = { ...seedWorld(), everyServerAnswers: true as const };
  Object.assign(world.tables.user['user_1'] ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  for (const name of ['member', 'other']) {
    addRow(world, 'user', { id: `user_${name}`, email: `${name}@example.test` });
    addRow(world, 'member', { id: name, userId: `user_${name}`, organizationId: 'org_1', role: 'member' });
  }
  return world;
}

function isApplicable(planned: Plan): boolean {
  return obstacles(planned, all).length === 0;
}

/** undefined: it is refused, for reasons that other tests are about. */
async function unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof Stop) return undefined;
    throw error;
  });
}

async function act(made: Bench, planned: Plan, { does, at, field, value }: ByHand): Promise<void> {
  const { objects } = planned.observed;
  const wanted = planned.actions.filter(({ action, address }) =>
    does === 'as planned' ? ['update', 'delete'].includes(action) : objects.has(address),
  );
  const action = wanted[at % Math.max(1, wanted.length)];
  const object = objects.get(action?.address ?? '');
  if (object === undefined || action === undefined) return;
  const { kind } = action;
  const { delete: remove } = kind.operations;
  if (remove !== undefined && (does === 'delete' || action.action === 'delete')) {
    const input = { [idMember(kind, remove)]: object.id, deleteVolumes: false };
    await made.emulator.act(remove, input).catch(() => undefined);
    return;
  }
  const rows = Object.values(made.emulator.world.tables).flatMap((table) => Object.values(table) as Row[]);
  const row = rows.find((one) => one[kind.identity.id] === object.id);
  if (row === undefined) return;
  const names = Object.keys(kind.fields).filter((name) => Object.hasOwn(row, name));
  const parts = action.attributes.filter(
    ({ attribute: part, decision }) => decision.do === 'write' && names.includes(part.field),
  );
  const part = parts[field % Math.max(1, parts.length)];
  const content = part?.attribute.key === undefined ? part?.wanted?.content.reveal() : undefined;
  if (does === 'as planned') {
    if (part !== undefined && content?.is === 'value') Object.assign(row, { [part.attribute.field]: content.value });
    return;
  }
  const name = names[field % Math.max(1, names.length)] ?? '';
  if (name !== '') Object.assign(row, { [name]: kind.fields[name]?.examples[value] });
}

function postsOf({ emulator }: Bench): LoggedRequest[] {
  return emulator.log.filter(({ method }) => method === 'POST');
}

/** The members of a request, and the objects in it that were there before. */
function outlineOf(
  { operation, input }: LoggedRequest,
  ids: ReadonlySet<string>,
): { operation: string; members: string[] } {
  const members = Object.entries(isRow(input) ? input : {}).map(([name, value]) =>
    typeof value === 'string' && ids.has(value) ? `${name}: ${value}` : name,
  );
  return { operation, members };
}

/** Copies of a platform and its state, for one course of events each. */
const copyOf = ({ emulator, store }: Bench): Bench =>
  begin(structuredClone(emulator.world), structuredClone(store.state));

/** The requests of a run as they may be in any order. */
function sortedPosts(made: Bench, ids: ReadonlySet<string>): string[] {
  return postsOf(made)
    .map((request) => JSON.stringify(outlineOf(request, ids)))
    .toSorted();
}

/** A state without what depends on the order of requests: the ids of new objects and of deployments. */
function recordsOf({ store }: Bench, ids: ReadonlySet<string>): unknown {
  const { resources = {}, deployments = {}, serial } = store.state ?? {};
  const entries = Object.entries(resources).map(([address, { id, ...rest }]) => {
    const isOld = id === null || ids.has(id);
    const { stale } = deployments[address] ?? {};
    const pairs = Object.keys(rest.pairs).toSorted();
    return [address, { ...rest, pairs, isStale: stale !== undefined, code: stale?.code, id: isOld ? id : 'new' }];
  });
  return { serial, records: Object.fromEntries(entries) };
}

test.each([
  ['that reads what it touches', false],
  ['that reads everything', true],
])('a reviewed plan %s sends only its own requests, in spite of changes meanwhile', async (_title, full) => {
  const seen = { whole: 0, less: 0, refused: 0, narrow: 0 };
  await fc.assert(
    fc.asyncProperty(histories, edits, fc.boolean(), async (history, changes, deploys) => {
      const made = begin(somebody(), undefined);
      const model = modelOf(history);
      declareMentioned(model);
      const start = yamlOf(treeOf(model, []));
      const first = await unlessRefused(made.plan(start));
      if (first === undefined || !isApplicable(first)) return;
      await made.apply(start, all);
      for (const { command, ...step } of history.commands) {
        if (command === 'edit' && 'edits' in step) for (const one of step.edits) applyEdit(model, one);
      }
      declareMentioned(model);
      const text = yamlOf(treeOf(model, Object.keys(made.store.state?.resources ?? {})));
      const planned = await unlessRefused(plan(await made.manifest(text), made.world(), { deploys }));
      if (planned === undefined || !isApplicable(planned)) return;
      const file = await review(made, text, { deploys });
      const ids = new Set([...planned.observed.objects.values()].map(({ id }) => id));
      const unchanged = await again(made, file, text, { full });
      expect(actionsOf(unchanged)).toEqual(actionsOf(planned));
      expect(unchanged.diagnostics.filter(({ code }) => code !== 'not-read')).toEqual(planned.diagnostics);

      const undisturbed = copyOf(made);
      await applyFile(undisturbed, file, text, { ...all, full });
      const other = copyOf(made);
      await applyFile(other, file, text, { ...all, full: !full });
      expect(sortedPosts(undisturbed, ids)).toEqual(sortedPosts(other, ids));
      expect(recordsOf(undisturbed, ids)).toEqual(recordsOf(other, ids));
      expect(actionsOf(await undisturbed.plan(text))).toEqual(actionsOf(await other.plan(text)));

      const disturbed = begin(made.emulator.world, made.store.state);
      for (const one of changes) await act(disturbed, planned, one);
      const now = await unlessRefused(again(disturbed, file, text, { full }));
      if (now === undefined) {
        expect(postsOf(disturbed)).toEqual([]);
        seen.refused++;
        return;
      }
      await applyFile(disturbed, file, text, { ...all, full });
      const reviewed = postsOf(undisturbed).map((request) => outlineOf(request, ids));
      for (const request of postsOf(disturbed)) {
        const { operation, members } = outlineOf(request, ids);
        const index = reviewed.findIndex(
          (one) => one.operation === operation && members.every((member) => one.members.includes(member)),
        );
        if (index === -1) expect(reviewed).toContainEqual({ operation, members });
        reviewed.splice(index, 1);
      }
      const isLess = notesOf(now).some(({ code }) => code === 'not-needed');
      if (isLess) seen.less++;
      else {
        seen.whole++;
        expect(actionsOf(now)).toEqual(actionsOf(planned));
      }
      const { unread } = now.observed;
      if (unread.size > 0) seen.narrow++;
      const left = (await unlessRefused(disturbed.plan(text)))?.actions ?? [];
      const isLeft = ({ action, address }: Action) => !['no-op', 'deploy'].includes(action) && !unread.has(address);
      expect(left.filter(isLeft).map(({ action, address }) => `${action} ${address}`)).toEqual([]);
    }),
    { seed, numRuns: runs },
  );
  // All that can happen did.
  const { narrow, ...ends } = seen;
  expect(Object.values(ends).every((count) => count > 0) && narrow > 0 !== full, JSON.stringify(seen)).toBe(true);
});
