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
import type { Operation } from '../../src/api/contract.ts';
import { requiredMembers } from '../../src/api/contract.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { carrierOf, fieldPath, idMember, observedValue, takes, updatesOf } from '../../src/kind/wire.ts';
import { root } from '../../src/kind/kind.ts';
import type { Member, Plan } from '../../src/plan/action.ts';
import type { StateStore } from '../../src/state/state.ts';
import { applyPlan, plan as makePlan, planDestruction } from '../../src/reconcile.ts';
import { kinds } from '../../src/resources/index.ts';
import { deployByHand } from '../support/deployments.ts';
import type { DeploymentWatch } from '../support/deployment-watch.ts';
import { watchDeployments } from '../support/deployment-watch.ts';
import type { Drift, Fault, History, Model, Placed } from '../support/random-manifest.ts';
import {
  applyEdit,
  blockFrom,
  blocksOf,
  declareMentioned,
  fieldOf,
  forgetHome,
  histories,
  isNamed,
  isRef,
  kindNamed,
  kindsBelow,
  linkOf,
  modelOf,
  namedIn,
  nullOf,
  openFields,
  outputOf,
  readdressed,
  render,
  steady,
  targetOf,
  valuesOf,
  weighted,
} from '../support/random-manifest.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/**
 * Random histories of edits, changes by hand, lost states and failing requests. After each apply the platform has to
 * be what the manifest says and nothing else may have changed, and every service has to run with what was written to
 * it. What is expected is computed here from the manifest and the rows of the platform, not from the plan.
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
  /** Ids of ours in sets that others add to. */
  readonly sets: Readonly<Record<string, readonly string[]>>;
  readonly envKeys: readonly string[];
}

interface Run {
  readonly made: Bench;
  readonly model: Model;
  /** What runs, as somebody sees it who looks at the platform only. */
  readonly watch: DeploymentWatch;
  memory: Map<string, Memory>;
  readonly trace: string[];
}

const folder = mkdtempSync(join(tmpdir(), 'trueup-random-'));
const services = [...new Set(kindsBelow(kindNamed('environment')))];
const tables: Readonly<Record<string, string>> = { fileMount: 'mount', memberPermissions: 'member' };
const tableOf = (kind: Kind) => (tables[kind.kind] ?? kind.kind) as 'compose';
const steadyIds = new Set(['user_1', ...Object.values(steady).map(({ id }) => id)]);

