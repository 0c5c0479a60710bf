import equal from 'fast-deep-equal';
import { policies } from '../../../src/api/attempts.ts';
import { waitOut } from '../../../src/state/wait-out.ts';
import type { WireRequest } from '../../../src/api/wire.ts';
import type { LoggedRequest } from '../../../src/emulator/emulator.ts';
import { means, plain } from '../../../src/kind/codecs.ts';
import { type Json, type Row, isRow } from '../../../src/formats/json.ts';
import { root } from '../../../src/kind/kind.ts';
import { createOf, idMember } from '../../../src/kind/row-values.ts';
import type { Manifest } from '../../../src/manifest/manifest.ts';
import type { Workspace } from '../../../src/manifest/workspace.ts';
import type { Action, Member, Plan, Step } from '../../../src/plan/action.ts';
import { validate } from '../../../src/workflow/validate.ts';
import { kinds } from '../../../src/resources/index.ts';
import { isDeployOrder } from '../../support/deployments.ts';
import { operationOf } from '../../support/faults.ts';
import { testBulk } from '../../support/profile.ts';
import { yamlOf } from '../../support/random-yaml.ts';
import type { Declared } from './declared.ts';
import { look, rowsOf, valueIn } from './platform.ts';
import type { Run } from './run.ts';
import { holds, same } from './same.ts';

/** What a run may ask of the platform. */

/** Reads a manifest as the engine does. */
export async function manifestOf(run: Run, { tree }: Declared): Promise<Manifest> {
  if (run.read?.tree === tree) return run.read.manifest;
  const text = yamlOf(tree);
  const { manifest } = await validate({
    workspace: workspaceOf(text),
    file: 'trueup.yaml',
    kinds,
    env: () => undefined,
    secret: () => undefined,
    given: () => undefined,
    addSecret: () => undefined,
  });
  run.read = { tree, manifest };
  return manifest;
}

/** A folder that is on no disk. */
function workspaceOf(text: string): Workspace {
  const nothing = async (path: string) => ({ problem: `there is no file ${path}` });
  return {
    root: '/',
    files: new Set(),
    asked: new Set(),
    read: async (path) => (path === 'trueup.yaml' ? { text } : nothing(path)),
    readAll: async () => new Map(),
    readBytes: nothing,
    beside: (_from, path) => path,
    match: async () => [],
  };
}

/** Waits, as the command line does, until no request of an earlier run can be carried out any more. */
export async function waitForRest(run: Run): Promise<void> {
  await run.clock.leap(waitOut(run.made.store, { inFlightTimeoutMs: 60_000, clock: run.clock }));
  for (const [request, landing] of run.underway) if (isMadeByHand(run, request)) await run.clock.leap(landing);
  same(
    [...run.underway.keys()].filter(isOfWeight).map(({ path, body }) => `${path} ${body ?? ''}`),
    [],
    'requests that may still be carried out, of which the state says nothing',
  );
}

/**
 * Whether somebody made by hand just what a create of the last run makes. The run cannot tell the two apart: it takes that
 * object for its own, and what it sent makes a second one.
 */
function isMadeByHand({ deeds }: Run, request: WireRequest): boolean {
  const sent = Object.entries(JSON.parse(request.body ?? '{}') as Readonly<Record<string, Json>>);
  return deeds.some(({ kind, column, was, value }) => {
    const row = value as Row | undefined;
    if (column !== undefined || was !== undefined || row === undefined) return false;
    const bears = ([name, one]: [string, Json]) => {
      const field = kind.fields[name];
      if (field === undefined) return Object.values(row).includes(one);
      return means(field.codec ?? plain, one, valueIn(kind, name, row));
    };
    return createOf(kind, (tag) => row[tag]) === operationOf(request) && sent.every(bears);
  });
}

/** A deletion that comes twice deletes nothing more; a deployment is looked for by its mark, or its status. */
function isOfWeight(request: WireRequest): boolean {
  const operation = operationOf(request);
  const deletions = kinds.map(({ operations }) => operations.delete);
  return (
    !deletions.some((one) => one === operation) && !isDeployOrder(operation) && !operation.endsWith('.changeStatus')
  );
}

/** Makes a plan, which sends no POST and no more GETs than it may. */
export async function planFrugally(run: Run, manifest: Manifest, make: () => Promise<Plan>): Promise<Plan> {
  const { log } = run.made.emulator;
  const start = log.length;
  const planned = await make();
  const sent = log.slice(start);
  // Of an earlier run something may still arrive.
  const posts = sent.filter((entry) => entry.method !== 'GET' && !run.late.has(entry));
  same(posts, [], 'what a plan sends beside GETs');
  const most = maxReads(manifest, planned) + (testBulk ? 1 : 0); // the trial reads once more
  const alone = sent.filter(({ method, operation }) => method === 'GET' && operation !== 'trpc').length;
  if (alone <= most) return planned;
  // What is in no list is read twice before it counts as gone, and once more is read the list of a pending create.
  const more = most + goneOf(run, planned) + openOf(manifest, planned);
  holds(alone <= more, `a plan takes ${alone} GETs, and ${more} are enough`);
  return planned;
}

