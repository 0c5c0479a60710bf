import { describe, expect, test } from 'vitest';
import { Stop } from '../src/diagnostics/diagnostic.ts';
import { means, plain } from '../src/kind/codecs.ts';
import type { Json, Row } from '../src/kind/json.ts';
import type { Field } from '../src/kind/kind.ts';
import { requiredMembers } from '../src/api/contract.ts';
import { fieldPath, observedValue, takes, takesNull } from '../src/kind/wire.ts';
import type { Plan } from '../src/plan/action.ts';
import { applyPlan, importObject } from '../src/reconcile.ts';
import { kinds } from '../src/resources/index.ts';
import type { Body, Stand } from './support/kind-manifests.ts';
import { addressOf, manifestWith, stands, withField, withoutField } from './support/kind-manifests.ts';
import type { Bench } from './support/world.ts';
import { bench } from './support/world.ts';

/** The contract that every kind meets. */

const permissions = { dataLoss: true };

/** A world in which the secrets of the examples exist. */
function world(): Bench {
  const made = bench();
  Object.assign(made.secrets, { SHOP_DB_PASSWORD: 'correct-horse-1', CACHE_PASSWORD: 'correct-horse-1' });
  return made;
}

async function apply(made: Bench, text: string): Promise<Plan> {
  const plan = await made.plan(text);
  const result = await applyPlan(plan, made.world(), {
    permissions: { dataLoss: true, adoption: false },
    connections: 4,
  });
  for (const outcome of result.outcomes) {
    expect(outcome, outcome.action.address).toMatchObject({ result: 'done', diagnostics: [] });
  }
  return plan;
}

async function plansNothing(made: Bench, text: string): Promise<void> {
  made.requests('POST');
  const plan = await made.plan(text);
  expect(plan.actions.filter((action) => action.action !== 'no-op')).toEqual([]);
  expect(plan.actions.flatMap((action) => action.notes)).toEqual([]);
  const before = JSON.stringify(made.store.state);
  await apply(made, text);
  expect(made.requests('POST')).toEqual([]);
  expect(JSON.stringify(made.store.state)).toBe(before);
}

async function rowOf(made: Bench, stand: Stand, address = addressOf(stand)): Promise<Row> {
  const id = made.store.state?.resources[address]?.id;
  return (await made.emulator.act(stand.kind.calls.read, { [stand.kind.id]: id })) as Row;
}

function actionAt(plan: Plan, stand: Stand, address = addressOf(stand)) {
  const action = plan.actions.find((item) => item.address === address);
  if (action === undefined) throw new Error(`the plan has no ${address}`);
  return action;
}

/** A test of what some kinds can do. */
function testIf(condition: boolean): (title: string, body: () => Promise<void>) => void {
  return condition ? test : () => undefined;
}

async function refusal(attempt: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Stop)) throw new Error('nothing was refused', { cause: error });
  return error.diagnostics.map((item) => item.code);
}

describe.each(kinds.map((kind) => ({ name: kind.kind, kind })))('$name declares', ({ kind }) => {
  test.each(Object.entries(kind.fields))('two different example values for %s, and what it means', (_, field) => {
    const [a, b] = field.examples;
    expect(field.schema.safeParse(a).success).toBe(true);
    expect(field.schema.safeParse(b).success).toBe(true);
    expect(means(field.codec ?? plain, a, b)).toBe(false);
    expect(field.schema.description).toMatch(/\w{3}/);
  });

  test('every documented field that can be declared', () => {
    const never = new Set([
      'refreshToken',
      'composeStatus',
      'applicationStatus',
      'createdAt',
      'userId',
      'previewDeploymentId',
    ]);
    const owners = /^(application|compose|environment|project|libsql|mariadb|mongo|mysql|postgres|redis)Id$/;
    const set = new Set(Object.values(kind.parents).flatMap((link) => Object.keys(link.set)));
    for (const call of [kind.calls.create, kind.calls.update]) {
      const members = requiredMembers(call).concat(Object.keys(kind.fields).filter((name) => takes(call, name)));
      for (const name of members) {
        const isKnown =
          name === kind.id || kind.fields[name] !== undefined || set.has(name) || never.has(name) || owners.test(name);
        expect(isKnown, `${call} takes ${name}`).toBe(true);
      }
    }
  });
});

