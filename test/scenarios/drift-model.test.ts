import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptDrift } from '../../src/drift/drift-run.ts';
import { driftOf, edit } from '../support/drifting.ts';
import { calendar } from '../support/virtual-clock.ts';
import { effort } from '../support/whole.ts';
import { bench, head } from '../support/world.ts';

/**
 * Random sequences of what people do with drift: hot fixes, acceptances, days that pass, repairs, adoption by hand, restored
 * values and deletions. After each of them `drift` reports what a small model says.
 */

const seed = Number(process.env.TRUEUP_SEED ?? 15);
const runs = Number(process.env.TRUEUP_RUNS ?? effort({ fast: 50, all: 100 }));

const address = 'production.redis.cache';
const fields = ['dockerImage', 'description'] as const;
type FieldName = (typeof fields)[number];
type Values = Record<FieldName, string>;

const manifestOf = (values: Values) => `${head}environments:
  production:
    redis:
      cache:
        databasePassword: correct-horse-battery
        dockerImage: ${values.dockerImage}
        description: ${values.description}
`;

type Command =
  | { readonly do: 'hot fix'; readonly field: FieldName; readonly value: number }
  | { readonly do: 'accept'; readonly field: FieldName; readonly days: number }
  | { readonly do: 'wait'; readonly days: number }
  | { readonly do: 'repair' }
  | { readonly do: 'adopt'; readonly field: FieldName }
  | { readonly do: 'edit'; readonly field: FieldName; readonly value: number }
  | { readonly do: 'restore'; readonly field: FieldName }
  | { readonly do: 'delete' }
  | { readonly do: 'look' };

const field = fc.constantFrom(...fields);
const value = fc.nat(3);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('hot fix' as const), field, value }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('accept' as const), field, days: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.constantFrom(1, 2, 7, 15, 31) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repair' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('adopt' as const), field }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), field, value }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), field }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('look' as const) }) },
);

/** What a person remembers of one finding. Days count from the first one. */
interface Remembered {
  value: string;
  since: number;
  changes: number[];
  gone: number | undefined;
}

/** The world as a person sees it, without the engine. */
interface Model {
  day: number;
  readonly manifest: Values;
  readonly applied: Values;
  readonly platform: Values;
  isThere: boolean;
  /** Counts the objects: a new one has none of the history of the old one. */
  generation: number;
  readonly memory: Map<string, Remembered>;
  /** What a person accepted, by object and field: the value, and the last day. */
  readonly accepted: Map<string, { readonly value: string; readonly until: number }>;
}

const initial: Values = { dockerImage: 'redis:0', description: 'text-0' };
const valueOf = (name: FieldName, number: number) => `${name === 'dockerImage' ? 'redis:' : 'text-'}${number}`;

/** What is to be found now: by field, '' for the object; the value, or undefined for a change that was not applied. */
function expected(model: Model): Map<string, string | undefined> {
  if (!model.isThere) return new Map([['', 'gone']]);
  return new Map(
    fields.flatMap((name): [string, string | undefined][] => {
      const [want, had, has] = [model.manifest[name], model.applied[name], model.platform[name]];
      if (want === has) return [];
      return [[name, has === had ? undefined : has]];
    }),
  );
}

const key = (model: Model, name: string) => `${model.generation} ${name}`;

/** Judges one finding, and remembers it. */
function judged(model: Model, name: string, found: string): string {
  const { day } = model;
  const known = model.memory.get(key(model, name));
  const acceptance = model.accepted.get(key(model, name));
  const until = acceptance?.value === found ? acceptance.until : undefined;
  const judgement = until === undefined ? undefined : until < day ? 'expired' : 'accepted';
  if (known === undefined) {
    model.memory.set(key(model, name), { value: found, since: day, changes: [day], gone: undefined });
    return `${judgement ?? 'new'} since ${day}`;
  }
  const isSame = known.value === found;
  const hasChanged = !isSame || known.gone !== undefined;
  if (hasChanged) {
    known.since = day;
    known.changes.push(day);
  }
  known.value = found;
  known.gone = undefined;
  const status = judgement ?? (hasChanged ? 'new' : 'known');
  const recent = known.changes.filter((one) => day - one < 30).slice(-10);
  return `${status} since ${known.since}${recent.length >= 3 ? `, ${recent.length} changes` : ''}`;
}

/** What a run is to report. */
function look(model: Model): { found: string[]; resolved: string[] } {
  const { day, memory } = model;
  const now = expected(model);
  const found = [...now].map(([name, has]) =>
    has === undefined ? `${name}: not yet applied` : `${name}: ${judged(model, name, has)}`,
  );
  const resolved: string[] = [];
  for (const [one, entry] of memory) {
    const name = one.replace(/^\d+ /, '');
    const isThere = one === key(model, name) && now.get(name) !== undefined;
    if (isThere) continue;
    if (entry.gone === undefined) {
      entry.gone = day;
      entry.changes.push(day);
      resolved.push(name);
    } else if (day - entry.gone >= 30) memory.delete(one);
  }
  return { found: found.toSorted(), resolved: resolved.toSorted() };
}

