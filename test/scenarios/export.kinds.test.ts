import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import type { Union } from '../../src/kind/field.ts';
import { writtenFields } from '../../src/kind/written-keys.ts';
import { benchWith, exportOf, worldOf } from '../support/exporting.ts';
import type { Body, Stand } from '../support/kind-manifests.ts';
import { addressOf, manifestOf, manifestWith, together, triedStands } from '../support/kind-manifests.ts';
import { kindBench } from '../support/kind-world.ts';
import { means, plain } from '../../src/kind/codecs.ts';
import type { Row } from '../../src/formats/json.ts';
import { isInCase, observedValue } from '../../src/kind/row-values.ts';
import { createReader } from '../../src/observe/reader.ts';
import type { Survey } from '../../src/export/survey.ts';
import { survey, withChildren } from '../../src/export/survey.ts';
import type { Bench } from '../support/world.ts';

/** Every kind, below every parent, in every case of its unions, with every field that it declares: exported and planned. */

/** The bodies of a stand with all fields set, one for each case of its unions. */
function fullBodies(stand: Stand): Body[] {
  const { kind, parent } = stand;
  const link = kind.parents[parent];
  if (link === undefined) return [];
  const beside = (kind.unions ?? []).filter(({ at }) => at === undefined);
  const elsewhere = new Set(
    beside.flatMap(({ tag, cases }) => [tag, ...Object.values(cases).flatMap((fields) => Object.values(fields))]),
  );
  // An export writes the ids of what the platform has.
  const present = Object.keys(kind.fields).includes('accessedProjects')
    ? {
        accessedProjects: ['prj_1'],
        accessedEnvironments: ['env_prj_1'],
        accessedServices: [],
        accessedGitProviders: [],
      }
    : {};
  const fields = [...writtenFields(kind, link)].flatMap(([written, target]): [string, Json][] => {
    if (target.is !== 'field' || target.isAlias === true || elsewhere.has(target.field)) return [];
    if (target.field === kind.identity.keyField) return [];
    return [[written, kind.fields[target.field]?.examples[1] ?? null]];
  });
  const plain = { ...stand.body, ...Object.fromEntries(fields), ...present };
  const groups = (kind.unions ?? [])
    .filter(({ at }) => at !== undefined)
    .map((union) => ({ at: union.at ?? '', bodies: casesOf(stand, union) }));
  const most = Math.max(1, ...groups.map(({ bodies }) => bodies.length));
  return Array.from({ length: most }, (_, turn) => ({
    ...plain,
    ...Object.fromEntries(groups.map(({ at, bodies }) => [at, bodies[turn % bodies.length] ?? {}])),
  }));
}

/** The body of a copy, whose ports of the machine are other ones. */
function withOwnPorts({ kind }: Stand, body: Body, copy: number): Body {
  const entries = Object.entries(body).map(([name, value]): [string, Json] => {
    const isPort = typeof value === 'number' && kind.fields[name]?.inPreviews === 'own';
    return [name, isPort ? value + 10 * copy : value];
  });
  return Object.fromEntries(entries);
}

function casesOf({ kind }: Stand, { cases }: Union): Body[] {
  return Object.entries(cases).map(([type, fields]) => ({
    type,
    ...Object.fromEntries(
      Object.entries(fields).map(([written, name]) => [written, kind.fields[name]?.examples[0] ?? null]),
    ),
  }));
}

function surveyOf(made: Bench): Promise<Survey> {
  const { client, kinds } = made.world();
  return survey(createReader(client), kinds, 'prj_1');
}

function rowAt({ tops }: Survey, id: string | null | undefined): Row {
  const found = tops.flatMap((top) => [...withChildren(top)]).find((object) => object.id === id);
  if (found === undefined) throw new Error('the platform does not have it');
  return found.row;
}

/** The fields that the blocks of stands declare, by their addresses. */
async function declaredIn(made: Bench, text: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const { resources } = await made.manifest(text);
  return new Map(
    resources.map(({ address, fields, maps }) => [address, [...Object.keys(fields), ...Object.keys(maps)]]),
  );
}