describe.each(stands())('$title', (stand) => {
  const { kind } = stand;

  test('is created, and then plans nothing', async () => {
    const made = world();
    const text = manifestWith(stand, stand.body);
    const plan = await made.plan(text);
    expect(actionAt(plan, stand).action).toBe('create');
    expect(made.requests('POST')).toEqual([]);
    await apply(made, text);
    await plansNothing(made, text);
  });

  test('is deleted when its block is gone, and then plans nothing', async () => {
    const made = world();
    await apply(made, manifestWith(stand, stand.body));
    const { [kind.id]: id } = await rowOf(made, stand);
    const plan = await apply(made, manifestWith(stand, undefined));
    expect(actionAt(plan, stand).action).toBe('delete');
    await expect(made.emulator.act(kind.calls.read, { [kind.id]: id })).rejects.toThrow(/404/);
    await plansNothing(made, manifestWith(stand, undefined));
  });

  test('is adopted with consent when the state is lost, and then plans nothing', async () => {
    const made = world();
    const text = manifestWith(stand, stand.body);
    await apply(made, text);
    const { [kind.id]: id } = await rowOf(made, stand);
    made.store.state = undefined;
    made.requests('POST');
    const plan = await made.plan(text);
    expect(actionAt(plan, stand)).toMatchObject({ action: 'adopt', needsConsent: true, id });
    expect(await refusal(made.apply(text))).toContain('consent');
    const result = await made.apply(text, { adoption: true });
    expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
    expect(made.requests('POST')).toEqual([]);
    await plansNothing(made, text);
  });

  test('is taken over by id:, and then plans nothing', async () => {
    const made = world();
    await apply(made, manifestWith(stand, stand.body));
    const { [kind.id]: id } = await rowOf(made, stand);
    const records = made.store.state?.resources ?? {};
    const { [addressOf(stand)]: _, ...others } = records;
    if (made.store.state !== undefined) made.store.state = { ...made.store.state, resources: others };
    const text = manifestWith(stand, { ...stand.body, id: id as string });
    const plan = await apply(made, text);
    expect(actionAt(plan, stand)).toMatchObject({ action: 'adopt', needsConsent: false, id });
    await plansNothing(made, text);
  });

  test('is imported by address and id, and then plans nothing', async () => {
    const made = world();
    const text = manifestWith(stand, stand.body);
    await apply(made, text);
    const { [kind.id]: id } = await rowOf(made, stand);
    const { [addressOf(stand)]: _, ...others } = made.store.state?.resources ?? {};
    if (made.store.state !== undefined) made.store.state = { ...made.store.state, resources: others };
    made.requests('POST');
    await importObject(made.manifest(text), made.world(), addressOf(stand), id as string);
    expect(made.store.state?.resources[addressOf(stand)]?.id).toBe(id);
    await apply(made, text);
    expect(made.requests('POST')).toEqual([]);
    await plansNothing(made, text);
  });

  test('keeps its identity when moved: says that its key changed, and then plans nothing', async () => {
    const made = world();
    await apply(made, manifestWith(stand, stand.body));
    const before = await rowOf(made, stand);
    const renamed = { key: renamedKey(stand) };
    const moved = [{ from: addressOf(stand), to: addressOf(stand, renamed) }];
    const text = manifestWith(stand, keptKey(stand), { ...renamed, moved });
    const plan = await apply(made, text);
    expect(plan.actions.filter((action) => action.action === 'create' || action.action === 'delete')).toEqual([]);
    const after = await rowOf(made, stand, addressOf(stand, renamed));
    expect(after[kind.id]).toBe(before[kind.id]);
    await plansNothing(made, text);
  });

  testIf(kind.calls.move !== undefined)(
    'moves to another environment with moved:, and then plans nothing',
    async () => {
      const made = world();
      await apply(made, manifestWith(stand, stand.body));
      const before = await rowOf(made, stand);
      const elsewhere = { environment: 'preview' };
      const moved = [{ from: addressOf(stand), to: addressOf(stand, elsewhere) }];
      const text = manifestWith(stand, stand.body, { ...elsewhere, moved });
      const plan = await apply(made, text);
      expect(actionAt(plan, stand, addressOf(stand, elsewhere)).action).toBe('move');
      const after = await rowOf(made, stand, addressOf(stand, elsewhere));
      expect(after[kind.id]).toBe(before[kind.id]);
      expect(after.environmentId).not.toBe(before.environmentId);
      await plansNothing(made, text);
    },
  );

  testIf(kind.calls.move !== undefined)('is moved back when somebody moved it, and then plans nothing', async () => {
    const made = world();
    const text = manifestWith(stand, stand.body);
    await apply(made, text);
    const before = await rowOf(made, stand);
    const { move } = kind.calls;
    if (move === undefined) throw new Error('it has a move');
    await made.emulator.act(move.call, { [kind.id]: before[kind.id], [move.as]: 'env_prj_1' });
    const plan = await apply(made, text);
    expect(actionAt(plan, stand)).toMatchObject({ action: 'move', id: before[kind.id] });
    expect((await rowOf(made, stand)).environmentId).toBe(before.environmentId);
    await plansNothing(made, text);
  });

  const fields = Object.entries(kind.fields).filter(
    ([name, field]) => withField(stand, name, field.examples[0]) !== undefined,
  );

  describe.each(fields)('field %s', (name, field) => {
    const [first, second] = field.examples;
    const one = bodyWith(stand, name, first);
    const two = bodyWith(stand, name, second);

    test(`follows its onChange (${outcomeOf(field)}) when it changes, and then plans nothing`, async () => {
      const made = world();
      await apply(made, manifestWith(stand, one));
      await plansNothing(made, manifestWith(stand, one));
      const before = await rowOf(made, stand);
      made.requests('POST');
      if (outcomeOf(field) === 'refuse') {
        expect(await refusal(made.apply(manifestWith(stand, two), permissions))).toEqual(['cannot-change']);
        expect(made.requests('POST')).toEqual([]);
        return;
      }
      const plan = await apply(made, manifestWith(stand, two));
      const action = actionAt(plan, stand);
      expect(action.action).toBe(outcomeOf(field) === 'replace' ? 'replace' : 'update');
      expect(action.changes.map((change) => change.path)).toContain(fieldPath(kind, name));
      const after = await rowOf(made, stand);
      expect(after[kind.id] === before[kind.id]).toBe(outcomeOf(field) !== 'replace');
      expect(means(field.codec ?? plain, second, observedValue(kind, name, after) ?? null)).toBe(true);
      await plansNothing(made, manifestWith(stand, two));
    });

    test('is cleared by null where that is harmless, and then plans nothing', async () => {
      const made = world();
      await apply(made, manifestWith(stand, one));
      const cleared = manifestWith(stand, bodyWith(stand, name, null));
      const isUnion = kind.unions?.some((union) => union.tag === name) === true;
      const value =
        field.onNull === undefined
          ? takesNull(kind.calls.update, name)
            ? null
            : undefined
          : 'value' in field.onNull
            ? field.onNull.value
            : undefined;
      made.requests('POST');
      if (value === undefined || isUnion) {
        const codes = await refusal(made.plan(cleared));
        expect(codes[0]).toMatch(/not-clearable|wrong-type/);
        expect(made.requests('POST')).toEqual([]);
        return;
      }
      if (outcomeOf(field) === 'refuse') {
        expect(await refusal(made.apply(cleared, permissions))).toEqual(['cannot-change']);
        return;
      }
      await apply(made, cleared);
      expect(means(field.codec ?? plain, value, observedValue(kind, name, await rowOf(made, stand)) ?? null)).toBe(
        true,
      );
      await plansNothing(made, cleared);
    });

    test('is released when it is left out: it stays as it is, and then plans nothing', async () => {
      const less = withoutField(stand, one, name);
      if (less === undefined || field.fromParent !== undefined) return;
      const made = world();
      await apply(made, manifestWith(stand, one));
      const before = await rowOf(made, stand);
      made.requests('POST');
      const released = await made.plan(manifestWith(stand, less));
      expect(actionAt(released, stand).notes.map((note) => note.code)).toEqual(['released']);
      const result = await made.apply(manifestWith(stand, less));
      expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
      expect(made.requests('POST')).toEqual([]);
      expect(await rowOf(made, stand)).toEqual(before);
      await plansNothing(made, manifestWith(stand, less));
    });

    test('shows a change that somebody made on the platform, and repairs or leaves it as declared', async () => {
      if (!takes(kind.calls.update, name)) return;
      const made = world();
      await apply(made, manifestWith(stand, one));
      const row = await rowOf(made, stand);
      const required = requiredMembers(kind.calls.update).map((member) => [member, row[member] ?? null]);
      const input = { ...Object.fromEntries(required), [kind.id]: row[kind.id], [name]: second };
      await made.emulator.act(kind.calls.update, input).catch((error: unknown) => {
        expect(String(error)).toContain('No values to set'); // the platform drops internal names
      });
      const drifted = observedValue(kind, name, await rowOf(made, stand)) ?? null;
      if (means(field.codec ?? plain, drifted, observedValue(kind, name, row) ?? null)) {
        await plansNothing(made, manifestWith(stand, one)); // the platform ignores it, as it does with internal names
        return;
      }
      const plan = await apply(made, manifestWith(stand, one));
      const action = actionAt(plan, stand);
      const after = observedValue(kind, name, await rowOf(made, stand)) ?? null;
      const isWritten = outcomeOf(field) === 'write' || field.rowOnly === true;
      if (isWritten) {
        expect(action.changes).toMatchObject([{ path: fieldPath(kind, name), cause: 'drift' }]);
        expect(means(field.codec ?? plain, first, after)).toBe(true);
        await plansNothing(made, manifestWith(stand, one));
      } else {
        expect(action.changes).toEqual([]);
        expect(action.notes.map((note) => note.code)).toEqual(['drift-left']);
        expect(after).toEqual(drifted);
      }
    });
  });
});

