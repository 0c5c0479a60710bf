import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import equal from 'fast-deep-equal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import type { Send } from '../../src/api/wire.ts';
import type { ApplyResult } from '../../src/apply/run.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { means, plain } from '../../src/kind/codecs.ts';
import type { Json, Row } from '../../src/kind/json.ts';
import { canonical } from '../../src/kind/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { requiredMembers } from '../../src/api/contract.ts';
import { takes } from '../../src/kind/wire.ts';
import type { Member, Plan } from '../../src/plan/action.ts';
import { applyPlan, plan as makePlan, planDestruction } from '../../src/reconcile.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Drift, Fault, History, Model, Placed } from '../support/random-manifest.ts';
import {
  applyEdit,
  blockFrom,
  blocksOf,
  fieldOf,
  forgetHome,
  histories,
  isRef,
  kindNamed,
  kindsBelow,
  linkOf,
  modelOf,
  nullOf,
  openFields,
  readdressed,
  render,
  targetOf,
  valuesOf,
  weighted,
} from '../support/random-manifest.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/**
 * Random histories of edits, changes by hand, lost states and failing requests. After each apply the platform has to
 * be what the manifest says and nothing else may have changed. What is expected is computed here from the manifest
 * and the rows of the platform, not from the plan.
 */

const seed = Number(process.env.TRUEUP_SEED ?? 1);
const runs = Number(process.env.TRUEUP_RUNS ?? 250);

type Rows = ReadonlyMap<string, Row>;
type Snapshot = ReadonlyMap<Kind, Rows>;

/** What the history remembers of a block that was applied: nothing of it comes from the state. */
interface Memory {
  readonly kind: Kind;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly protect: boolean;
  readonly pairs: Readonly<Record<string, { readonly wanted: string; readonly answered: string }>>;
  readonly envKeys: readonly string[];
}

interface Run {
  readonly made: Bench;
  readonly model: Model;
  memory: Map<string, Memory>;
  readonly trace: string[];
}

const folder = mkdtempSync(join(tmpdir(), 'trueup-random-'));
const services = kindsBelow(kindNamed('environment'));
const tableOf = (kind: Kind) => (kind.kind === 'fileMount' ? 'mount' : kind.kind) as 'compose';

function newRun(start: History['start']): Run {
  let count = 0;
  const emulator = createEmulator({ newId: () => `id_${++count}` });
  return { made: bench({ emulator, folder }), model: modelOf(start), memory: new Map(), trace: [] };
}

/** A comparison that costs little when it holds; `expect` is for the words when it does not. */
function same(actual: unknown, expected: unknown, words?: string): void {
  if (!equal(actual, expected)) expect(actual, words).toEqual(expected);
}

/* ---- the platform, seen without the engine ---- */

function isOfKind(kind: Kind, row: Row): boolean {
  if (kind.kind === 'fileMount') return typeof row.composeId === 'string' && row.type === 'file';
  if (kind.kind === 'mount') return typeof row.composeId !== 'string';
  return kind.kind !== 'environment' || row.projectId === 'prj_1';
}

function look({ made }: Run): Snapshot {
  return new Map(
    kinds.map((kind) => {
      const rows = Object.entries(made.emulator.world.tables[tableOf(kind)] as Record<string, Row>);
      return [
        kind,
        new Map(rows.filter(([, row]) => isOfKind(kind, row)).map(([id, row]) => [id, structuredClone(row)])),
      ];
    }),
  );
}

const rowsOf = (snapshot: Snapshot, kind: Kind): Rows => snapshot.get(kind) ?? new Map();

function parentIdOf(kind: Kind, row: Row): string | undefined {
  for (const link of Object.values(kind.parents)) {
    const id = row[link.idAt];
    if (typeof id === 'string') return id;
  }
  return undefined;
}

/** The volume that a database brings along. */
function isDataMount(snapshot: Snapshot, row: Row): boolean {
  return services.some((kind) => {
    const owner = rowsOf(snapshot, kind).get(String(row[kind.id]));
    return row.type === 'volume' && row.volumeName === `${String(owner?.appName)}-data`;
  });
}

/* ---- what is wanted, from the manifest alone ---- */

