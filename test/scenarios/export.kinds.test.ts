import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import type { Union } from '../../src/kind/field.ts';
import { writtenFields } from '../../src/kind/written.ts';
import { benchWith, exportOf, worldOf } from '../support/exporting.ts';
import type { Body, Stand } from '../support/kind-manifests.ts';
import { addressOf, manifestWith, triedStands } from '../support/kind-manifests.ts';
import { kindBench } from '../support/kind-world.ts';
import { means, plain } from '../../src/kind/codecs.ts';
import type { Row } from '../../src/formats/json.ts';
import { isInCase, observedValue } from '../../src/kind/wire.ts';
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

/** The fields that the block of a stand declares. */
async function declaredIn(made: Bench, stand: Stand): Promise<string[]> {
  const { resources } = await made.manifest(manifestWith(stand, stand.body));
  const { fields = {}, maps = {} } = resources.find(({ address }) => address === addressOf(stand)) ?? {};
  return [...Object.keys(fields), ...Object.keys(maps)];
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

describe.each(triedStands().map((stand) => ({ title: stand.title, stand })))('$title', ({ stand }) => {
  const { kind, parent, body } = stand;
  const isCreated = kind.operations.create !== undefined && kind.lifecycle?.provided === undefined;

  (isCreated ? test : test.skip)('has the values of a new object that its fields name', async () => {
    const made = kindBench();
    await applyAll(made, manifestWith(stand, body));
    const row = rowAt(await surveyOf(made), made.store.state?.resources[addressOf(stand)]?.id);
    const { set = {}, lacks = [] } = kind.parents[parent] ?? {};
    const declared = new Set([...(await declaredIn(made, stand)), ...Object.keys(set), ...lacks]);
    const wrong = Object.entries(kind.fields).flatMap(([name, field]) => {
      const seen = observedValue(kind, name, row) ?? null;
      if (
        declared.has(name) ||
        !isInCase(kind, name, (tag) => observedValue(kind, tag, row)) ||
        field.secrecy === 'secret' ||
        field.fromParent !== undefined ||
        field.madeUp?.test(String(seen)) === true
      )
        return [];
      const expected = field.atCreate ?? field.otherwise ?? null;
      return means(field.codec ?? plain, expected, seen) ? [] : [{ name, expected, seen }];
    });
    expect(wrong).toEqual([]);
  });

  test.each(fullBodies(stand).map((body, at) => [at + 1, body] as const))(
    'with all fields (%i) is exported: the plan is empty, and an apply elsewhere gives the same world',
    async (_, body) => {
      const made = kindBench();
      await applyAll(made, manifestWith(stand, body));
      made.requests('POST');
      const exported = await exportOf(made);
      expect(made.requests('POST')).toEqual([]);
      expect(exported.notes.filter(({ address = '' }) => !/^(sshKeys\.key-|members\["admin)/.test(address))).toEqual(
        [],
      );
      // An object without a name gets a key of its own.
      if (stand.kind.identity.keyField !== undefined) expect([...exported.blocks.keys()]).toContain(addressOf(stand));
      expect([...exported.blocks.values()]).toContain(stand.kind.kind);
      const files = Object.fromEntries(exported.files);
      const plan = await benchWith(made, exported).plan(files);
      expect(
        plan.actions.flatMap(({ address, action, changes }) =>
          action === 'no-op' ? [] : [{ address, action, changes }],
        ),
      ).toEqual([]);
      expect(plan.actions.flatMap(({ notes }) => notes)).toEqual([]);
      const other = kindBench();
      for (const { name, value } of exported.secrets) other.secrets[name] = value;
      await applyAll(other, files);
      expect(worldOf(other)).toEqual(worldOf(made));
    },
  );
});
