import * as z from 'zod';
import type { Json } from '../../formats/json.ts';

/** A document with its name and its version. */
export function document<Name extends string, Version extends 1 | 2, Shape extends z.core.$ZodLooseShape>(
  name: Name,
  version: Version,
  shape: Shape,
) {
  return z.object({ format: z.literal(`trueup/${name}` as const), version: z.literal(version), ...shape });
}

export const int = z.number().int();
export const strings = z.array(z.string());

const json = z.json() as z.ZodType<Json>; // the same, spelled with readonly
export const requests = z.object({ reads: int, writes: int });

const place = z.object({
  file: z.string(),
  line: int,
  column: int,
  endColumn: int.optional(),
});

export const position = place.extend({
  /** The places of the uses of templates that led there, the innermost first. */
  uses: z.array(place).readonly().optional(),
});

const diagnostic = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'note']),
  message: z.string(),
  details: strings.optional(),
  remedy: z.string().optional(),
  address: z.string().optional(),
  position: position.optional(),
  /** The line at `position`, in which what may be secret is masked; `from` and `to`: the part that it is about, as offsets. */
  quote: z.object({ text: z.string(), from: int, to: int }).optional(),
  /** `manifest`: a warning of the manifest; `state`: why the state could not be written; left out for all others. */
  source: z.enum(['manifest', 'state']).optional(),
});

export const diagnostics = z.array(diagnostic);
export const actionName = z.enum([
  'create',
  'update',
  'move',
  'replace',
  'delete',
  'adopt',
  'forget',
  'deploy',
  'run',
  'no-op',
]);

export const waitsFor = z.enum(['queue', 'deployment', 'answer', 'earlier', 'health', 'probe']);

export const shown = z.discriminatedUnion('is', [
  z.object({ is: z.literal('value'), value: json }),
  /** With `(sensitive)` in place of each secret part. */
  z.object({ is: z.literal('masked'), value: json }),
  z.object({ is: z.literal('hidden') }),
  z.object({ is: z.literal('absent') }),
  z.object({ is: z.literal('known after apply') }),
]);

const unit = z.enum(['bytes', 'nanocpus', 'nanoseconds']);
export const unitOf = z.union([unit, z.record(z.string(), unit)]);

const change = z.object({
  path: z.string(),
  cause: z.enum([
    'create',
    'delete',
    'first managed',
    'drift',
    'edit',
    'conflict',
    'removed',
    'known after apply',
    'ignored',
    'unproven',
  ]),
  before: shown,
  after: shown,
  last: shown.optional(),
  /** The unit of the number, or of members of the value by their names; values are the platform's numbers. */
  unit: unitOf.optional(),
  summary: z.string().optional(),
  atDeploy: z.boolean(),
  forcesReplacement: z.boolean(),
  position: position.optional(),
});

/** A block whose section is its one block: its address ends without a key. */
export const single = z.literal(true).optional();

export const action = z.object({
  address: z.string(),
  kind: z.string(),
  single,
  action: actionName,
  id: z.string().optional(),
  parent: z.string().optional(),
  /** Addresses that this one depends on, also unchanged ones. */
  dependsOn: strings.optional(),
  /** The former address, which `moved:` replaces in the state. */
  movedFrom: z.string().optional(),
  /** Of a replacement: the new object comes before the old one goes. */
  createsBeforeDestroy: z.boolean().optional(),
  /** Its parent brings it. */
  comesWithParent: z.literal(true).optional(),
  /** No request of its own deletes it: the platform deletes it with its parent. */
  goesWithParent: z.literal(true).optional(),
  /** Of a deletion below another one: the address of the outermost object that the plan deletes, such as the service. */
  goesWith: z.string().optional(),
  /** Of a deletion: why. `block elsewhere`: a block of its kind and key is new at another address. */
  why: z.enum(['block removed', 'block elsewhere', 'replaced', 'destroy']).optional(),
  /** Of a deletion for `block elsewhere`: the address of that block. */
  elsewhere: z.string().optional(),
  /** Of a deployment: an earlier run started it. */
  underWay: z.literal(true).optional(),
  /** Number of requests that apply sends for it. */
  requests: int,
  /** Apply sends no request for it: only the state changes, or the object is deleted with its parent. */
  sendsNothing: z.literal(true).optional(),
  /** The actions that apply ends before it begins this one, as far as they send requests. */
  after: z.array(z.object({ address: z.string(), action: actionName })).optional(),
  /** Of a deployment: the services whose deployments have to succeed before, by `after:` of the block. */
  deploysAfter: strings.optional(),
  /** Of a deployment: the URLs that apply asks afterwards, by `probe:`; the address of the block where the URL is not known or does not show. */
  asks: strings.optional(),
  changes: z.array(change),
  /** Of a deployment: what it puts into effect; left out for the first one. */
  because: strings.optional(),
  /** Of what goes: the names of its parts, such as `services`. */
  holds: z.record(z.string(), strings).optional(),
  /** A person asked for the replacement, with --replace. */
  asked: z.literal(true).optional(),
  dataAtRisk: z.string().optional(),
  protect: z.boolean().optional(),
  needsConsent: z.boolean(),
  notes: z.array(diagnostic),
  position: position.optional(),
});

/** The members of a head: where a document comes from. */
export const head = {
  /** `emulator`, or the address. */
  platform: z.string().optional(),
  /** The version of the platform, where it returns it. */
  platformVersion: z.string().optional(),
  project: z.object({ id: z.string(), name: z.string().optional() }).optional(),
  /** `serial`: its version; left out while there is no state. */
  state: z.object({ location: z.string(), serial: int.optional() }).optional(),
  /**
   * `differing`: files of the manifest that the index of git does not have with the same content; `isClean`: they are proved
   * to be as the commit has them.
   */
  commit: z.object({ id: z.string(), differing: int.optional(), isClean: z.literal(true).optional() }).optional(),
};

/** What was compared with the platform, and what was not. */
export const comparison = {
  /** Number of declared fields, and keys of maps, that were compared with the platform. */
  compared: int,
  /** Everything declared that was not compared, and why. */
  notCompared: z.array(
    z.object({
      address: z.string(),
      /** The field; left out for an object as a whole. */
      path: z.string().optional(),
      why: z.enum(['secret missing', 'not recorded', 'not returned', 'cannot be decrypted', 'left out', 'create only']),
      /** Names of the secrets that the run does not have. */
      secrets: strings.optional(),
      position: position.optional(),
    }),
  ),
  /** Number of fields that differ on the platform and that apply leaves as they are: notes say why. */
  left: int,
  /** Number of fields that the platform ignores and that apply does not write again. */
  ignored: int,
};

/** A document that no view changes. */
export type Frozen<T> = Json extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Frozen<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: Frozen<T[K]> }
      : T;

/** The words for what happens to a resource. */
export type ActionName = z.output<typeof actionName>;

/** A report about one thing, as a document has it. */
export type DiagnosticDocument = Frozen<z.output<typeof diagnostic>>;

/** A value as people may see it. */
export type Shown = Frozen<z.output<typeof shown>>;