/** A declared value with its references filled in from the rows of the platform; undefined while one is not known. */
function wantedFields(
  run: Run,
  { block, parent }: Placed,
  appNameOf: (target: Placed) => string | undefined,
): Record<string, Json | undefined> {
  const wanted: Record<string, Json | undefined> = {};
  for (const [name, value] of Object.entries(block.fields)) {
    if (isRef(value)) {
      const target = targetOf(run.model, block, value);
      const appName = target === undefined ? 'nothing' : appNameOf(target);
      wanted[name] = appName === undefined ? undefined : value.before + appName;
    } else wanted[name] = value === null ? (nullOf(block.kind, name)?.value ?? null) : value;
  }
  const { keyField } = block.kind;
  if (keyField !== undefined && wanted[keyField] === undefined) wanted[keyField] = block.key;
  for (const [name, field] of Object.entries(block.kind.fields)) {
    const inherited = field.fromParent === undefined ? undefined : parent?.block.fields[field.fromParent];
    if (inherited !== undefined && wanted[name] === undefined) wanted[name] = inherited as Json;
  }
  if (block.env?.is === 'text') wanted.env = block.env.text;
  return wanted;
}

/* ---- which refusals are right ---- */

interface Prediction {
  readonly errors: Set<string>;
  /** Objects by address, of what is found. */
  readonly objects: Map<string, Row>;
  readonly adopted: Set<string>;
}

function movedMemory(run: Run, moved: readonly { from: string; to: string }[]): Map<string, Memory> {
  return new Map(
    [...run.memory].map(([address, memory]) => [moved.reduce((at, entry) => readdressed(at, entry), address), memory]),
  );
}

function predict(run: Run, moved: readonly { from: string; to: string }[]): Prediction {
  const snapshot = look(run);
  const memory = movedMemory(run, moved);
  const errors = new Set<string>();
  const objects = new Map<string, Row>();
  const adopted = new Set<string>();
  const matches = new Map<string, string>();
  const replaced = new Set<string>();
  const claimed = new Set([...memory.values()].map(({ id }) => id));
  const placed = blocksOf(run.model);
  const declared = new Set(placed.map(({ address }) => address));
  for (const item of placed) {
    const { block, address, parent } = item;
    const { kind } = block;
    const link = linkOf(kind, parent?.block.kind);
    const wanted = wantedFields(run, item, () => undefined);
    const known = memory.get(address);
    const parentRow = parent === undefined ? undefined : objects.get(parent.address);
    const parentId = parent === undefined ? 'prj_1' : parentRow?.[parent.block.kind.id];
    let row = known === undefined ? undefined : rowsOf(snapshot, kind).get(known.id);
    if (row === undefined) {
      const values: Record<string, Json | undefined> = {};
      for (const name of Object.keys(kind.fields)) {
        const set = link.set[name];
        values[name] =
          set !== undefined && 'value' in set ? set.value : (wanted[name] ?? kind.fields[name]?.platformDefault);
      }
      const key = typeof kind.key === 'function' ? kind.key((name) => values[name]) : kind.key;
      const found = [...rowsOf(snapshot, kind)].filter(
        ([id, candidate]) =>
          !claimed.has(id) &&
          candidate[link.idAt] === parentId &&
          key.every((name) =>
            means(fieldOf(kind, name).codec ?? plain, values[name] ?? null, (candidate[name] ?? null) as Json),
          ),
      );
      if (found.length > 1) errors.add(`ambiguous ${address}`);
      row = found.length === 1 ? found[0]?.[1] : undefined;
      if (row !== undefined) {
        adopted.add(address);
        // One object cannot be two of ours.
        const first = matches.get(String(row[kind.id]));
        if (first === undefined) matches.set(String(row[kind.id]), address);
        else errors.add(`ambiguous ${first}`);
      }
    }
    if (row === undefined) continue;
    objects.set(address, row);
    if (kind.provided?.allows === 'nothing' && isDataMount(snapshot, row)) errors.add(`cannot-change ${address}`);
    const protect = () => {
      if (block.options.protect === true || known?.protect === true) errors.add(`protected ${address}`);
    };
    if (parent !== undefined && replaced.has(parent.address) && parentId === row[link.idAt]) {
      protect();
      continue;
    }
    const unlessReplaced = new Set<string>();
    for (const [name, value] of Object.entries(wanted)) {
      const field = fieldOf(kind, name);
      const fixed = kind.kind === 'environment' && row.isDefault === true && name === 'name';
      const refuses = fixed || (typeof field.onChange === 'object' && 'refuse' in field.onChange);
      if ((!refuses && field.onChange !== 'replace') || value === undefined) continue;
      const codec = field.codec ?? plain;
      const observed = (row[name] ?? null) as Json;
      if (means(codec, value, observed)) continue;
      const pair = adopted.has(address) ? undefined : known?.pairs[name];
      if (pair === undefined) unlessReplaced.add(`cannot-change ${address}`);
      else if (pair.wanted === canonical(codec.normal(value))) continue;
      else if (refuses || pair.answered !== canonical(codec.normal(observed))) errors.add(`cannot-change ${address}`);
      else replaced.add(address);
    }
    if (replaced.has(address)) protect();
    else for (const error of unlessReplaced) errors.add(error);
  }
  for (const [address, { kind, id, protect }] of memory) {
    const row = rowsOf(snapshot, kind).get(id);
    if (declared.has(address) || row === undefined || row.isDefault === true) continue;
    if (protect) errors.add(`protected ${address}`);
  }
  return { errors, objects, adopted };
}

