import { parse as parseDotenv } from 'dotenv';
import equal from 'fast-deep-equal';
import { means, plain } from '../../../src/kind/codecs.ts';
import type { Json, Row } from '../../../src/formats/json.ts';
import { canonical } from '../../../src/formats/json.ts';
import { fieldPath } from '../../../src/kind/row-values.ts';
import { fieldOf, linkOf } from '../../support/random-manifest.ts';
import type { Block } from './declared.ts';
import type { Snapshot } from './platform.ts';
import { idsIn, isLetGo, isOfThePlatform, look, rowsOf, valueIn } from './platform.ts';
import { movedMemory } from './prediction.ts';
import type { Episode, Memory, Pair, Run } from './run.ts';
import { idAt, recorded } from './run.ts';
import { holds, same } from './same.ts';
import type { OutputIn } from './wanted.ts';
import { wantedFields, wantedVariables } from './wanted.ts';

/** An object of a block after an apply, with all that it is compared with. */
interface Applied {
  readonly episode: Episode;
  readonly block: Block;
  readonly after: Snapshot;
  readonly row: Row;
  /** The same object before; undefined when there was none. */
  readonly earlier: Row | undefined;
  /** What was remembered of this object. */
  readonly known: Memory | undefined;
  readonly wanted: Readonly<Record<string, Json | undefined>>;
  readonly outputIn: OutputIn;
}

/** Each block is on the platform as it is declared, and nothing else of it changed. Gives what is to be remembered. */
export function expectDeclared(run: Run, episode: Episode): Map<string, Memory> {
  const { declared, before, prediction } = episode;
  const { blocks } = declared;
  const after = look(run.made.emulator);
  same(recorded(run).toSorted(), blocks.map(({ address }) => address).toSorted(), 'addresses in the state');
  const known = movedMemory(run.memory, declared);
  const outputIn: OutputIn = (block, from) => {
    const value = rowsOf(after, block.kind).get(idAt(run, block.address) ?? '')?.[from];
    return typeof value === 'string' ? value : undefined;
  };
  const memory = new Map<string, Memory>();
  const mine = new Set<string>();
  for (const block of blocks) {
    const { kind, address, parent } = block;
    const id = idAt(run, address) ?? '';
    const row = rowsOf(after, kind).get(id);
    if (row === undefined) throw new Error(`${address} (${id}) is not on the platform`);
    holds(!mine.has(id), `${address} has the same object as another block, ${id}`);
    mine.add(id);
    if (parent !== undefined) {
      same(row[linkOf(kind, parent.kind).idAt], idAt(run, parent.address), `the parent of ${address}`);
    }
    const old = known.get(address);
    expectIdentity(episode, block, { id, was: prediction.objects.get(address) });
    const applied: Applied = {
      episode,
      block,
      after,
      row,
      outputIn,
      earlier: rowsOf(before, kind).get(id),
      known: old?.id === id ? old : undefined,
      wanted: wantedFields(declared, block, outputIn),
    };
    const content = { ...expectFields(applied), envKeys: expectVariables(applied), taken: applied.known?.taken ?? {} };
    expectRest(applied);
    // A protection stays until it is lifted.
    const protect = (block.options.protect ?? old?.protect) === true;
    memory.set(address, { kind, id, protect, ...content, intended: undefined });
  }
  return memory;
}

/** What was there is still it, unless the plan replaced it. */
function expectIdentity(
  { planned }: Episode,
  { kind, address }: Block,
  { id, was }: { readonly id: string; readonly was: Row | undefined },
): void {
  if (was === undefined) return;
  const isReplaced = planned.actions.find((action) => action.address === address)?.action === 'replace';
  if (!isReplaced) same(id, was[kind.identity.id], `the id of ${address}`);
  else holds(id !== was[kind.identity.id], `${address} was to be replaced and is still ${id}`);
}