function maxReads({ resources }: Manifest, { base: { resources: records } }: Plan): number {
  const names = new Map([
    ...Object.entries(records).map(([address, { kind }]) => [address, kind] as const),
    ...resources.map(({ address, kind }) => [address, kind.kind] as const),
  ]);
  const those = [...names.values()].map((name) => kinds.find(({ kind }) => kind === name));
  const tops = those.flatMap((kind) => (kind?.parents[root] === undefined ? [] : [kind.kind]));
  const named = resources.flatMap(({ kind, fields }) =>
    Object.keys(fields).flatMap((name) => kind.fields[name]?.refersTo ?? []),
  );
  const readAlone = those.filter((kind) => Object.values(kind?.parents ?? {}).some(({ rows }) => rows !== 'whole'));
  const copies = those.filter((kind) => kind?.kind === 'volumeBackup');
  return 2 + new Set([...tops, ...named]).size + readAlone.length + copies.length;
}

/** How often the list of a pending create is read again: once, or in each kind of parent when its block is gone. */
function openOf({ resources }: Manifest, { base }: Plan): number {
  const declared = new Set(resources.map(({ address }) => address));
  return Object.entries(base.resources).reduce((sum, [address, { id, kind: name, pending }]) => {
    if (id !== null || pending === undefined) return sum;
    const parents = kinds.find(({ kind }) => kind === name)?.parents ?? {};
    return sum + (declared.has(address) ? 1 : Object.keys(parents).length);
  }, 0);
}

/** How many reads objects of the state take that are gone: two of each, and a service and its like is read anyway. */
function goneOf(run: Run, { base }: Plan): number {
  const seen = look(run.made.emulator);
  return Object.values(base.resources).reduce((sum, { kind: name, id }) => {
    const kind = kinds.find((one) => one.kind === name);
    if (id === null || kind === undefined || rowsOf(seen, kind).has(id)) return sum;
    const isReadAnyway = Object.values(kind.parents).some(({ rows }) => rows === 'summary');
    return sum + (isReadAnyway ? 1 : 2);
  }, 0);
}

/** Every POST since the last look is one that a step of the plan names. */
export function checkPosts(run: Run, planned: Plan, { isDisturbed }: { readonly isDisturbed: boolean }): void {
  const { log } = run.made.emulator;
  const posts = log.slice(run.seen).filter((entry) => entry.method === 'POST' && !run.late.has(entry));
  run.seen = log.length;
  const steps = planned.actions.flatMap((action) => stepsOf(action));
  // What got no answer may be sent again, unless it makes something.
  const repeated = isDisturbed ? steps.filter(({ step }) => step.role !== 'create') : [];
  const allowed = [...steps, ...Array.from({ length: policies.create.most - 1 }, () => repeated).flat()];
  const replaced = new Set(planned.actions.flatMap(({ action, address }) => (action === 'replace' ? [address] : [])));
  // Each request takes a step of its own; one that it could take may be given up by another for a third.
  const takenBy = new Map<number, number>();
  const takesStep = (post: number, tried: Set<number>): boolean =>
    allowed.some((step, at) => {
      const sent = posts[post];
      if (sent === undefined || tried.has(at) || !fits(sent, step, replaced)) return false;
      tried.add(at);
      const holder = takenBy.get(at);
      if (holder !== undefined && !takesStep(holder, tried)) return false;
      takenBy.set(at, post);
      return true;
    });
  for (const [at, { operation, input, status }] of posts.entries()) {
    const words = () => `${operation} ${JSON.stringify(input)}`;
    if (!takesStep(at, new Set())) throw new Error(`${words()} is in no step of the plan`);
    if (!isDisturbed && status !== 200) throw new Error(`${words()} is answered with ${status}`);
  }
}

interface Allowed {
  readonly action: Action;
  readonly step: Step;
  readonly isTeardown: boolean;
}

function stepsOf(action: Action): Allowed[] {
  return [
    ...action.teardown.map((step) => ({ action, step, isTeardown: true })),
    ...action.steps.map((step) => ({ action, step, isTeardown: false })),
  ];
}

function fits(
  { operation, input }: LoggedRequest,
  { action, step, isTeardown }: Allowed,
  replaced: ReadonlySet<string>,
): boolean {
  const sent = input as Row;
  if (step.operation !== operation) return false;
  if (!Object.entries(sent).every(([name, value]) => mayHave(step.members, name, value))) return false;
  if (step.role === 'create') return true;
  const named = idMember(action.kind, step.operation);
  if (step.members[named] === undefined) return true; // it names its object by another member
  const id = sent[named];
  const isNew = action.action === 'replace' || (action.action === 'deploy' && replaced.has(action.parent ?? ''));
  return isTeardown || !isNew ? id === action.id || action.id === undefined : id !== action.id;
}

/** Whether a plan lets a member of a request have a value, or what is in it, as `config.url`. */
function mayHave(members: Step['members'], name: string, value: unknown): boolean {
  const own = Object.keys(members).filter((path) => path.startsWith(`${name}.`));
  if (own.length === 0 || !isRow(value)) return mayBe(members[name], value);
  return Object.entries(value).every(([inner, one]) => {
    const path = `${name}.${inner}`;
    return own.includes(path) ? mayBe(members[path], one) : members[name] !== undefined;
  });
}

/** Whether a plan lets a member of a request have a value. */
function mayBe(member: Member | undefined, value: unknown): boolean {
  if (member === undefined) return false;
  if (member.is === 'value') return equal(member.value.reveal(), value);
  if (member.is !== 'wanted') return true;
  const content = member.wanted.content.reveal();
  return content.is !== 'value' || equal(content.value, value);
}
