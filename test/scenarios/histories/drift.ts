import { requiredMembers } from '../../../src/api/contract.ts';
import type { Operation } from '../../../src/api/contract.ts';
import type { Json, Row } from '../../../src/formats/json.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import { carrierOf, createOf, idMember, nested, takes, updatesOf } from '../../../src/kind/row-values.ts';
import { kinds } from '../../../src/resources/index.ts';
import { blockFrom, openFields, pick, weighted } from '../../support/random-blocks.ts';
import type { Drift } from '../../support/random-commands.ts';
import type { Block, Model } from '../../support/random-manifest.ts';
import {
  blocksOf,
  fieldOf,
  isNamed,
  isRef,
  kindsBelow,
  linkOf,
  nullOf,
  steady,
  valuesOf,
} from '../../support/random-manifest.ts';
import { changedThrough } from '../../support/changed-through.ts';
import type { Act } from './by-hand.ts';
import { removalOf } from './by-hand.ts';
import type { Snapshot } from './platform.ts';
import { isDataMount, isListed, look, rowsOf, services, steadyIds, tableOf, valueIn } from './platform.ts';
import type { Run } from './run.ts';
import { idAt } from './run.ts';

/** From numbers to what somebody does by hand. */

/** An object of the platform that somebody may change. */
interface Target {
  readonly kind: Kind;
  readonly id: string;
  readonly row: Row;
}

const envTexts = ['A=1\n', '# note\nB="x y"\nFOREIGN=here\n', 'A=9\nFOREIGN=there\nOTHER=\n', ''];

/** What somebody does; nothing where it does not fit. */
export function actsFor(run: Run, model: Model, drift: Drift): Act[] {
  const seen = look(run.made.emulator);
  const all = targetsIn(seen);
  const target = pick(all, drift.at);
  if (target === undefined) return [];
  switch (drift.drift) {
    case 'update':
      return updateOf(target, drift);
    case 'env': {
      const holder = pick(
        all.filter(({ kind }) => kind.fields.env !== undefined),
        drift.at,
      );
      const operation = holder === undefined ? undefined : carrierOf(holder.kind, 'env');
      const env = pick(envTexts, drift.text) ?? '';
      return holder === undefined || operation === undefined ? [] : [updateWith(holder, operation, { env })];
    }
    case 'connect':
      return connections(seen);
    case 'delete':
      return target.row.isDefault === true ? [] : removalOf(target.kind, target.id, target.row);
    case 'create': {
      const parents = [undefined, ...all.filter(({ kind }) => kindsBelow(kind).length > 0)];
      const parent = pick(parents, drift.at);
      const nothing = { uid: 0, key: '', fields: {}, env: undefined, options: {}, children: [], home: undefined };
      const stub = parent === undefined ? undefined : { ...nothing, kind: parent.kind };
      const block = blockFrom(model, stub, drift.seed);
      return block === undefined ? [] : creationOf(block, parent);
    }
    case 'anticipate': {
      const missing = blocksOf(model).filter(({ address }) => idAt(run, address) === undefined);
      const placed = pick(missing, drift.at);
      if (placed === undefined) return [];
      const parent = placed.parent === undefined ? undefined : all.find(isAt(run, placed.parent.address));
      if (placed.parent !== undefined && parent === undefined) return [];
      return creationOf(placed.block, parent, drift.without);
    }
    case 'move': {
      const service = pick(
        all.filter(({ kind }) => kind.operations.move !== undefined),
        drift.at,
      );
      const to = pick(
        all.filter(({ kind }) => kind.kind === 'environment'),
        drift.to,
      );
      const move = service?.kind.operations.move;
      if (service === undefined || to === undefined || move === undefined) return [];
      return [{ operation: move.call, input: { [service.kind.identity.id]: service.id, [move.as]: to.id } }];
    }
    case 'deploy': {
      const service = pick(
        all.filter(({ kind }) => services.includes(kind)),
        drift.at,
      );
      if (service === undefined) return [];
      return [{ operation: `${tableOf(service.kind)}.deploy`, input: { [service.kind.identity.id]: service.id } }];
    }
    default:
      return drift satisfies never;
  }
}

/** Somebody allows the connections that wait for it. */
export function connections(seen: Snapshot): Act[] {
  const gitlab = kinds.find(({ kind }) => kind === 'gitlab');
  const rows = gitlab === undefined ? [] : [...rowsOf(seen, gitlab)];
  return rows.flatMap(([gitlabId, row]) =>
    gitlab === undefined || isListed(gitlab, row) ? [] : [{ operation: 'gitlab.connect', input: { gitlabId } }],
  );
}