/** What is declared is so. */
function expectFields(applied: Applied): Pick<Memory, 'pairs' | 'sets'> {
  const { block, row, earlier, known, wanted } = applied;
  const { kind, address, options } = block;
  const pairs: Record<string, Pair> = {};
  const sets: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(wanted)) {
    const { codec = plain, growsByItself, onChange } = fieldOf(kind, name);
    const observed = valueIn(kind, name, row);
    if (value === undefined) throw new Error(`${address}.${name} is not known`);
    if (growsByItself === true) {
      const ours = known?.sets[name] ?? [];
      const others = options.accessMode === 'own' ? [] : idsIn(earlier?.[name]).filter((one) => !ours.includes(one));
      sets[name] = idsIn(value);
      const expected = [...new Set([...others, ...idsIn(value)])].toSorted();
      same([...new Set(idsIn(observed))].toSorted(), expected, `${address}.${name}`);
      continue;
    }
    const normal = canonical(codec.normal(value));
    if (means(codec, value, observed)) {
      pairs[name] = { wanted: normal, answered: canonical(codec.normal(observed)) };
      continue;
    }
    const isImmovable = onChange === 'replace' || (typeof onChange === 'object' && 'refuse' in onChange);
    const pair = known?.pairs[name];
    const isTaken = equal(known?.taken[name], { wanted: normal, answered: canonical(codec.normal(observed)) });
    const isDriftLeft = isImmovable && pair?.wanted === normal && isLeft(applied.episode, block, name);
    same(isDriftLeft || isTaken ? value : observed, value, `${address}.${name}`);
    if (pair !== undefined) pairs[name] = pair;
  }
  return { pairs, sets };
}

/** Whether the plan says of a field that it was changed on the platform and is left so. */
function isLeft({ planned }: Episode, { address, kind }: Block, name: string): boolean {
  const notes = planned.actions.find((action) => action.address === address)?.notes ?? [];
  return notes.some(({ code, message }) => code === 'drift-left' && message.includes(`${fieldPath(kind, name)}:`));
}

/** Env is as it is declared, by a reader that is not ours. */
function expectVariables({ episode, block, row, earlier, known, outputIn }: Applied): string[] {
  if (block.env?.is !== 'map') return [];
  const expected = wantedVariables(episode.declared, block, outputIn);
  const isForeign = (key: string) => expected[key] === undefined && known?.envKeys.includes(key) !== true;
  const foreign = Object.entries(parseDotenv(String(earlier?.env ?? ''))).filter(([key]) => isForeign(key));
  const kept = block.env.mode === 'own' ? {} : Object.fromEntries(foreign);
  const now = parseDotenv(String(row.env ?? ''));
  const isTaken = (key: string) => {
    const pair = { wanted: canonical(expected[key] ?? null), answered: canonical(now[key] ?? null) };
    return equal(known?.taken[`env[${JSON.stringify(key)}]`], pair);
  };
  const meant = Object.entries(expected).filter(([key]) => !isTaken(key));
  const left = Object.entries(now).filter(([key]) => expected[key] !== undefined && isTaken(key));
  same(now, { ...kept, ...Object.fromEntries([...meant, ...left]) }, `env of ${block.address}`);
  return Object.keys(expected);
}

/** What is not declared is as it was. */
function expectRest({ block, after, row, earlier, wanted }: Applied): void {
  if (earlier === undefined) return;
  const { kind, env, address } = block;
  const declared = new Set([...Object.keys(wanted), ...(env === undefined ? [] : ['env'])]);
  const wasMoved = earlier.environmentId !== row.environmentId && kind.operations.move !== undefined;
  for (const [column, value] of Object.entries(row)) {
    if (declared.has(column) || (wasMoved && column === 'environmentId')) continue;
    if (isOfThePlatform(column) || isLetGo(after, kind, column, earlier[column], value)) continue;
    const [was, is] = [earlier[column], value].map((one) => {
      if (column === 'gitProvider') return { ...(one as Row), name: '' };
      if (column !== row.notificationType) return one;
      const others = Object.entries(one as Record<string, Json>).filter(([name]) => !declared.has(name));
      return Object.fromEntries(others.map(([name, it]) => [name, (kind.fields[name]?.codec ?? plain).normal(it)]));
    });
    same(is, was, `${address}: ${column}, which is not declared`);
  }
}