/** Does what the message asks for, so that the history can go on. */
async function heal(run: Run, prediction: Prediction): Promise<void> {
  for (const error of prediction.errors) {
    const [code = '', ...rest] = error.split(' ');
    const address = rest.join(' ');
    const placed = blocksOf(run.model).find((item) => item.address === address);
    const row = prediction.objects.get(address);
    if (code === 'protected') {
      if (placed !== undefined) placed.block.options = {};
      // As if protect: false had been applied before the block was removed.
      const { state } = run.made.store;
      for (const [at, record] of Object.entries(state?.resources ?? {})) {
        if (state !== undefined && record.options.protect === true) {
          const { protect: _, ...options } = record.options;
          run.made.store.state = {
            ...(run.made.store.state ?? state),
            resources: { ...(run.made.store.state ?? state).resources, [at]: { ...record, options } },
          };
        }
      }
      run.memory = new Map([...run.memory].map(([at, memory]) => [at, { ...memory, protect: false }]));
    } else if (code === 'ambiguous' && placed !== undefined) {
      const { kind } = placed.block;
      const claimed = new Set([...run.memory.values()].map(({ id }) => id));
      for (const [id, candidate] of rowsOf(look(run), kind)) {
        if (claimed.has(id) || candidate.isDefault === true || isDataMount(look(run), candidate)) continue;
        for (const service of kind.kind === 'environment' ? services : [])
          for (const [below, row] of rowsOf(look(run), service))
            if (row.environmentId === id)
              await run.made.emulator.act(service.calls.delete, { [service.id]: below, deleteVolumes: false });
        await run.made.emulator.act(kind.calls.delete, { [kind.id]: id, deleteVolumes: false });
      }
    } else if (placed?.block.kind.kind === 'environment') {
      // The default environment cannot be renamed.
      if (run.model.environments.some((other) => other.key === 'production')) forgetHome(placed.block);
      else placed.block.key = 'production';
    } else if (placed !== undefined && row !== undefined) {
      for (const [name, value] of Object.entries(placed.block.fields)) {
        const { onChange } = fieldOf(placed.block.kind, name);
        if (onChange !== 'replace' && !(typeof onChange === 'object' && 'refuse' in onChange)) continue;
        const observed = (row[name] ?? null) as Json;
        if (isRef(value) || equal(value, observed)) continue;
        if (name === 'filePath' && placed.block.fields.type !== 'file' && placed.block.kind.kind === 'mount') continue;
        if (name === 'appName' || observed === null || observed === '') delete placed.block.fields[name];
        else if (name === 'type' && placed.block.kind.kind === 'mount') {
          for (const other of ['hostPath', 'volumeName', 'filePath', 'content']) {
            delete placed.block.fields[other];
            if (
              observed === 'bind'
                ? other === 'hostPath'
                : observed === 'volume'
                  ? other === 'volumeName'
                  : other === 'filePath' || other === 'content'
            )
              placed.block.fields[other] = (row[other] ??
                { content: '', hostPath: '/healed', volumeName: 'healed', filePath: 'healed.conf' }[other] ??
                '') as Json;
          }
          placed.block.fields.type = observed;
        } else placed.block.fields[name] = observed;
      }
      if (placed.block.kind.kind === 'fileMount' && placed.block.fields.filePath === undefined)
        placed.block.fields.filePath = row.filePath as Json;
    }
  }
}

/* ---- one apply, with everything that has to hold after it ---- */

function clientOver(send: Send) {
  return createClient({
    send,
    url: 'emulator:',
    apiKey: 'emulator-key',
    redact: (text) => text,
    sleep: () => Promise.resolve(),
  });
}