function outcomeOf(field: Field): 'write' | 'replace' | 'refuse' {
  if (field.onChange === 'replace') return 'replace';
  return typeof field.onChange === 'object' && 'refuse' in field.onChange ? 'refuse' : 'write';
}

function bodyWith(stand: Stand, name: string, value: Json): Body {
  if (value === null) {
    for (const union of stand.kind.unions ?? []) {
      const written = union.at === undefined ? undefined : fieldPath(stand.kind, name).split('.')[1];
      if (union.at === undefined || written === undefined) continue;
      const group = bodyWith(stand, name, stand.kind.fields[name]?.examples[0] ?? '')[union.at] as Body;
      return { ...stand.body, [union.at]: { ...group, [written]: null } };
    }
    return { ...stand.body, [name]: null };
  }
  const body = withField(stand, name, value);
  if (body === undefined) throw new Error(`${stand.title} has no ${name}`);
  return body;
}

function renamedKey(stand: Stand): string {
  if (stand.key.startsWith('/')) return `${stand.key}-renamed`;
  return stand.key.includes('.') ? `renamed.${stand.key}` : `${stand.key}-renamed`;
}

/** The body under a new key: a key that is also a field that only a new object can change keeps its value. */
function keptKey(stand: Stand): Body {
  const name = stand.kind.keyField;
  const field = name === undefined ? undefined : stand.kind.fields[name];
  return name === undefined || field === undefined || outcomeOf(field) !== 'replace'
    ? stand.body
    : { [name]: stand.key, ...stand.body };
}
