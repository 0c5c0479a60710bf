import { readAddress } from '../../src/kind/address.ts';
import { everything } from '../../src/plan/narrow.ts';
import { LineCounter } from 'yaml';
import * as z from 'zod';
import { isOperation } from '../../src/api/contract.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import type { Field } from '../../src/kind/field.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { kindsOn } from '../../src/kind/kinds-on.ts';
import { root } from '../../src/kind/kind.ts';
import type { Resource } from '../../src/manifest/resource.ts';
import type { Concealed, Outputs, ShapePiece, Wanted } from '../../src/manifest/wanted.ts';
import type { Reference } from '../../src/manifest/reference.ts';
import { isConcealed, withGaps } from '../../src/manifest/wanted.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action, AttributeChange, Change, Doing, Target } from '../../src/plan/action.ts';
import type { Staleness } from '../../src/plan/action.ts';
import type { Planning } from '../../src/plan/input.ts';
import { acceptancesOn } from '../../src/plan/find-acceptance.ts';
import { howToGive } from '../../src/secrets/sources/env.ts';
import type { PlanFile } from '../../src/plan/plan-file.ts';
import { standingOf } from '../../src/plan/standing.ts';
import { storedPair } from '../../src/plan/stored-pairs.ts';
import { kinds } from '../../src/resources/index.ts';
import { digest } from '../../src/secrets/digest.ts';
import { secret } from '../../src/secrets/secret.ts';
import type {
  Deploys,
  KnownRecord,
  Pair,
  PendingCreate,
  StateRecord,
  Stored,
  UnknownRecord,
} from '../../src/state/record.ts';
import { toStored } from '../../src/state/stored.ts';

/** Fields, resources, records and actions for tests of pure functions: no manifest declares them. */

/** A field that takes anything and hides nothing. */
export const anything: Field = { schema: z.json(), examples: ['a', 'b'] };

/** Makes digests as a state does. */
export const makeDigest = (content: string): string => digest('key', content);

/** Makes the same digests at all places. */
export const makeDigests = () => makeDigest;