function withFault(run: Run, fault: Fault | undefined): { send: Send; wasHit: () => boolean } {
  let posts = 0;
  let wasHit = false;
  const send: Send = async (request) => {
    const broken = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    const isPost = request.method === 'POST';
    // From some request on nothing can be read, or nothing gets through at all.
    if (wasHit && (fault?.how === 'dead' || (fault?.how === 'blind' && !isPost))) throw broken();
    const isHit = isPost && posts++ === fault?.at;
    if (!isHit) return run.made.emulator.send(request);
    wasHit = true;
    run.trace.push(`  (fault ${fault?.how} at ${request.path})`);
    if (fault?.how === 'before') throw broken();
    const answer = await run.made.emulator.send(request);
    if (fault?.how === 'blind' || fault?.how === 'dead') return answer;
    if (fault?.how === 'after') throw broken();
    return { status: 500, headers: { 'content-type': 'application/json' }, body: '{"message":"commit then fail"}' };
  };
  return { send, wasHit: () => wasHit };
}

async function converge(run: Run, fault?: Fault): Promise<void> {
  const { made } = run;
  for (let attempt = 0; ; attempt++) {
    if (attempt > 4) throw new Error('it is refused again and again');
    const { text, moved } = render(run.model, [...run.memory.keys()]);
    run.trace.push(`apply\n${text}`);
    await emptyDoomedEnvironments(run, moved);
    const prediction = predict(run, moved);
    const before = look(run);
    const stateBefore = JSON.stringify(made.store.state);
    made.requests('POST');
    let result: ApplyResult | undefined;
    let planned: Plan | undefined;
    const { send, wasHit } = withFault(run, fault);
    try {
      planned = await planOf(run, text);
      for (const action of planned.actions)
        if (action.needsConsent)
          expect(prediction.adopted, `${action.address} needs consent`).toContain(action.address);
      result = await applyPlan(
        planned,
        { ...made.world(), client: clientOver(send) },
        { permissions: { dataLoss: true, adoption: true }, connections: 4 },
      );
    } catch (error) {
      if (!(error instanceof Stop) || error.failure !== 'refused') throw error;
      const said = new Set(error.diagnostics.map((item) => `${item.code} ${item.address ?? ''}`));
      run.trace.push(`  refused: ${error.message}`);
      if (![...said].some((item) => item.startsWith('ambiguous')))
        same([...said].toSorted(), [...prediction.errors].toSorted(), 'refusals');
      else for (const item of said) expect(prediction.errors, error.message).toContain(item);
      same(made.requests('POST'), []);
      same(JSON.stringify(made.store.state), stateBefore);
      await heal(run, prediction);
      continue;
    }
    same([...prediction.errors], [], 'refusals that should have been');
    checkPosts(run, planned, wasHit());
    const failed = (of: ApplyResult) => of.outcomes.filter((outcome) => outcome.result !== 'done');
    if (!wasHit()) same(wordsOf(failed(result)), [], 'outcomes');
    for (let again = 0; wasHit() && (again === 0 || failed(result).length > 0); again++) {
      if (again > 3) throw new Error(`it does not come right: ${wordsOf(failed(result)).join('; ')}`);
      run.trace.push('  run again');
      const next = await planOf(run, text);
      const second = withFault(run, again === 0 ? fault?.again : undefined);
      result = await applyPlan(
        next,
        { ...made.world(), client: clientOver(second.send) },
        { permissions: { dataLoss: true, adoption: true }, connections: 4 },
      );
      checkPosts(run, next, second.wasHit());
    }
    await checkWorld(run, { before, moved, prediction, text, planned });
    return;
  }
}

function wordsOf(outcomes: ApplyResult['outcomes']): string[] {
  return outcomes.map(
    ({ action, result, diagnostics }) =>
      `${action.action} ${action.address}: ${result} ${diagnostics.map((item) => item.message).join()}`,
  );
}

/** A plan, which sends no POST and no more GETs than it may. */
async function planOf(run: Run, text: string): Promise<Plan> {
  const { made } = run;
  const manifest = made.manifest(text);
  const start = made.emulator.log.length;
  const planned = await makePlan(manifest, made.world());
  const sent = made.emulator.log.slice(start);
  const records = { ...planned.base.resources };
  const addresses = new Set([...Object.keys(records), ...manifest.resources.map(({ address }) => address)]);
  const isRead = (address: string) => {
    const kind = manifest.resources.find((item) => item.address === address)?.kind.kind ?? records[address]?.kind;
    return kind === 'environment' || services.some((item) => item.kind === kind);
  };
  same(
    sent.filter(({ method }) => method !== 'GET'),
    [],
  );
  expect(sent.length, 'reads').toBeLessThanOrEqual(2 + [...addresses].filter(isRead).length);
  return planned;
}

