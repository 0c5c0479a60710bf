import { mergeOption } from '../../src/kind/written-keys.ts';
import { addBlock, coreFields, envFrom, pick, setField, valueFor } from './random-blocks.ts';
import type { Seed } from './random-blocks.ts';
import type { Model, Placed } from './random-manifest.ts';
import {
  blocksOf,
  environmentsOf,
  forgetHome,
  keysOf,
  kindsBelow,
  linkOf,
  removeTwins,
  renewable,
  valuesOf,
} from './random-manifest.ts';

/** Changes of random manifests. */

/** One change of the manifest. */
export type Edit =
  | { readonly edit: 'add'; readonly at: number; readonly seed: Seed }
  /** `isBold`: one that is protected, if there is one. */
  | { readonly edit: 'remove'; readonly at: number; readonly isBold: boolean }
  | { readonly edit: 'set'; readonly at: number; readonly field: number; readonly value: number }
  | { readonly edit: 'unset'; readonly at: number; readonly field: number }
  | { readonly edit: 'env'; readonly at: number; readonly env: readonly number[] | undefined }
  /** One of the variables of a block goes. */
  | { readonly edit: 'variable'; readonly at: number; readonly key: number }
  | { readonly edit: 'rename'; readonly at: number; readonly key: number; readonly follow: boolean }
  | { readonly edit: 'relocate'; readonly at: number; readonly to: number; readonly follow: boolean }
  | { readonly edit: 'retag'; readonly at: number; readonly case: number }
  | { readonly edit: 'option'; readonly at: number; readonly option: number }
  | { readonly edit: 'renew'; readonly at: number };

/** Makes one change; gives words for it, or undefined when it does not fit. */
export function applyEdit(model: Model, change: Edit): string | undefined {
  const words = make(model, change);
  removeTwins(model);
  return words;
}

function make(model: Model, change: Edit): string | undefined {
  const all = blocksOf(model);
  const placed = pick(all, change.at);
  if (change.edit === 'add') {
    const fitting = [undefined, ...all].filter((item) => item === undefined || kindsBelow(item.block.kind).length > 0);
    const parent = fitting[change.at % fitting.length];
    addBlock(model, parent?.block, change.seed);
    return `add below ${parent?.address ?? 'the project'}`;
  }
  if (placed === undefined) return undefined;
  const { block, address, parent } = placed;
  const link = linkOf(block.kind, parent?.block.kind);
  const siblings = parent?.block.children ?? model.roots;
  switch (change.edit) {
    case 'remove': {
      const guarded = all.filter((item) => item.block.options.protect === true);
      const going = (change.isBold ? pick(guarded, change.at) : undefined) ?? placed;
      const beside = going.parent?.block.children ?? model.roots;
      beside.splice(beside.indexOf(going.block), 1);
      return `remove ${going.address}`;
    }
    case 'set':
      setField(model, block, link, change.field, change.value);
      return `set a field of ${address}`;
    case 'unset': {
      const core = coreFields(block.kind, link, block);
      const name = pick(
        Object.keys(block.fields).filter(
          (item) => !core.includes(item) && !(block.kind.unions ?? []).some((union) => union.tag === item),
        ),
        change.field,
      );
      if (name === undefined) return undefined;
      delete block.fields[name];
      return `leave out ${name} of ${address}`;
    }
    case 'env':
      if (block.kind.fields.env === undefined) return undefined;
      block.env = envFrom(model, block, change.env);
      return `env of ${address}`;
    case 'variable': {
      const holders = all.filter(
        (item) => item.block.env?.is === 'map' && Object.keys(item.block.env.entries).length > 0,
      );
      const holder = pick(holders, change.at);
      if (holder?.block.env?.is !== 'map') return undefined;
      const { entries, mode } = holder.block.env;
      const name = pick(Object.keys(entries), change.key) ?? '';
      const { [name]: _, ...others } = entries;
      holder.block.env = { is: 'map', mode, entries: others };
      return `leave out the variable ${name} of ${holder.address}`;
    }
    case 'rename': {
      const key = pick(keysOf(block.kind), change.key) ?? '';
      if (siblings.some((other) => other.kind === block.kind && other.key === key)) return undefined;
      block.key = key;
      if (!change.follow) forgetHome(block);
      return `rename ${address} to ${key}${change.follow ? ' with moved:' : ''}`;
    }
    case 'relocate': {
      if (block.kind.operations.move === undefined) return undefined;
      const target = pick(environmentsOf(model), change.to);
      if (target === undefined || target === parent?.block) return undefined;
      if (target.children.some((other) => other.kind === block.kind && other.key === block.key)) return undefined;
      siblings.splice(siblings.indexOf(block), 1);
      target.children.push(block);
      if (!change.follow) forgetHome(block);
      return `move ${address} to ${target.key}${change.follow ? ' with moved:' : ''}`;
    }
    case 'retag':
      return retag(model, placed, change.case);
    case 'option': {
      if (change.option === 0) block.options = {};
      if (change.option === 1) block.options = { ...block.options, protect: true };
      if (change.option === 2) block.options = { ...block.options, protect: false };
      const isFirst = change.option === 3 || change.option === 5;
      if (change.option > 4 && block.kind.commands?.deploy !== undefined)
        block.options = { ...block.options, deploy: isFirst ? 'never' : 'onChange' };
      else if (change.option > 2 && block.kind.operations.deleteOptions?.deleteVolumes !== undefined)
        block.options = { ...block.options, deleteVolumes: isFirst };
      if (change.option > 2 && mergeOption(block.kind)?.name === 'accessMode')
        block.options = { ...block.options, accessMode: isFirst ? 'own' : 'merge' };
      return `options of ${address}: ${JSON.stringify(block.options)}`;
    }
    case 'renew': {
      const found = pick(
        all.filter((item) => renewable.includes(item.block.kind.kind)),
        change.at,
      );
      if (found === undefined) return undefined;
      const renewed = found.block;
      if (renewed.kind.kind === 'notification') return retag(model, found, change.at);
      const name = renewed.kind.kind === 'sshKey' ? 'publicKey' : 'autoRenew';
      const [one = '', other = ''] = valuesOf(renewed.kind, name, renewed.uid);
      renewed.fields[name] = renewed.fields[name] === one ? other : one;
      return `renew ${renewed.kind.kind} ${renewed.key}`;
    }
    default:
      return change satisfies never;
  }
}

/** Chooses a case of a union. */
function retag(model: Model, { block, address, parent }: Placed, number: number): string | undefined {
  const unions = block.kind.unions ?? [];
  const union = unions[Math.floor(number / 7) % Math.max(1, unions.length)];
  if (union === undefined) return undefined;
  for (const fields of Object.values(union.cases)) for (const name of Object.values(fields)) delete block.fields[name];
  block.fields[union.tag] = pick(Object.keys(union.cases), number) ?? '';
  const link = linkOf(block.kind, parent?.block.kind);
  for (const name of coreFields(block.kind, link, block)) block.fields[name] ??= valueFor(model, block, name, number);
  return `make ${address} a ${String(block.fields[union.tag])}`;
}