/** A licence, which some rights need, and two members whose rights can be changed. */
function newRun(history: Pick<History, 'start' | 'top'>): Run {
  let count = 0;
  const world = seedWorld();
  Object.assign(world.tables.user['user_1'] ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  for (const name of ['member', 'other']) {
    addRow(world, 'user', { id: `user_${name}`, email: `${name}@example.test` });
    addRow(world, 'member', { id: name, userId: `user_${name}`, organizationId: 'org_1', role: 'member' });
  }
  const emulator = createEmulator({ world, newId: () => `id_${++count}` });
  const watch = watchDeployments(emulator);
  return { made: bench({ emulator, folder }), model: modelOf(history), watch, memory: new Map(), trace: [] };
}

/** A comparison that costs little when it holds; `expect` is for the words when it does not. */
function same(actual: unknown, expected: unknown, words?: string): void {
  if (!equal(actual, expected)) expect(actual, words).toEqual(expected);
}

/* ---- the platform, seen without the engine ---- */

function isOfKind(kind: Kind, row: Row): boolean {
  if (kind.kind === 'fileMount') return typeof row.composeId === 'string' && row.type === 'file';
  if (kind.kind === 'mount') return typeof row.composeId !== 'string';
  if (kind.kind === 'memberPermissions') return row.userId !== 'user_1';
  return kind.kind !== 'environment' || row.projectId === 'prj_1';
}

function look({ made }: Run): Snapshot {
  const { tables: all } = made.emulator.world;
  return new Map(
    kinds.map((kind) => {
      const rows = Object.values(all[tableOf(kind)] as Record<string, Row>).filter((row) => isOfKind(kind, row));
      const whole = rows.map((row) => ({
        ...structuredClone(row),
        ...(kind.kind === 'memberPermissions' ? { user: { email: all.user[String(row.userId)]?.email } } : {}),
        ...(typeof row.gitProviderId === 'string' ? { gitProvider: { ...all.gitProvider[row.gitProviderId] } } : {}),
      }));
      return [kind, new Map(whole.map((row: Row) => [String(row[kind.id]), row]))];
    }),
  );
}

/** Whether the platform shows an object in its list: git providers only once they are complete. */
function isListed(kind: Kind, row: Row): boolean {
  if (kind.kind === 'labgit') return row.accessToken !== null && row.refreshToken !== null;
  return kind.kind !== 'selfgit' || (row.clientId !== null && row.clientSecret !== null);
}

/** What a field is on the platform. */
function valueIn(kind: Kind, name: string, row: Row): Json {
  return observedValue(kind, name, row) ?? null;
}

const rowsOf = (snapshot: Snapshot, kind: Kind): Rows => snapshot.get(kind) ?? new Map();

function parentIdOf(kind: Kind, row: Row): string | undefined {
  for (const [parent, link] of Object.entries(kind.parents)) {
    const id = parent === root ? undefined : row[link.idAt];
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
  outputIn: (target: Placed, from: string) => string | undefined,
): Record<string, Json | undefined> {
  const wanted: Record<string, Json | undefined> = {};
  for (const [name, value] of Object.entries(block.fields)) {
    if (isNamed(value)) {
      const target = namedIn(run.model, value);
      const { refersTo = '' } = fieldOf(block.kind, name);
      wanted[name] = target === undefined ? steady[refersTo]?.id : outputIn(target, target.block.kind.id);
    } else if (isRef(value)) {
      const text = refText(run, block, value, outputIn);
      wanted[name] = text === undefined ? undefined : value.before + text;
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

function refText(
  run: Run,
  block: Placed['block'],
  value: Parameters<typeof targetOf>[2],
  outputIn: (target: Placed, from: string) => string | undefined,
): string | undefined {
  const target = targetOf(run.model, block, value);
  return target === undefined ? 'nothing' : outputIn(target, outputOf(target.block.kind)?.from ?? '');
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
  const placed = blocksOf(run.model);
  const declared = new Set(placed.map(({ address }) => address));
  // What is let go of and stays may be taken over at once.
  const claimed = new Set(
    [...memory].flatMap(([address, { kind, id }]) =>
      declared.has(address) || kind.calls.delete !== undefined ? [id] : [],
    ),
  );
  for (const item of placed) {
    const { block, address, parent } = item;
    const { kind } = block;
    const link = linkOf(kind, parent?.block.kind);
    const wanted = wantedFields(run, item, () => undefined);
    const known = memory.get(address);
    const parentRow = parent === undefined ? undefined : objects.get(parent.address);
    const parentId = parent === undefined ? undefined : parentRow?.[parent.block.kind.id];
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
          isListed(kind, candidate) &&
          (parent === undefined || (parentId !== undefined && candidate[link.idAt] === parentId)) &&
          key.every((name) =>
            means(fieldOf(kind, name).codec ?? plain, values[name] ?? null, valueIn(kind, name, candidate)),
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
    if (row === undefined && kind.calls.create === undefined) errors.add(`cannot-create ${address}`);
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
      const observed = valueIn(kind, name, row);
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
    if (kind.calls.delete === undefined) continue;
    if (protect) errors.add(`protected ${address}`);
    if (memory.size > 1 && ![...memory.keys()].some((one) => declared.has(one))) errors.add('deletes-everything ');
  }
  for (const address of takenFromUsers(run, { memory, declared, objects, replaced }))
    errors.add(`cannot-change ${address}`);
  return { errors, objects, adopted };
}

/** Keys that would go, and that a service keeps which says nothing of its key any more. */
function takenFromUsers(
  run: Run,
  facts: {
    memory: ReadonlyMap<string, Memory>;
    declared: ReadonlySet<string>;
    objects: ReadonlyMap<string, Row>;
    replaced: ReadonlySet<string>;
  },
): string[] {
  const { memory, declared, objects, replaced } = facts;
  const going = new Map<string, string>();
  for (const [address, { kind, id }] of memory) {
    if (kind.kind !== 'sshKey') continue;
    if (!declared.has(address)) going.set(id, address);
    else if (replaced.has(address)) going.set(id, `${address} (old)`);
  }
  return blocksOf(run.model).flatMap(({ block, address, parent }) => {
    const row = objects.get(address);
    const isReplaced = replaced.has(address) || (parent !== undefined && replaced.has(parent.address));
    const keeps =
      row !== undefined &&
      !isReplaced &&
      row.sourceType === 'git' &&
      block.fields.sourceType === 'git' &&
      block.fields.customGitSSHKeyId === undefined;
    const key = keeps ? going.get(String(row.customGitSSHKeyId)) : undefined;
    return key === undefined ? [] : [key];
  });
}

/** What an apply does not do for an edit that leaves nothing: everything goes by the command that is there for it. */
async function destroyKnown(run: Run): Promise<void> {
  const { made } = run;
  run.trace.push('destroy');
  const planned = await planDestruction(made.manifest(render(run.model, [...run.memory.keys()]).text), made.world());
  const permissions = { dataLoss: true, adoption: false };
  await applyPlan(planned, made.world(), { permissions, connections: 4, clock: made.clock });
  run.watch.forget();
  run.memory = new Map();
  for (const { block } of blocksOf(run.model)) block.home = undefined;
  seenPosts.set(run, made.emulator.log.length);
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
            if (row.environmentId === id) await removeByHand(run, service, below, row);
        await removeByHand(run, kind, id, candidate);
      }
    } else if (code === 'cannot-create' && placed !== undefined) {
      run.model.roots.splice(run.model.roots.indexOf(placed.block), 1);
    } else if (code === 'cannot-change' && address.startsWith('sshKeys.')) {
      // What keeps a key without saying so is led to another one.
      for (const { block } of blocksOf(run.model))
        if (block.fields.sourceType === 'git') block.fields.customGitSSHKeyId ??= { named: -1, by: 'key' };
    } else if (placed?.block.kind.kind === 'environment') {
      // The default environment cannot be renamed.
      const { roots } = run.model;
      if (roots.some(({ kind, key }) => kind.kind === 'environment' && key === 'production')) forgetHome(placed.block);
      else placed.block.key = 'production';
    } else if (placed !== undefined && row !== undefined) {
      const { keyField } = placed.block.kind;
      // The key stands in for it.
      if (keyField !== undefined) placed.block.fields[keyField] ??= placed.block.key;
      for (const [name, value] of Object.entries(placed.block.fields)) {
        const { onChange } = fieldOf(placed.block.kind, name);
        if (onChange !== 'replace' && !(typeof onChange === 'object' && 'refuse' in onChange)) continue;
        const observed = valueIn(placed.block.kind, name, row);
        if (isRef(value) || isNamed(value) || equal(value, observed)) continue;
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
  if (prediction.errors.has('deletes-everything ')) await destroyKnown(run);
}

/** Somebody deletes an object, with an operation of the document or without. */
async function removeByHand(run: Run, kind: Kind, id: string, row: Row): Promise<void> {
  const { emulator } = run.made;
  if (steadyIds.has(id) || kind.kind === 'organization' || kind.kind === 'memberPermissions') return;
  const { delete: operation } = kind.calls;
  if (operation !== undefined) await emulator.act(operation, { [kind.id]: id, deleteVolumes: false });
  else if (kind.kind !== 'hubgit') await emulator.act('gitProvider.remove', { gitProviderId: row.gitProviderId });
  run.trace.push(`by hand: delete ${kind.kind} ${id}`);
}

/** Somebody allows the connections that wait for it. Gives whether there were any. */
async function connect(run: Run): Promise<boolean> {
  const waiting = [...rowsOf(look(run), kindNamed('labgit'))].filter(([, row]) => !isListed(kindNamed('labgit'), row));
  for (const [labgitId] of waiting) await run.made.emulator.act('labgit.connect', { labgitId });
  if (waiting.length > 0) run.trace.push('by hand: labgit.connect');
  return waiting.length > 0;
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

/** Applies plans while something goes wrong at one POST, or at the saving of one record. */
function withFault(run: Run, fault: Fault | undefined) {
  const { made } = run;
  const how = fault?.how;
  let posts = 0;
  let saves = 0;
  let wasHit = false;
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  let die = () => undefined as void;
  const death = new Promise<undefined>((resolve) => {
    die = () => resolve(undefined);
  });
  // What was sent before the process ended is carried out before anybody looks.
  const underway = new Set<Promise<unknown>>();
  const onItsWay = <T>(answer: Promise<T>): Promise<T> => {
    underway.add(answer);
    void answer.finally(() => underway.delete(answer));
    return answer;
  };
  const end = (): Promise<never> => {
    isDead = true;
    void Promise.allSettled(underway).then(die);
    return never;
  };
  const hit = (where: string) => {
    wasHit = true;
    run.trace.push(`  (fault ${how} at ${where})`);
  };
  const send: Send = async (request) => {
    const broken = (code = 'ECONNRESET') => Object.assign(new Error('socket hang up'), { code });
    const isPost = request.method === 'POST';
    if (isDead) return never;
    // From some request on nothing can be read, or nothing gets through at all.
    if (wasHit && (how === 'dead' || (how === 'blind' && !isPost))) throw broken();
    const isHit = isPost && posts++ === fault?.at && how !== 'killed saving';
    if (!isHit) return onItsWay(made.emulator.send(request));
    hit(request.path);
    if (how === 'before') throw broken();
    if (how === 'refused') throw broken('ECONNREFUSED');
    if (how === 'killed before') return end();
    const answer = await made.emulator.send(request);
    if (how === 'killed') return end();
    if (how === 'blind' || how === 'dead') return answer;
    if (how === 'after') throw broken();
    return { status: 500, headers: { 'content-type': 'application/json' }, body: '{"message":"commit then fail"}' };
  };
  const store: StateStore = {
    ...made.store,
    append: async (base, address, record) => {
      if (isDead) return never;
      if (how === 'killed saving' && saves++ === fault?.at) {
        hit(`the record of ${address}`);
        return end();
      }
      return made.store.append(base, address, record);
    },
    write: (state) => (isDead ? never : made.store.write(state)),
  };
  return {
    wasHit: () => wasHit,
    /** undefined: the process ended. */
    apply: (planned: Plan): Promise<ApplyResult | undefined> =>
      Promise.race([
        death,
        applyPlan(
          planned,
          { ...made.world(), store, client: clientOver(send) },
          {
            permissions: { dataLoss: true, adoption: true, massDeletion: true },
            connections: 4,
            clock: made.clock,
          },
        ),
      ]),
  };
}

const failuresOf = (result: ApplyResult) => result.outcomes.filter((outcome) => outcome.result !== 'done');

async function converge(run: Run, fault?: Fault): Promise<void> {
  const { made } = run;
  for (let attempt = 0; ; attempt++) {
    if (attempt > 4) throw new Error('it is refused again and again');
    declareMentioned(run.model);
    const { text, moved } = render(run.model, [...run.memory.keys()]);
    run.trace.push(`apply\n${text}`);
    await emptyDoomedEnvironments(run, moved);
    const prediction = predict(run, moved);
    const before = look(run);
    const ordersBefore = run.watch.orders();
    const stateBefore = JSON.stringify(made.store.state);
    made.requests('POST');
    let result: ApplyResult | undefined;
    let planned: Plan | undefined;
    const disturbed = withFault(run, fault);
    try {
      planned = await planOf(run, text);
      for (const action of planned.actions)
        if (action.needsConsent)
          expect(prediction.adopted, `${action.address} needs consent`).toContain(action.address);
      result = await disturbed.apply(planned);
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
    let wasHit = disturbed.wasHit();
    let hits = wasHit ? 1 : 0;
    checkPosts(run, planned, wasHit);
    const isPending = (address: string) =>
      planned?.actions.some(
        (action) => action.address === address && action.notes.some(({ code }) => code === 'pending'),
      );
    if (!wasHit && result !== undefined) {
      const failures = failuresOf(result).filter(
        ({ action, result: became }) => became !== 'skipped' && !isPending(action.address),
      );
      same(wordsOf(failures), [], 'outcomes');
    }
    for (
      let again = 0;
      (await goesOn(run)) || wasHit || result === undefined || failuresOf(result).length > 0;
      again++
    ) {
      if (again > 3)
        throw new Error(
          `it does not come right: ${result === undefined ? '' : wordsOf(failuresOf(result)).join('; ')}`,
        );
      run.trace.push('  run again');
      const next = await planOf(run, text).catch(async (error: unknown) => {
        if (!(error instanceof Stop) || !(await dropTwins(run, error, before))) throw error;
        return planOf(run, text);
      });
      const second = withFault(run, again === 0 ? fault?.again : undefined);
      result = await second.apply(next);
      wasHit = second.wasHit();
      hits += wasHit ? 1 : 0;
      checkPosts(run, next, wasHit);
    }
    // What goes wrong once may cost one deployment more.
    for (const [id, orders] of run.watch.orders())
      expect(orders - (ordersBefore.get(id) ?? 0), `deployments of ${id}`).toBeLessThanOrEqual(1 + hits);
    await checkWorld(run, { before, moved, prediction, text, planned });
    return;
  }
}

/**
 * Two blocks with one natural key cannot be told apart once the answers to both of their creates are lost. Then what
 * these made is removed by hand, as the message says.
 */
async function dropTwins(run: Run, error: Stop, before: Snapshot): Promise<boolean> {
  const placed = blocksOf(run.model);
  const known = new Set(Object.values(run.made.store.state?.resources ?? {}).map(({ id }) => id));
  const nameOf = ({ block: { kind, key, fields } }: Placed) => {
    const value = (name: string) => fields[name] ?? (name === kind.keyField ? key : null);
    // A key may be made of references; what has some of them in common is near enough here.
    const names = typeof kind.key === 'function' ? kind.key((name) => value(name) as Json) : kind.key;
    return names.map(value);
  };
  for (const { code, address } of error.diagnostics) {
    const one = placed.find((item) => item.address === address);
    if (code !== 'ambiguous' || one === undefined) return false;
    const { kind } = one.block;
    const twins = placed.filter((item) => item.block.kind === kind && equal(nameOf(item), nameOf(one)));
    if (twins.length < 2) return false;
    for (const [id, row] of rowsOf(look(run), kind))
      if (!known.has(id) && !rowsOf(before, kind).has(id)) await removeByHand(run, kind, id, row);
  }
  return true;
}

/** Does what a git provider waits for. Gives whether any did. */
async function goesOn(run: Run): Promise<boolean> {
  const { made } = run;
  const { state } = made.store;
  const waiting = Object.entries(state?.resources ?? {}).filter(([, { kind, id }]) => kind === 'labgit' && id === null);
  if (state === undefined || waiting.length === 0) return false;
  if (await connect(run)) return true;
  // It never was: as if its block had been removed, that been applied, and it been put back.
  const resources = { ...state.resources };
  for (const [address] of waiting) delete resources[address];
  made.store.state = { ...state, serial: state.serial + 1, resources };
  run.trace.push('  (the block of a provider is removed and put back)');
  return true;
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
    const kind = kinds.find(({ kind: name }) => name === kindAt(address));
    return kind !== undefined && Object.values(kind.parents).some(({ rows }) => rows !== 'whole');
  };
  const kindAt = (address: string) =>
    manifest.resources.find((item) => item.address === address)?.kind.kind ?? records[address]?.kind;
  const isTop = (address: string) => kinds.find(({ kind }) => kind === kindAt(address))?.parents[root] !== undefined;
  const tops = new Set([...addresses].filter(isTop).map(kindAt));
  const named = new Set(
    manifest.resources.flatMap(({ kind, fields }) =>
      Object.keys(fields).flatMap((name) => kind.fields[name]?.refersTo ?? []),
    ),
  );
  const copies = [...addresses].filter((address) => kindAt(address) === 'volumeBackup');
  same(
    sent.filter(({ method }) => method !== 'GET'),
    [],
  );
  const most = 2 + new Set([...tops, ...named]).size + [...addresses].filter(isRead).length + copies.length;
  expect(sent.length, 'reads').toBeLessThanOrEqual(most);
  return planned;
}

/** Every POST since the last call is one that a step of the plan names. */
function checkPosts(run: Run, planned: Plan, wasHit: boolean): void {
  const { log } = run.made.emulator;
  const posts = log.slice(postsFrom(run)).filter(({ method }) => method === 'POST');
  const steps = planned.actions.flatMap((action) =>
    [...action.teardown, ...action.steps].map((step) => ({
      action,
      step,
      old: action.id,
      isTeardown: action.teardown.includes(step),
    })),
  );
  // What got no answer may be sent once more, unless it makes something.
  const repeated = wasHit ? steps.filter(({ step }) => step.role !== 'create') : [];
  const allowed = [...steps, ...repeated];
  const replaced = new Set(planned.actions.flatMap(({ action, address }) => (action === 'replace' ? [address] : [])));
  const fits = (post: (typeof posts)[number], { action, step, old, isTeardown }: (typeof allowed)[number]) => {
    const sent = post.input as Row;
    if (step.operation !== post.operation) return false;
    if (!Object.entries(sent).every(([name, value]) => mayBe(step.members[name], value))) return false;
    if (step.role === 'create') return true;
    const id = sent[idMember(action.kind, step.operation)];
    const isNew = action.action === 'replace' || (action.action === 'deploy' && replaced.has(action.parent ?? ''));
    return isTeardown || !isNew ? id === old || old === undefined : id !== old;
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
      await removeByHand(run, kind, id, row);
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
  const outputIn = (item: Placed, from: string): string | undefined => {
    const value = rowsOf(after, item.block.kind).get(idOf(item.address) ?? '')?.[from];
    return typeof value === 'string' ? value : undefined;
  };
  const isLeft = (address: string, name: string) =>
    planned.actions.some(
      (action) =>
        action.address === address &&
        action.notes.some(
          (note) => note.code === 'drift-left' && note.message.includes(`${fieldPath(action.kind, name)}:`),
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
    const parentId = parent === undefined ? undefined : idOf(parent.address);
    if (parent !== undefined) same(row[linkOf(kind, parent.block.kind).idAt], parentId, `the parent of ${address}`);

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
    const sets: Record<string, readonly string[]> = {};
    const earlierRow = rowsOf(before, kind).get(id);
    const wanted = wantedFields(run, item, outputIn);
    for (const [name, value] of Object.entries(wanted)) {
      const codec = fieldOf(kind, name).codec ?? plain;
      const observed = valueIn(kind, name, row);
      expect(value, `${address}.${name} is known`).toBeDefined();
      if (value === undefined) continue;
      if (fieldOf(kind, name).growsByItself === true) {
        const ours = isSame ? (old.sets[name] ?? []) : [];
        const others =
          block.options.accessMode === 'own' ? [] : idsIn(earlierRow?.[name]).filter((one) => !ours.includes(one));
        sets[name] = idsIn(value);
        const expected = [...new Set([...others, ...idsIn(value)])].toSorted();
        same([...new Set(idsIn(observed))].toSorted(), expected, `${address}.${name}`);
        continue;
      }
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
    let envKeys: string[] = [];
    if (block.env?.is === 'map') {
      const { entries, mode } = block.env;
      envKeys = Object.keys(entries);
      const now = parseDotenv(String(row.env ?? ''));
      const expected = Object.fromEntries(
        Object.entries(entries).map(([key, value]) => {
          if (!isRef(value)) return [key, value];
          return [key, value.before + String(refText(run, block, value, outputIn))];
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
        if (isOfThePlatform(column) || isLetGo(after, kind, column, earlierRow[column], value)) continue;
        const [was, is] = [earlierRow[column], value].map((one) =>
          column === 'gitProvider' ? { ...(one as Row), name: '' } : one,
        );
        same(is, was, `${address}: ${column}, which is not declared`);
      }
    }
    memory.set(address, { kind, id, parentId, protect: block.options.protect === true, pairs, sets, envKeys });
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
        const goes = row.isDefault !== true && kind.calls.delete !== undefined;
        same(wasOurs.has(id) && goes, false, `${kind.kind} ${id} was ours and is still there`);
        for (const [column, value] of Object.entries(row)) {
          if (isOfThePlatform(column) || isLetGo(after, kind, column, earlier[column], value)) continue;
          same(value, earlier[column], `${column} of ${kind.kind} ${id}, which is not ours`);
        }
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
    .filter((note) => note.code !== 'drift-left' && note.code !== 'left-alone' && note.code !== 'not-deployed');
  same(notes, [], 'notes of the plan after');
  checkDeployments(run, again);
  made.requests('POST');
  const permissions = { dataLoss: false, adoption: false };
  await applyPlan(again, made.world(), { permissions, connections: 4, clock: made.clock });
  same(made.requests('POST'), []);
  same(JSON.stringify(made.store.state), stateBefore, 'the state after an apply of nothing');
  same(look(run), after);
  seenPosts.set(run, made.emulator.log.length);
}

/** Every service runs with what was written to it, unless people deploy it; the plan says of which they have to. */
function checkDeployments({ made, model, watch }: Run, again: Plan): void {
  const stale = new Set(watch.stale());
  const idOf = (address: string) => made.store.state?.resources[address]?.id ?? '';
  for (const { block, address } of blocksOf(model)) {
    if (!services.includes(block.kind)) continue;
    const isLeft = block.options.deploy === 'never';
    const isFromGit = block.kind.kind === 'application' && block.fields.sourceType !== 'docker';
    const notes = again.actions.find((action) => action.address === address)?.notes ?? [];
    const isTold = notes.some(({ code }) => code === 'not-deployed');
    if (isFromGit) same(isTold, !isLeft && stale.has(idOf(address)), `${address} is said to be not deployed`);
    else if (!isLeft)
      same([stale.has(idOf(address)), isTold], [false, false], `${address} is not deployed, or said so`);
  }
}

const idsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** What the platform writes by itself: when a source is saved, a provider connected, a service deployed. */
function isOfThePlatform(column: string): boolean {
  return ['applicationStatus', 'composeStatus', 'accessToken', 'refreshToken'].includes(column);
}

/** Whether a reference is null now because what it referred to is gone. */
function isLetGo(after: Snapshot, kind: Kind, column: string, before: unknown, now: unknown): boolean {
  const target = kind.fields[column]?.refersTo;
  return target !== undefined && now === null && !rowsOf(after, kindNamed(target)).has(String(before));
}

/* ---- changes by hand ---- */

async function applyDrift(run: Run, change: Drift): Promise<void> {
  const { emulator } = run.made;
  const seen = look(run);
  const all = kinds.flatMap((kind) =>
    [...rowsOf(seen, kind)]
      .filter(([id, row]) => !isDataMount(seen, row) && !steadyIds.has(id))
      .map(([id, row]) => ({ kind, id, row })),
  );
  const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)];
  const act = async (operation: string, input: Record<string, unknown>) => {
    const words = await emulator.act(operation, input).then(
      () => '',
      (error: unknown) => ` -> ${String(error)}`,
    );
    run.trace.push(`by hand: ${operation} ${JSON.stringify(input)}${words}`);
  };
  const update = async (of: (typeof all)[number], operation: Operation, input: Record<string, unknown>) => {
    const required = requiredMembers(operation).map((name) => [name, valueIn(of.kind, name, of.row)]);
    await act(operation, { ...Object.fromEntries(required), [idMember(of.kind, operation)]: of.id, ...input });
  };
  const target = pick(all, change.at);
  if (target === undefined) return;
  const { kind, id, row } = target;
  switch (change.drift) {
    case 'update': {
      const carried = Object.keys(kind.fields).filter(
        (item) => item !== 'env' && carrierOf(kind, item) !== undefined && takes(carrierFor(kind, item, row), item),
      );
      const name = pick(weighted(kind, carried), change.field);
      if (name === undefined) return;
      if (kind.kind === 'environment' && row.isDefault === true && name === 'name') return;
      const { refersTo } = fieldOf(kind, name);
      const value =
        change.value === 2
          ? nullOf(kind, name)?.value
          : refersTo === undefined
            ? valuesOf(kind, name)[change.value]
            : (steady[refersTo]?.id ?? null);
      if (value === undefined) return;
      await update(target, carrierFor(kind, name, row), { [name]: value });
      return;
    }
    case 'env': {
      const texts = ['A=1\n', '# note\nB="x y"\nFOREIGN=here\n', 'A=9\nFOREIGN=there\nOTHER=\n', ''];
      const holders = all.filter((item) => item.kind.fields.env !== undefined);
      const holder = pick(holders, change.at);
      const operation = holder === undefined ? undefined : carrierOf(holder.kind, 'env');
      if (holder !== undefined && operation !== undefined)
        await update(holder, operation, { env: pick(texts, change.text) });
      return;
    }
    case 'connect':
      await connect(run);
      return;
    case 'delete':
      // An environment that holds services stays.
      if (row.isDefault !== true) await removeByHand(run, kind, id, row).catch(() => undefined);
      return;
    case 'create': {
      const parents = [undefined, ...all.filter((item) => kindsBelow(item.kind).length > 0)];
      const parent = pick(parents, change.at);
      const nothing = { uid: 0, key: '', fields: {}, env: undefined, options: {}, children: [], home: undefined };
      const stub = parent === undefined ? undefined : { ...nothing, kind: parent.kind };
      const block = blockFrom(run.model, stub, change.seed);
      const create = block?.kind.calls.create;
      if (block === undefined || create === undefined) return;
      const link = linkOf(block.kind, parent?.kind);
      const context = { projectId: 'prj_1', organizationId: 'org_1', userId: 'user_1' };
      const input: Record<string, unknown> = {};
      for (const [name, from] of Object.entries(link.set)) {
        if ('value' in from) input[name] = from.value;
        else if ('parent' in from) input[name] = parent?.id;
        else if ('context' in from) input[name] = context[from.context];
        else if ('sameAs' in from) input[name] = block.fields[from.sameAs] ?? block.key;
      }
      if (block.kind.keyField !== undefined) input[block.kind.keyField] ??= block.key;
      for (const name of openFields(block, link)) {
        const value = block.fields[name];
        if (value !== undefined && value !== null && !isRef(value) && !isNamed(value) && takes(create, name))
          input[name] = value;
      }
      for (const { tag } of block.kind.unions ?? []) if (takes(create, tag)) input[tag] = block.fields[tag];
      await act(create, input);
      // One that nobody connects is one that nobody can see.
      if (create === 'labgit.create') await connect(run);
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
      const service = pick(
        all.filter((item) => services.includes(item.kind)),
        change.at,
      );
      if (service === undefined) return;
      run.trace.push(`by hand: deploy ${service.kind.kind} ${service.id}`);
      await deployByHand(run.made, service.id, tableOf(service.kind));
      return;
    }
    default:
      change satisfies never;
  }
}

/** The operation by which somebody changes a field: where there is a choice of sources, often that of another one. */
function carrierFor(kind: Kind, name: string, row: Row): Operation {
  const chosen = carrierOf(kind, name, (tag) => row[tag]) ?? carrierOf(kind, name);
  const [first] = updatesOf(kind);
  const operation = chosen ?? first;
  if (operation === undefined) throw new Error(`nothing carries ${name} of a ${kind.kind}`);
  return operation;
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
      if (!ours.has(id) && doomed.has(String(row.environmentId))) await removeByHand(run, kind, id, row);
  }
  const ready = look(run);
  seenPosts.set(run, made.emulator.log.length);
  const planned = await planDestruction(made.manifest(render(run.model, [...run.memory.keys()]).text), made.world());
  const result = await applyPlan(planned, made.world(), {
    permissions: { dataLoss: true, adoption: false },
    connections: 4,
    clock: made.clock,
  });
  same(wordsOf(result.outcomes.filter((outcome) => outcome.result !== 'done')), [], 'outcomes of destroy');
  checkPosts(run, planned, false);
  same(made.store.state?.resources, {});
  const after = look(run);
  for (const kind of kinds) {
    for (const [id, row] of rowsOf(ready, kind)) {
      const stays = !ours.has(id) || row.isDefault === true || kind.calls.delete === undefined;
      const parentId = parentIdOf(kind, row) ?? '';
      if (!stays || (ours.has(parentId) && kind.kind !== 'environment' && !services.includes(kind)))
        same(rowsOf(after, kind).has(id), false, `${kind.kind} ${id} is gone`);
      else {
        const left = rowsOf(after, kind).get(id) ?? {};
        for (const [column, value] of Object.entries(row))
          if (!isLetGo(after, kind, column, value, left[column]))
            same(left[column], value, `${column} of ${kind.kind} ${id} stays as it was`);
      }
    }
    for (const id of rowsOf(after, kind).keys())
      same(rowsOf(ready, kind).has(id), true, `${kind.kind} ${id} came with destroy`);
  }
}

async function live({ commands, ...history }: History): Promise<void> {
  const run = newRun(history);
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
        case 'renew': {
          await converge(run);
          const words = applyEdit(run.model, { edit: 'renew', at: command.at });
          if (words !== undefined) run.trace.push(words);
          await converge(run, command.fault);
          break;
        }
        case 'lose state':
          run.trace.push('lose the state');
          run.made.store.state = undefined;
          run.watch.forget();
          run.memory = new Map();
          for (const { block } of blocksOf(run.model)) {
            block.home = undefined;
            // If it is renamed too, nobody can free the path that there can be only one of.
            delete block.fields.certificatePath;
          }
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
    await fc.assert(fc.asyncProperty(histories, live), {
      seed,
      numRuns: runs,
      endOnFailure: process.env.TRUEUP_SHRINK === 'no',
    });
  },
  Number(process.env.TRUEUP_TIMEOUT ?? 120_000),
);