/** Every POST since the last call is one that a step of the plan names. */
function checkPosts(run: Run, planned: Plan, wasHit: boolean): void {
  const { log } = run.made.emulator;
  const posts = log.slice(postsFrom(run)).filter(({ method }) => method === 'POST');
  const allowed = planned.actions.flatMap((action) =>
    [...action.teardown, ...action.steps].map((step) => ({
      action,
      step,
      old: action.id,
      isTeardown: action.teardown.includes(step),
    })),
  );
  const fits = (post: (typeof posts)[number], { action, step, old, isTeardown }: (typeof allowed)[number]) => {
    const sent = post.input as Row;
    if (step.operation !== post.operation) return false;
    if (!Object.entries(sent).every(([name, value]) => mayBe(step.members[name], value))) return false;
    if (step.role === 'create') return true;
    const id = sent[action.kind.id];
    return isTeardown || action.action !== 'replace' ? id === old || old === undefined : id !== old;
  };
  // Each request takes a step of its own; one that it could take may be given up by another for a third.
  const takenBy = new Map<number, number>();
  const takesStep = (post: number, tried: Set<number>): boolean =>
    allowed.some((step, at) => {
      const sent = posts[post];
      if (sent === undefined || tried.has(at) || !fits(sent, step)) return false;
      tried.add(at);
      const holder = takenBy.get(at);
      if (holder !== undefined && !takesStep(holder, tried)) return false;
      takenBy.set(at, post);
      return true;
    });
  for (const [at, { operation, input, status }] of posts.entries()) {
    same(takesStep(at, new Set()), true, `${operation} ${JSON.stringify(input)} is in a step of the plan`);
    if (!wasHit) same(status, 200, `${operation} ${JSON.stringify(input)}`);
  }
  seenPosts.set(run, log.length);
}

/** Whether a plan lets a member of a request have a value. */
function mayBe(member: Member | undefined, value: unknown): boolean {
  if (member === undefined) return false;
  if (member.is === 'value') return equal(member.value.reveal(), value);
  if (member.is !== 'wanted') return true;
  const content = member.wanted.content.reveal();
  return content.hollow || equal(content.value, value);
}

const seenPosts = new WeakMap<Run, number>();
const postsFrom = (run: Run) => seenPosts.get(run) ?? 0;

/** An environment with services that nobody declared cannot be deleted; somebody takes them away first. */
async function emptyDoomedEnvironments(run: Run, moved: readonly { from: string; to: string }[]): Promise<void> {
  const memory = movedMemory(run, moved);
  const declared = new Set(blocksOf(run.model).map(({ address }) => address));
  const ours = new Set([...memory.values()].map(({ id }) => id));
  const doomed = new Set(
    [...memory]
      .filter(([address, { kind }]) => kind.kind === 'environment' && !declared.has(address))
      .map(([, { id }]) => id),
  );
  const seen = look(run);
  for (const kind of services) {
    for (const [id, row] of rowsOf(seen, kind)) {
      if (!doomed.has(String(row.environmentId))) continue;
      if (ours.has(id)) continue;
      await run.made.emulator.act(kind.calls.delete, { [kind.id]: id, deleteVolumes: false });
      run.trace.push(`  (by hand: delete ${kind.kind} ${id} in an environment that goes)`);
    }
  }
}

