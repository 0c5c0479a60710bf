import { expect, test } from 'vitest';
import { means, plain } from '../../src/kind/codecs.ts';
import type { Json } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { canBeNull, fieldOf, fieldPath, isInCase, observedValue } from '../../src/kind/row-values.ts';
import { writtenFields } from '../../src/kind/written-keys.ts';
import type { Row } from '../../src/formats/json.ts';
import { driftOf } from '../support/drifting.ts';
import { benchWith, exportOf, rowsOf } from '../support/exporting.ts';
import type { Body, Stand } from '../support/kind-manifests.ts';
import { addressOf, manifestOf, manifestWith, together, triedStands } from '../support/kind-manifests.ts';
import { kindBench } from '../support/kind-world.ts';
import { bench } from '../support/world.ts';
import type { Bench } from '../support/world.ts';

/** What an export takes over is watched: a change of any field of any kind shows in the next plan and in drift. */

/** Why a change of a field that the platform shows is not watched; docs/bring-your-server.md has the same rules. */
function whyUnwatched(kind: Kind, name: string, before: Json): string | undefined {
  const field = fieldOf(kind, name);
  const { onNull } = field;
  const canBeUnset = onNull === undefined ? canBeNull(kind, name) : 'value' in onNull;
  if (field.madeUp?.test(String(before)) === true) return 'the platform makes the name up';
  if (field.growsByItself === true) return 'the platform itself adds to the list';
  if (before === null && !canBeUnset) return 'it has no value, and no block can say so';
  return undefined;
}

/** The body of a stand with every field that people can change set to an example, in the case that the stand has. */
function changedBody({ kind, parent, body }: Stand, example: 0 | 1): Body {
  const link = kind.parents[parent];
  if (link === undefined) return body;
  const fields = [...writtenFields(kind, link)].flatMap(([written, target]): [string, Json][] => {
    if (target.is !== 'field' || target.isAlias === true || target.field === kind.identity.keyField) return [];
    const isKey = typeof kind.identity.key !== 'function' && kind.identity.key.includes(target.field);
    const isTag = kind.unions?.some(({ tag }) => tag === target.field) === true;
    const { examples, onChange = 'write' } = fieldOf(kind, target.field);
    const isFixed = onChange === 'replace' || (typeof onChange === 'object' && 'refuse' in onChange);
    const isOther = !isInCase(kind, target.field, (tag) => body[tag] ?? kind.fields[tag]?.otherwise);
    return isKey || isTag || isFixed || isOther ? [] : [[written, examples[example]]];
  });
  return { ...body, ...Object.fromEntries(fields) };
}

async function applied(made: Bench, text: string): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    await made.apply(text, { adoption: true, dataLoss: true });
    for (const gitlabId of Object.keys(made.emulator.world.tables.gitlab))
      await made.emulator.act('gitlab.connect', { gitlabId });
  }
}

const textOf = (group: readonly Stand[], bodyOf: (stand: Stand) => Body) =>
  manifestOf(group.map((stand) => manifestWith(stand, bodyOf(stand))));

test.each(
  together(triedStands()).flatMap(({ title, group }) =>
    ([0, 1] as const).map((example) => [title, example, group] as const),
  ),
)('%s: every field that a person changes after an export (example %i) shows', async (_, example, group) => {
  const [{ kind }] = group as [Stand];
  const made = kindBench();
  await applied(
    made,
    textOf(group, ({ body }) => body),
  );
  const ids = group.map((stand) => made.store.state?.resources[addressOf(stand)]?.id);
  const exported = await exportOf(made);
  const rowsBefore = await rowsOf(made);
  const files = Object.fromEntries(exported.files);
  const own = benchWith(made, exported);
  for (const { name, value } of exported.secrets) own.secrets[name] = value;
  const empty = await own.plan(files);
  expect(empty.actions.flatMap((one) => (one.action === 'no-op' ? [] : [one.address]))).toEqual([]);
  const person = bench({ emulator: made.emulator, clock: made.clock });
  Object.assign(person.secrets, made.secrets);
  await applied(
    person,
    textOf(group, (stand) => changedBody(stand, example)),
  );
  const rowsAfter = await rowsOf(made);
  const plan = await own.plan(files);
  const { findings } = await driftOf(own, files, { remembers: false });
  for (const [at, stand] of group.entries()) {
    const id = ids[at] ?? '';
    const address = [...exported.blocks.keys()].find((one) => exported.state.resources[one]?.id === id);
    if (address === undefined) throw new Error(`no block for ${addressOf(stand)}`);
    expect(exported.blocks.get(address)?.kind).toBe(kind);
    if (kind.identity.keyField !== undefined) expect(address).toBe(addressOf(stand));
    const [before, after] = [rowsBefore.get(id), rowsAfter.get(id)];
    if (before === undefined || after === undefined) throw new Error('the platform does not have it');
    const changed = Object.keys(kind.fields).filter((name) => {
      const [old, now] = [before, after].map((row: Row) => observedValue(kind, name, row) ?? null) as [Json, Json];
      return isInCase(kind, name, (tag) => before[tag]) && !means(kind.fields[name]?.codec ?? plain, old, now);
    });
    const shown = new Set(
      plan.actions.flatMap((one) =>
        one.address === address
          ? one.attributes.flatMap(({ attribute, decision }) => (decision.do === 'nothing' ? [] : [attribute.field]))
          : [],
      ),
    );
    const isWatched = (name: string) =>
      whyUnwatched(kind, name, observedValue(kind, name, before) ?? null) === undefined;
    expect(
      changed.filter((name) => !shown.has(name) && isWatched(name)),
      address,
    ).toEqual([]);
    // A kind of which all fields are its key has nothing that people change.
    if (example === 1 && JSON.stringify(changedBody(stand, 1)) !== JSON.stringify(stand.body))
      expect(changed, address).not.toEqual([]);
    const drifted = new Set(findings.flatMap((one) => (one.address === address ? [one.path] : [])));
    const isInDrift = (name: string) => [...drifted].some((path) => `${path}.`.startsWith(`${fieldPath(kind, name)}.`));
    expect(
      [...shown].filter((name) => !isInDrift(name)),
      address,
    ).toEqual([]);
  }
});
