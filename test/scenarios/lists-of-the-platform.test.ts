import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import { isRow } from '../../src/formats/json.ts';
import { documentOf } from '../support/documents.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { everything, idOf, plansNothing } from '../support/faults.ts';
import { addressOf, firstStands, manifestOfAllKinds } from '../support/kind-manifests.ts';
import { kindBench, worldWithMember } from '../support/kind-world.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** The platform lists rows in any order, another one at each read, and takes a name twice. All kinds at once. */

/** A platform with the words of Dokploy, which lists rows as a function of the number of the read says. */
function platform(turnsAt: (read: number) => number = () => 0, world = worldWithMember()): Bench {
  const made = bench({ emulate: { world } });
  Object.assign(made.secrets, kindBench().secrets);
  const { send } = made.emulator;
  let reads = 0;
  made.emulator.send = async (request) => {
    const answer = await send(request);
    if (request.method !== 'GET' || answer.status !== 200) return answer;
    const turns = turnsAt(reads++);
    return {
      ...answer,
      body: JSON.stringify(JSON.parse(answer.body, (_name, value: unknown) => turned(value, turns))),
    };
  };
  return made;
}

/** A list of rows with so many of them moved to the end; other values as they are. */
function turned(value: unknown, turns: number): unknown {
  const isList =
    Array.isArray(value) &&
    value.some((row) => isRow(row as Json) && Object.keys(row as object).some((name) => name.endsWith('Id')));
  if (!isList) return value;
  const first = turns % value.length;
  return [...(value as unknown[]).slice(first), ...(value as unknown[]).slice(0, first)];
}

/** A manifest with other values, without some blocks and with more of others: each list has several rows. */
const changed = (text: string) => {
  const { tags: _, ...rest } = JSON.parse(text) as Record<string, Json>;
  const more = {
    schedules: { s1: { cronExpression: '@daily', script: 'a' }, s2: { cronExpression: '@daily', script: 'b' } },
  };
  return JSON.stringify({ ...rest, ...more }).replaceAll('postgres:17', 'postgres:17.1');
};

const text = manifestOfAllKinds();
let applied: Promise<Bench> | undefined;

/** A platform that has all kinds, applied once; later tests take copies of it. */
async function withAllKinds(turnsAt?: (read: number) => number): Promise<Bench> {
  const first = platform();
  applied ??= first.apply(text, everything).then(() => first);
  const { emulator, store } = await applied;
  const made = platform(turnsAt, structuredClone(emulator.world));
  made.store.state = store.state;
  return made;
}

describe('lists in any order', () => {
  test('make no difference, also while a plan is applied', async () => {
    const made = platform((read) => read);
    for (const manifest of [text, changed(text)]) {
      const { outcomes } = await made.apply(manifest, everything);
      expect(outcomes.filter(({ result }) => result !== 'done').map(({ action }) => action.address)).toEqual([]);
      await plansNothing(made, manifest);
    }
  });

  test('give the same bytes of a plan', async () => {
    let turns = 0;
    const made = await withAllKinds(() => turns);
    const planned = async () => {
      const document = documentOf(await made.plan(changed(text)));
      return renderPlan(document, plainStyle) + JSON.stringify(document);
    };
    const first = await planned();
    expect(first).toContain('postgres:17.1');
    for (turns of [1, 2]) expect(await planned()).toBe(first);
  });
});

/** The kinds that an organization has once, or that the platform does not list at first. */
const alone = ['organization', 'memberPermissions', 'gitlab'];

// What stands below an ambiguous object is not looked for.
test.each([
  ['at the top', (parent: string) => parent === 'root'],
  ['in an environment', (parent: string) => parent === 'environment'],
  ['below a service', (parent: string) => parent !== 'root' && parent !== 'environment'],
])('objects of one name %s are never chosen from, whatever the kind', async (_title, isHere) => {
  const made = await withAllKinds();
  const twins = firstStands()
    .filter(({ kind, parent }) => isHere(parent) && kind.isSingle !== true && !alone.includes(kind.kind))
    .map((stand) => addressOf(stand))
    .map((address) => ({ address, id: idOf(made, address) }));
  for (const table of Object.values(made.emulator.world.tables) as Record<string, Row>[]) {
    for (const { id } of twins) {
      const { [id]: row } = table;
      if (row === undefined) continue;
      const members = Object.entries(row).map(([name, value]) => [name, value === id ? `${id}-twin` : value]);
      table[`${id}-twin`] = Object.fromEntries(members) as Row;
    }
  }
  const error: unknown = await platform(undefined, made.emulator.world)
    .plan(text)
    .catch((reason: unknown) => reason);
  const found = error instanceof Stop ? error.diagnostics.filter(({ code }) => code === 'ambiguous') : [];
  expect(new Set(found.map(({ address }) => address))).toEqual(new Set(twins.map(({ address }) => address)));
  for (const { message } of found) expect(message).toMatch(/-twin/);
});