async function checkWorld(
  run: Run,
  facts: {
    before: Snapshot;
    moved: readonly { from: string; to: string }[];
    prediction: Prediction;
    text: string;
    planned: Plan;
  },
): Promise<void> {
  const { made } = run;
  const { before, moved, prediction, text, planned } = facts;
  const after = look(run);
  const placed = blocksOf(run.model);
  const oldMemory = movedMemory(run, moved);
  const resources = made.store.state?.resources ?? {};
  same(Object.keys(resources).toSorted(), placed.map(({ address }) => address).toSorted(), 'addresses in the state');

  const idOf = (address: string) => resources[address]?.id ?? undefined;
  const appNameOf = (item: Placed): string | undefined => {
    const row = rowsOf(after, item.block.kind).get(idOf(item.address) ?? '');
    return typeof row?.appName === 'string' ? row.appName : undefined;
  };
  const isLeft = (address: string, name: string) =>
    planned.actions.some(
      (action) =>
        action.address === address &&
        action.notes.some(
          (note) =>
            note.code === 'drift-left' && note.message.includes(`${name === 'sourceType' ? 'source.type' : name}:`),
        ),
    );
  const memory = new Map<string, Memory>();
  const mine = new Set<string>();

  for (const item of placed) {
    const { block, address, parent } = item;
    const { kind } = block;
    const id = idOf(address) ?? '';
    const row = rowsOf(after, kind).get(id);
    expect(row, `${address} (${id}) is on the platform`).toBeDefined();
    if (row === undefined) continue;
    same(mine.has(id), false, `${address} shares ${id}`);
    mine.add(id);
    const parentId = parent === undefined ? 'prj_1' : idOf(parent.address);
    same(row[linkOf(kind, parent?.block.kind).idAt], parentId, `the parent of ${address}`);

    // Identity: what was there is still it, unless the plan replaced it.
    const earlier = prediction.objects.get(address);
    const action = planned.actions.find((other) => other.address === address);
    if (earlier !== undefined && action?.action !== 'replace') same(id, earlier[kind.id], `the id of ${address}`);
    if (earlier !== undefined && action?.action === 'replace')
      expect(id, `the id of ${address}`).not.toBe(earlier[kind.id]);

    // What is declared is so.
    const old = oldMemory.get(address);
    const isSame = old?.id === id;
    const pairs: Record<string, { wanted: string; answered: string }> = {};
    const wanted = wantedFields(run, item, appNameOf);
    for (const [name, value] of Object.entries(wanted)) {
      const codec = fieldOf(kind, name).codec ?? plain;
      const observed = (row[name] ?? null) as Json;
      expect(value, `${address}.${name} is known`).toBeDefined();
      if (value === undefined) continue;
      if (means(codec, value, observed)) {
        pairs[name] = { wanted: canonical(codec.normal(value)), answered: canonical(codec.normal(observed)) };
        continue;
      }
      const { onChange } = fieldOf(kind, name);
      const isImmovable = onChange === 'replace' || (typeof onChange === 'object' && 'refuse' in onChange);
      const pair = isSame ? old.pairs[name] : undefined;
      const isDriftLeft = isImmovable && pair?.wanted === canonical(codec.normal(value)) && isLeft(address, name);
      same(isDriftLeft ? value : observed, value, `${address}.${name}`);
      if (pair !== undefined) pairs[name] = pair;
    }

    // Env by a reader that is not ours.
    const earlierRow = rowsOf(before, kind).get(id);
    let envKeys: string[] = [];
    if (block.env?.is === 'map') {
      const { entries, mode } = block.env;
      envKeys = Object.keys(entries);
      const now = parseDotenv(String(row.env ?? ''));
      const expected = Object.fromEntries(
        Object.entries(entries).map(([key, value]) => {
          if (!isRef(value)) return [key, value];
          const target = targetOf(run.model, block, value);
          return [key, value.before + (target === undefined ? 'nothing' : String(appNameOf(target)))];
        }),
      );
      const ours = isSame ? old.envKeys : [];
      const foreign =
        mode === 'own'
          ? {}
          : Object.fromEntries(
              Object.entries(parseDotenv(String(earlierRow?.env ?? ''))).filter(
                ([key]) => expected[key] === undefined && !ours.includes(key),
              ),
            );
      same(now, { ...foreign, ...expected }, `env of ${address}`);
    }

    // What is not declared is as it was.
    if (earlierRow !== undefined) {
      const declared = new Set([...Object.keys(wanted), ...(block.env === undefined ? [] : ['env'])]);
      const wasMoved = earlierRow.environmentId !== row.environmentId && kind.calls.move !== undefined;
      for (const [column, value] of Object.entries(row)) {
        if (declared.has(column) || (wasMoved && column === 'environmentId')) continue;
        same(value, earlierRow[column], `${address}: ${column}, which is not declared`);
      }
    }
    memory.set(address, { kind, id, parentId, protect: block.options.protect === true, pairs, envKeys });
  }

  // Nothing else came, went or changed.
  const wasOurs = new Set([...run.memory.values()].map(({ id }) => id));
  for (const kind of kinds) {
    for (const [id, row] of rowsOf(after, kind)) {
      if (mine.has(id)) continue;
      const earlier = rowsOf(before, kind).get(id);
      if (earlier === undefined)
        same(
          kind.kind === 'mount' && isDataMount(after, row),
          true,
          `${kind.kind} ${id} is one too many: ${JSON.stringify(row)}`,
        );
      else {
        same(wasOurs.has(id) && row.isDefault !== true, false, `${kind.kind} ${id} was ours and is still there`);
        same(row, earlier, `${kind.kind} ${id}, which is not ours`);
      }
    }
    for (const [id, row] of rowsOf(before, kind)) {
      if (rowsOf(after, kind).has(id) || wasOurs.has(id)) continue;
      const parentId = parentIdOf(kind, row) ?? '';
      const owner = kinds.find((other) => rowsOf(before, other).has(parentId));
      const wentWithParent = owner !== undefined && !rowsOf(after, owner).has(parentId);
      const wasReplaced = [...prediction.adopted].some((address) => prediction.objects.get(address)?.[kind.id] === id);
      same(wentWithParent && !wasReplaced, true, `${kind.kind} ${id}, which is not ours, is gone`);
    }
  }
  run.memory = memory;
  for (const { block, address } of placed) block.home = address;

  // And then plans nothing.
  const stateBefore = JSON.stringify(made.store.state);
  const again = await planOf(run, text);
  same(
    again.actions
      .filter((action) => action.action !== 'no-op')
      .map((action) => `${action.action} ${action.address} ${JSON.stringify(action.changes)}`),
    [],
    'the plan after',
  );
  const notes = again.actions
    .flatMap((action) => action.notes)
    .filter((note) => note.code !== 'drift-left' && note.code !== 'left-alone');
  same(notes, [], 'notes of the plan after');
  made.requests('POST');
  await applyPlan(again, made.world(), { permissions: { dataLoss: false, adoption: false }, connections: 4 });
  same(made.requests('POST'), []);
  same(JSON.stringify(made.store.state), stateBefore, 'the state after an apply of nothing');
  same(look(run), after);
  seenPosts.set(run, made.emulator.log.length);
}