const start = Date.parse('2026-03-01T12:00:00Z');
const now = (day: number) => start + day * 86_400_000;
const dayOf = (iso: string) => Math.round((Date.parse(`${iso}T12:00:00Z`) - start) / 86_400_000);
const isoDay = (day: number) => new Date(now(day)).toISOString().slice(0, 10);

const permissions = { adoption: true, dataLoss: true, massRecreation: true };

async function live(commands: readonly Command[]): Promise<void> {
  const at = calendar(isoDay(0));
  const made = bench({ clock: at.clock });
  const model: Model = {
    day: 0,
    manifest: { ...initial },
    applied: { ...initial },
    platform: { ...initial },
    isThere: true,
    generation: 0,
    memory: new Map(),
    accepted: new Map(),
  };
  const text = () => manifestOf(model.manifest);
  await made.apply(text(), permissions);
  const id = () => made.store.state?.resources[address]?.id ?? '';
  const compare = async () => {
    const { findings: all, resolved, exitCode } = await driftOf(made, text(), { now: now(model.day) });
    // A value that was adopted is on the platform, and not deployed yet.
    const findings = all.filter(({ summary }) => summary !== 'deploy');
    const says = look(model);
    const found = findings.map(({ path = '', status, since = '', flapping }) => {
      if (status === 'not yet applied') return `${path}: not yet applied`;
      return `${path}: ${status} since ${dayOf(since)}${flapping === undefined ? '' : `, ${flapping.changes} changes`}`;
    });
    expect(found.toSorted()).toEqual(says.found);
    expect(resolved.map(({ field: name = '' }) => name).toSorted()).toEqual(says.resolved);
    const has = (words: RegExp) => says.found.some((one) => words.test(one));
    expect(exitCode).toBe(has(/: (?:new|expired) /) ? 2 : has(/: (?:known|accepted) /) ? 8 : 0);
  };
  const write = async (name: FieldName, next: string) => {
    if (!model.isThere) return;
    await edit(made, 'redis.update', { redisId: id(), [name]: next });
    model.platform[name] = next;
  };
  /** Apply leaves what is accepted until its day. */
  const repair = async () => {
    const drift = expected(model);
    const stays = (name: string) => {
      const acceptance = model.accepted.get(key(model, name));
      return acceptance !== undefined && acceptance.value === drift.get(name) && acceptance.until >= model.day;
    };
    await made.apply(text(), permissions);
    if (!model.isThere && stays('')) return;
    for (const name of fields) {
      if (model.isThere && stays(name)) continue;
      model.applied[name] = model.manifest[name];
      model.platform[name] = model.manifest[name];
    }
    if (!model.isThere) model.generation += 1;
    model.isThere = true;
  };
  for (const one of commands) {
    switch (one.do) {
      case 'hot fix':
        await write(one.field, valueOf(one.field, one.value));
        break;
      case 'restore':
        await write(one.field, model.applied[one.field]);
        break;
      case 'wait':
        model.day += one.days;
        at.addDays(one.days);
        break;
      case 'edit':
        model.manifest[one.field] = valueOf(one.field, one.value);
        break;
      case 'adopt':
        if (model.isThere) model.manifest[one.field] = model.platform[one.field];
        break;
      case 'repair':
        await repair();
        break;
      case 'delete':
        if (model.isThere) await edit(made, 'redis.remove', { redisId: id() });
        model.isThere = false;
        break;
      case 'accept': {
        const until = model.day + one.days;
        const name = model.isThere ? one.field : '';
        const request = { subject: address, until: isoDay(until), because: 'a test', by: 'ops' };
        const about = { folder: { folder: made.folder, file: 'trueup.yaml' }, now: now(model.day) };
        const accepted = acceptDrift(await made.manifest(text()), made.world(), {
          ...about,
          request: { ...request, fields: name === '' ? [] : [name] },
        });
        const has = expected(model).get(name);
        if (has === undefined) await expect(accepted).rejects.toMatchObject({ failure: 'refused' });
        else {
          await accepted;
          model.accepted.set(key(model, name), { value: has, until });
        }
        break;
      }
      case 'look':
        await compare();
        break;
      default:
        one satisfies never;
    }
  }
  await compare();
  // After this, nothing is accepted any more.
  model.day += 30;
  at.addDays(30);
  await repair();
  const { actions } = await made.plan(text());
  expect(actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  await compare();
  expect((await driftOf(made, text(), { now: now(model.day) })).exitCode).toBe(0);
  rmSync(made.folder, { recursive: true, force: true });
}

test('drift reports what a small model says, in random sequences of hot fix, accept, expire, repair and adopt', async () => {
  const sequences = fc.array(command, { minLength: 3, maxLength: 25 });
  await fc.assert(fc.asyncProperty(sequences, live), { seed, numRuns: runs });
}, 600_000);