/** Applies until nothing is left: a git provider is listed once somebody has connected it. */
async function applyAll(made: Bench, files: string | Record<string, string>): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    const { outcomes } = await made.apply(files, { adoption: true, dataLoss: true });
    expect(outcomes.flatMap(({ result, diagnostics }) => (result === 'done' ? [] : diagnostics))).toEqual([]);
    for (const gitlabId of Object.keys(made.emulator.world.tables.gitlab))
      await made.emulator.act('gitlab.connect', { gitlabId });
  }
}

/** Fields of a new object that have another value than the declaration of its kind names. */
function misnamed({ kind, parent }: Stand, row: Row, declared: readonly string[]) {
  const { set = {}, lacks = [] } = kind.parents[parent] ?? {};
  const known = new Set([...declared, ...Object.keys(set), ...lacks]);
  return Object.entries(kind.fields).flatMap(([name, field]) => {
    const seen = observedValue(kind, name, row) ?? null;
    if (
      known.has(name) ||
      !isInCase(kind, name, (tag) => observedValue(kind, tag, row)) ||
      field.secrecy === 'secret' ||
      field.fromParent !== undefined ||
      field.madeUp?.test(String(seen)) === true
    )
      return [];
    const expected = field.atCreate ?? field.otherwise ?? null;
    return means(field.codec ?? plain, expected, seen) ? [] : [{ name, expected, seen }];
  });
}

describe.each(together(triedStands()))('$title', ({ group }) => {
  const [{ kind }] = group as [Stand];
  const isCreated = kind.operations.create !== undefined && kind.lifecycle?.provided === undefined;

  (isCreated ? test : test.skip)('has the values of a new object that its fields name', async () => {
    const made = kindBench();
    const text = manifestOf(group.map((stand) => manifestWith(stand, stand.body)));
    await applyAll(made, text);
    const found = await surveyOf(made);
    const declared = await declaredIn(made, text);
    const wrong = group.map((stand) => {
      const address = addressOf(stand);
      const row = rowAt(found, made.store.state?.resources[address]?.id);
      return [address, misnamed(stand, row, declared.get(address) ?? [])];
    });
    expect(wrong).toEqual(group.map((stand) => [addressOf(stand), []]));
  });

  const bodies = group.map((stand) => fullBodies(stand));
  const turns = Array.from({ length: Math.max(...bodies.map(({ length }) => length)) }, (_, turn) => turn + 1);
  test.each(turns)(
    'with all fields (%i) is exported: the plan is empty, and an apply elsewhere gives the same world',
    async (turn) => {
      const made = kindBench();
      const texts = group.flatMap((stand, at) => {
        const body = bodies[at]?.[turn - 1];
        return body === undefined ? [] : [{ stand, text: manifestWith(stand, withOwnPorts(stand, body, at)) }];
      });
      await applyAll(made, manifestOf(texts.map(({ text }) => text)));
      made.requests('POST');
      const exported = await exportOf(made);
      expect(made.requests('POST')).toEqual([]);
      expect(
        exported.notes.filter(
          ({ address = '' }) => !/^(sshKeys\.key-|(vault|dns)Providers\.|members\["admin|webServer$)/.test(address),
        ),
      ).toEqual([]);
      // An object without a name gets a key of its own.
      for (const { stand } of texts)
        if (kind.identity.keyField !== undefined) expect([...exported.blocks.keys()]).toContain(addressOf(stand));
      expect([...exported.blocks.values()].filter((one) => one.kind === kind).length).toBeGreaterThanOrEqual(
        texts.length,
      );
      const files = Object.fromEntries(exported.files);
      const plan = await benchWith(made, exported).plan(files);
      expect(
        plan.actions.flatMap(({ address, action, changes }) =>
          action === 'no-op' ? [] : [{ address, action, changes }],
        ),
      ).toEqual([]);
      expect(plan.actions.flatMap(({ notes }) => notes)).toEqual([]);
      // What the platform never shows has to be written by hand before it can be applied elsewhere.
      const isHidden = exported.notes.some(({ message }) => message.includes('the platform never shows it'));
      expect(isHidden).toBe(['vaultProvider', 'dnsProvider'].includes(kind.kind));
      if (isHidden) return;
      const other = kindBench();
      for (const { name, value } of exported.secrets) other.secrets[name] = value;
      await applyAll(other, files);
      expect(worldOf(other)).toEqual(worldOf(made));
    },
  );
});