/* ---- changes by hand ---- */

async function applyDrift(run: Run, change: Drift): Promise<void> {
  const { emulator } = run.made;
  const seen = look(run);
  const all = kinds.flatMap((kind) =>
    [...rowsOf(seen, kind)].filter(([, row]) => !isDataMount(seen, row)).map(([id, row]) => ({ kind, id, row })),
  );
  const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)];
  const act = async (operation: string, input: Record<string, unknown>) => {
    const words = await emulator.act(operation, input).then(
      () => '',
      (error: unknown) => ` -> ${String(error)}`,
    );
    run.trace.push(`by hand: ${operation} ${JSON.stringify(input)}${words}`);
  };
  const target = pick(all, change.at);
  if (target === undefined) return;
  const { kind, id, row } = target;
  const required = Object.fromEntries(requiredMembers(kind.calls.update).map((name) => [name, row[name] ?? null]));
  switch (change.drift) {
    case 'update': {
      const name = pick(
        weighted(
          kind,
          Object.keys(kind.fields).filter((item) => takes(kind.calls.update, item) && item !== 'env'),
        ),
        change.field,
      );
      if (name === undefined) return;
      if (kind.kind === 'environment' && row.isDefault === true && name === 'name') return;
      const value = change.value === 2 ? nullOf(kind, name)?.value : valuesOf(kind, name)[change.value];
      if (value === undefined) return;
      await act(kind.calls.update, { ...required, [kind.id]: id, [name]: value });
      return;
    }
    case 'env': {
      const texts = ['A=1\n', '# note\nB="x y"\nFOREIGN=here\n', 'A=9\nFOREIGN=there\nOTHER=\n', ''];
      const holders = all.filter((item) => item.kind.fields.env !== undefined);
      const holder = pick(holders, change.at);
      if (holder !== undefined)
        await act(holder.kind.calls.update, { [holder.kind.id]: holder.id, env: pick(texts, change.text) });
      return;
    }
    case 'delete':
      if (row.isDefault !== true) await act(kind.calls.delete, { [kind.id]: id, deleteVolumes: false });
      return;
    case 'create': {
      const parents = all.filter((item) => kindsBelow(item.kind).length > 0 && item.kind.kind !== 'mount');
      const parent = pick(parents, change.at);
      if (parent === undefined) return;
      const stub = {
        uid: 0,
        kind: parent.kind,
        key: '',
        fields: {},
        env: undefined,
        options: {},
        children: [],
        home: undefined,
      };
      const block = blockFrom(run.model, stub, change.seed);
      if (block === undefined) return;
      const link = linkOf(block.kind, parent.kind);
      const input: Record<string, unknown> = {};
      for (const [name, from] of Object.entries(link.set)) {
        if ('value' in from) input[name] = from.value;
        else if ('parent' in from) input[name] = parent.id;
        else if ('sameAs' in from) input[name] = block.fields[from.sameAs] ?? block.key;
      }
      if (block.kind.keyField !== undefined) input[block.kind.keyField] ??= block.key;
      for (const name of openFields(block, link)) {
        const value = block.fields[name];
        if (value !== undefined && value !== null && !isRef(value) && takes(block.kind.calls.create, name))
          input[name] = value;
      }
      for (const union of block.kind.unions ?? [])
        if (takes(block.kind.calls.create, union.tag)) input[union.tag] = block.fields[union.tag];
      await act(block.kind.calls.create, input);
      return;
    }
    case 'move': {
      const movable = all.filter((item) => item.kind.calls.move !== undefined);
      const environments = all.filter((item) => item.kind.kind === 'environment');
      const service = pick(movable, change.at);
      const to = pick(environments, change.to);
      const move = service?.kind.calls.move;
      if (service !== undefined && to !== undefined && move !== undefined)
        await act(move.call, { [service.kind.id]: service.id, [move.as]: to.id });
      return;
    }
    case 'deploy': {
      const database = pick(
        all.filter((item) => services.includes(item.kind) && item.kind.kind !== 'compose'),
        change.at,
      );
      if (database !== undefined) await act(`${database.kind.kind}.deploy`, { [database.kind.id]: database.id });
      return;
    }
    default:
      change satisfies never;
  }
}