function targetsIn(seen: Snapshot): Target[] {
  return kinds.flatMap((kind) =>
    [...rowsOf(seen, kind)]
      .filter(([id, row]) => !isDataMount(seen, row) && !steadyIds.has(id))
      .map(([id, row]) => ({ kind, id, row })),
  );
}

const isAt =
  (run: Run, address: string) =>
  ({ id }: Target): boolean =>
    id === idAt(run, address);

function updateOf(found: Target, change: Extract<Drift, { drift: 'update' }>): Act[] {
  const { kind, row } = found;
  const carried = Object.keys(kind.fields).filter(
    // What the platform never shows nobody can see changed.
    (item) =>
      item !== 'env' &&
      fieldOf(kind, item).hiddenAs === undefined &&
      carrierOf(kind, item) !== undefined &&
      takes(carrierFor(kind, item, row), item),
  );
  const name = pick(weighted(kind, carried), change.field);
  if (name === undefined || (kind.kind === 'environment' && row.isDefault === true && name === 'name')) return [];
  const { refersTo, examples } = fieldOf(kind, name);
  const target = refersTo === undefined ? undefined : (steady[refersTo]?.[0].id ?? null);
  const other =
    target === undefined
      ? valuesOf(kind, name, numberOf(found.id))[change.value]
      : Array.isArray(examples[0])
        ? [target]
        : target;
  const value = change.value === 2 ? nullOf(kind, name)?.value : other;
  if (value === undefined) return [];
  return [changedThrough(kind, name, row, value) ?? updateWith(found, carrierFor(kind, name, row), { [name]: value })];
}

/** A number of an object for values that no two objects may have in common; blocks have smaller ones. */
function numberOf(id: string): number {
  return Buffer.from(id).reduce((sum, byte) => (sum * 31 + byte) % 9_000, 0) + 1_000;
}

function updateWith({ kind, id, row }: Target, operation: Operation, input: Act['input']): Act {
  const required = requiredMembers(operation).map((name) => [name, valueIn(kind, name, row)]);
  const members = { ...Object.fromEntries(required), [idMember(kind, operation)]: id, ...input };
  return { operation, input: nested(members) as Act['input'] };
}

/** The operation by which somebody changes a field: where there is a choice of sources, often that of another one. */
function carrierFor(kind: Kind, name: string, row: Row): Operation {
  const chosen = carrierOf(kind, name, (tag) => valueIn(kind, tag, row)) ?? carrierOf(kind, name);
  const [first] = updatesOf(kind);
  const operation = chosen ?? first;
  if (operation === undefined) throw new Error(`nothing carries ${name} of a ${kind.kind}`);
  return operation;
}

/** Makes what a block says, below an object; without some of what can be left out. */
function creationOf(block: Block, parent: Target | undefined, without = 0): Act[] {
  const { kind, fields, key } = block;
  const create = createOf(kind, (tag) => fields[tag]);
  if (create === undefined) return [];
  const link = linkOf(kind, parent?.kind);
  const context = { projectId: 'prj_1', organizationId: 'org_1', userId: 'user_1' };
  const written = (name: string): Json | undefined => {
    const value = fields[name];
    return value === null || isRef(value) || isNamed(value) ? undefined : value;
  };
  const input: Record<string, Json> = {};
  for (const [name, from] of Object.entries(link.set)) {
    const value =
      'value' in from
        ? from.value
        : 'parent' in from
          ? parent?.id
          : 'context' in from
            ? context[from.context]
            : (written(from.sameAs) ?? key);
    if (value !== undefined) input[name] = value;
  }
  if (kind.identity.keyField !== undefined) input[kind.identity.keyField] ??= written(kind.identity.keyField) ?? key;
  for (const [at, name] of openFields(block, link).entries()) {
    const value = written(name);
    const isLeftOut = without > 0 && (at + without) % 3 === 0 && !requiredMembers(create).includes(name);
    if (value !== undefined && takes(create, name) && !isLeftOut) input[name] ??= value;
  }
  for (const { tag } of kind.unions ?? []) {
    const value = written(tag);
    if (value !== undefined && takes(create, tag)) input[tag] = value;
  }
  for (const name of requiredMembers(create)) {
    const value = kind.fields[name]?.atCreate;
    if (value !== undefined) input[name] ??= value;
  }
  return [{ operation: create, input: nested(input) as Act['input'] }];
}