/** A kind by its name. */
export function kindNamed(name: string): Kind {
  const kind = kinds.find((item) => item.kind === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

/** A kind of a platform that keeps to the API document. */
export function documentedKind(name: string): Kind {
  const [kind] = kindsOn([kindNamed(name)], isOperation);
  if (kind === undefined) throw new Error(`the document has no ${name}`);
  return kind;
}

const lines = new LineCounter();
lines.addNewLine(0);
lines.addNewLine(9);

/** Where everything here is declared. */
export const here = { file: 'trueup.yaml', line: 2, column: 3 };
const at = { file: here.file, offset: 11, lines };

/** A value as a manifest declares it; `isSecret`: all of it is private. */
export function declared(value: Json, isSecret = false): Wanted {
  const content = secret({ is: 'value', value } as const);
  return { at, isSecret, ...(isSecret ? { isPrivate: true } : {}), references: [], missing: [], content };
}

/** An output of another resource, and nothing else. */
export function referring(to: Reference): Wanted {
  return { ...declared(null), references: [to], content: secret({ is: 'text', pieces: [to] }) };
}

/** A secret that this run does not have. */
export function lacking(name: string): Wanted {
  return textOf(secretPart(name));
}

/** A `${secret:…}` in a text; without a text where this run does not have it. */
export function secretPart(name: string, hidden?: string): Concealed {
  return { from: 'secret', name, ...(hidden === undefined ? {} : { hidden }) };
}

/** A text of literal parts, secrets that this run has, and those that it lacks. */
export function textOf(...pieces: readonly ShapePiece[]): Wanted {
  const objects = pieces.filter((piece) => typeof piece === 'object');
  return {
    ...declared(null),
    isSecret: objects.some(isConcealed),
    references: objects.flatMap((piece) => (isConcealed(piece) ? [] : [piece])),
    missing: objects.flatMap((piece) => (isConcealed(piece) && piece.hidden === undefined ? [piece.name] : [])),
    content: secret({ is: 'text', pieces }),
  };
}

/** A value with its secrets. */
export function wholeOf(wanted: Wanted): Json {
  return withGaps(wanted, noOutputs);
}

/** What is remembered of a text with secrets that was settled, and answered as it was sent or as another value. */
export function pairOfText(wanted: Wanted, answered?: Json): Pair {
  return storedPair({ attribute: { field: 'value' }, field: anything }, wanted, [wholeOf(wanted), answered], {
    outputs: noOutputs,
    digest: makeDigest,
  });
}

const noOutputs: Outputs = () => undefined;

/** What is remembered of a value that was settled. */
export function pairOf(wanted: Json, answered: Json = wanted): Pair {
  return { wanted: storedAs(anything, wanted), answered: storedAs(anything, answered) };
}

/** A value of a field as the state holds it. */
export function storedAs(field: Field, value: Json, isSecret = false): Stored {
  return toStored({ field, attribute: { field: 'value' }, isSecret, digest: makeDigest }, value);
}

/** A change of a field, of which no side shows. */
export function changeAt(path: string, more: Partial<Change> = {}): Change {
  return {
    path,
    cause: 'edit',
    before: { is: 'absent' },
    after: { is: 'absent' },
    atDeploy: false,
    forcesReplacement: false,
    ...more,
  };
}

/** An attribute that is as it should be; its standing is judged from the rest. */
export function attributeChange(
  field: string,
  more: Partial<AttributeChange> = {},
  outputs: Outputs = () => undefined,
): AttributeChange {
  const change = {
    attribute: { field },
    field: anything,
    wanted: declared('value'),
    decision: { do: 'nothing', settled: true } as const,
    before: secret<Json>(null),
    pair: undefined,
    ...more,
  };
  const judged = { ...change, observed: change.before.reveal(), digest: makeDigest, outputs };
  return { standing: standingOf(judged), ...change };
}

/** Members of an action; those that its case does not have count for nothing. */
export type ActionMembers = Partial<Target> & {
  readonly [Name in KeyOf<Doing>]?: ValueOf<Doing, Name> | undefined;
};

type KeyOf<Case> = Case extends unknown ? keyof Case : never;
type ValueOf<Case, Name extends PropertyKey> = Case extends Readonly<Record<Name, infer Value>> ? Value : never;

/** An action that does nothing; the kind is a Redis when nothing else is said. */
export function actionOf(address: string, more: ActionMembers = {}): Action {
  const target: Target = {
    address: more.address ?? address,
    block: readAddress(more.address ?? address).block,
    scope: more.scope ?? more.address ?? address,
    kind: more.kind ?? kindNamed('redis'),
    id: 'id' in more ? more.id : `id of ${address}`,
    parent: more.parent,
    movedFrom: more.movedFrom,
    changes: more.changes ?? [],
    attributes: more.attributes ?? [],
    dependsOn: more.dependsOn ?? [],
    options: more.options ?? {},
    notes: more.notes ?? [],
    dataAtRisk: more.dataAtRisk,
    protect: more.protect,
    position: 'position' in more ? more.position : here,
    service: more.service,
  };
  return { ...target, ...doing(more) };
}

function doing(more: ActionMembers): Doing {
  const { steps = [], teardown = [], holds, because = [] } = more;
  const { action = steps.length > 0 ? 'update' : 'no-op' } = more;
  const making = { teardown: [], steps } as const;
  const by = more.by ?? (teardown.length === 0 ? 'parent' : 'request');
  const taking = by === 'parent' ? ({ by, teardown: [] } as const) : { by, teardown };
  switch (action) {
    case 'create':
      return { action, ...making };
    case 'update':
    case 'move':
      return more.kept === undefined ? { action, ...making } : { action, kept: more.kept, teardown: [], steps: [] };
    case 'adopt':
      return more.from === 'pin' || more.from === 'parent'
        ? { action, ...making, from: more.from, needsConsent: false }
        : { action, ...making, from: 'key', needsConsent: more.needsConsent ?? false };
    case 'replace': {
      const replacing = { action, steps, isRequested: more.isRequested ?? false, replaced: more.replaced ?? [] };
      return more.order === 'create first'
        ? { ...replacing, order: 'create first', teardown: [] }
        : { ...replacing, order: 'delete first', holds, ...taking };
    }
    case 'delete':
      return { action, steps: [], holds, follows: more.follows ?? [], ...taking };
    case 'forget':
      return { action, why: more.why ?? 'gone', teardown: [], steps: [] };
    case 'deploy': {
      const { start = more.because === undefined ? 'first' : 'again' } = more;
      const deploying = { action, ...making, after: more.after ?? [], asks: more.asks ?? [], restores: more.restores };
      return start === 'again' ? { ...deploying, start, because } : { ...deploying, start };
    }
    case 'run':
      return { action, ...making };
    case 'no-op':
      return { action, kept: more.kept ?? 'as wanted', teardown: [], steps: [] };
    default:
      return action satisfies never;
  }
}

/** What is planned of the deployments of a service. */
export function serviceOf(
  more: Partial<Omit<NonNullable<Action['service']>, 'staleness'>> & { readonly staleness?: Partial<Staleness> } = {},
): NonNullable<Action['service']> {
  const { staleness, ...rest } = more;
  const stale = staleness === undefined ? undefined : { because: [], through: [], ...staleness };
  return { known: undefined, inputs: () => undefined, isLeft: false, staleness: stale, ...rest };
}

/** A request that an action can have. */
export const aStep = { operation: 'redis.remove', role: 'delete', members: {}, changed: [] } as const;

/** A resource of a kind, below the first parent that the kind can have. */
export function resourceOf(kind: Kind, address: string, more: Partial<Resource> = {}): Resource {
  const [name = root, link] = Object.entries(kind.parents)[0] ?? [];
  if (link === undefined) throw new Error(`a ${kind.kind} stands nowhere`);
  return {
    address,
    kind,
    key: address.split('.').at(-1) ?? address,
    parent: name === root ? undefined : 'production',
    link,
    at,
    fields: {},
    maps: {},
    mapMode: 'own',
    options: {},
    pinned: undefined,
    ...more,
  };
}

/** An object that was found by the id that the state has. */
export function objectOf(id: string, row: Row, more: Partial<ObservedObject> = {}): ObservedObject {
  return { id, row, parentId: undefined, foundBy: 'id', isProvided: false, ...more };
}

/** A record of the state. */
export function recordOf(kind: string, id: string, more?: Partial<KnownRecord>): KnownRecord;
export function recordOf(kind: string, id: string | null, more?: Partial<Omit<UnknownRecord, 'id'>>): StateRecord;
export function recordOf(kind: string, id: string | null, more: object = {}): StateRecord {
  return { kind, id, parent: null, dependsOn: [], pairs: {}, options: {}, ...more };
}

/** A create of which no answer came. */
export function creating(more: Partial<PendingCreate> = {}): PendingCreate {
  return { is: 'create', at: 1, timeoutMs: 60_000, says: {}, sends: 1, ...more };
}

/** What a plan is made from: what the platform has, and what the state remembers. */
export function inputOf(
  objects: Readonly<Record<string, ObservedObject>>,
  resources: Readonly<Record<string, StateRecord>> = {},
  deployments: Readonly<Record<string, Deploys>> = {},
): Planning {
  const base = { organizationId: 'org_1', projectId: 'prj_1' };
  const state = {
    ...base,
    formatVersion: 4,
    lineage: 'lineage',
    serial: 3,
    keyNumber: 1,
    resources,
    deployments,
  } as const;
  return {
    kinds,
    unserved: [],
    isServedKnown: true,
    ownEnvironment: undefined,
    asks: false,
    platformUrl: undefined,
    seeds: [],
    accepting: acceptancesOn('2026-01-01', [], makeDigests),
    howToGive,
    values: 'usual',
    resources: [],
    redact: (text) => text,
    observed: {
      ...base,
      userId: 'user_1',
      role: 'owner',
      objects: new Map(Object.entries(objects)),
      listed: new Set(),
      since: -60_000,
      nameOf: () => undefined,
      unmanaged: [],
      ofOthers: [],
      unlisted: [],
      unread: new Set(),
      projectName: undefined,
      duplicates: [],
    },
    state,
    saved: state,
    deploys: true,
    destroys: false,
    narrowing: everything,
    digests: makeDigests,
    origins: new Map(),
    outputs: () => undefined,
  };
}

/** A plan file without facts, with some members of its own. */
export function planFileOf(own: Partial<PlanFile> = {}): PlanFile {
  return {
    format: 'trueup/plan-file',
    version: 6,
    madeBy: '1.2.3',
    madeAt: '2026-01-02T03:04:05Z',
    root: 'trueup.yaml',
    platform: 'emulator',
    organizationId: 'org_1',
    projectId: 'prj_1',
    deploys: true,
    destroys: false,
    narrowing: { targets: [], excludes: [], replaces: [] },
    state: { lineage: 'lineage', serial: 3, content: 'content' },
    moved: 'moved',
    accepted: 'accepted',
    facts: {},
    shown: 'shown',
    mac: 'mac',
    ...own,
  };
}