async function destroy(run: Run): Promise<void> {
  const { made } = run;
  for (const { block } of blocksOf(run.model)) block.options = {};
  await converge(run);
  run.trace.push('destroy');
  const before = look(run);
  const ours = new Set([...run.memory.values()].map(({ id }) => id));
  const doomed = new Set(
    [...run.memory.values()]
      .filter(({ kind, id }) => kind.kind === 'environment' && rowsOf(before, kind).get(id)?.isDefault !== true)
      .map(({ id }) => id),
  );
  for (const kind of services) {
    for (const [id, row] of rowsOf(before, kind))
      if (!ours.has(id) && doomed.has(String(row.environmentId)))
        await made.emulator.act(kind.calls.delete, { [kind.id]: id, deleteVolumes: false });
  }
  const ready = look(run);
  seenPosts.set(run, made.emulator.log.length);
  const planned = await planDestruction(made.manifest(render(run.model, [...run.memory.keys()]).text), made.world());
  const result = await applyPlan(planned, made.world(), {
    permissions: { dataLoss: true, adoption: false },
    connections: 4,
  });
  same(wordsOf(result.outcomes.filter((outcome) => outcome.result !== 'done')), [], 'outcomes of destroy');
  checkPosts(run, planned, false);
  same(made.store.state?.resources, {});
  const after = look(run);
  for (const kind of kinds) {
    for (const [id, row] of rowsOf(ready, kind)) {
      const stays = !ours.has(id) || row.isDefault === true;
      const parentId = parentIdOf(kind, row) ?? '';
      if (!stays || (ours.has(parentId) && kind.kind !== 'environment' && !services.includes(kind)))
        same(rowsOf(after, kind).has(id), false, `${kind.kind} ${id} is gone`);
      else same(rowsOf(after, kind).get(id), row, `${kind.kind} ${id} stays as it was`);
    }
    for (const id of rowsOf(after, kind).keys())
      same(rowsOf(ready, kind).has(id), true, `${kind.kind} ${id} came with destroy`);
  }
}

async function live({ start, commands }: History): Promise<void> {
  const run = newRun(start);
  try {
    for (const command of commands) {
      switch (command.command) {
        case 'edit':
          for (const edit of command.edits) {
            const words = applyEdit(run.model, edit);
            if (words !== undefined) run.trace.push(words);
          }
          break;
        case 'apply':
          await converge(run, command.fault);
          break;
        case 'drift':
          await applyDrift(run, command.drift);
          break;
        case 'lose state':
          run.trace.push('lose the state');
          run.made.store.state = undefined;
          run.memory = new Map();
          for (const { block } of blocksOf(run.model)) block.home = undefined;
          break;
        default:
          command satisfies never;
      }
    }
    await converge(run);
    await destroy(run);
  } catch (error) {
    throw new Error(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n--- history ---\n${run.trace.join('\n')}`,
      { cause: error },
    );
  }
}

test(
  'whatever happens, an apply makes the platform what the manifest says, touches nothing else, and then plans nothing',
  async () => {
    await fc.assert(fc.asyncProperty(histories, live), { seed, numRuns: runs, endOnFailure: false });
  },
  Number(process.env.TRUEUP_TIMEOUT ?? 20_000),
);
