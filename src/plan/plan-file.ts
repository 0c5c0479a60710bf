import * as z from 'zod';
import { once } from '../api/once.ts';
import { type Part, readAddress } from '../kind/address.ts';

/**
 * A reviewed plan as a file: flat facts, by address and path. In clear it holds no value of the manifest or of the
 * platform, only keyed digests: enough to compare it with a plan that is made later. What `plan` printed is in it encrypted.
 */

const kinds = [
  ...(['block', 'declared', 'missing'] as const),
  ...(['action', 'moved', 'id', 'was', 'warning', 'risk', 'consent', 'lapsed'] as const),
  ...(['send', 'order', 'member', 'changed'] as const),
];

/** The first word of a path. */
export type FactKind = (typeof kinds)[number];

const path = () => z.string().regex(new RegExp(`^(${kinds.join('|')})( |$)`));

const format = 'trueup/plan-file';
const version = 6;

const schema = once(() =>
  z.strictObject({
    format: z.literal(format),
    version: z.literal(version),
    /** The version of Trueup. */
    madeBy: z.string(),
    madeAt: z.iso.datetime(),
    /** The root file of the manifest, without its folder. */
    root: z.string(),
    platform: z.string(),
    /** The version of the platform, where it tells it. */
    platformVersion: z.string().exactOptional(),
    organizationId: z.string(),
    projectId: z.string(),
    /** What the manifest calls it, when that is not its id. */
    project: z.string().exactOptional(),
    /** The options of the plan. */
    deploys: z.boolean(),
    destroys: z.boolean(),
    narrowing: z.strictObject({
      targets: z.array(z.string()),
      excludes: z.array(z.string()),
      replaces: z.array(z.string()),
      includesAccepted: z.literal(true).exactOptional(),
      retriesFailed: z.literal(true).exactOptional(),
      followsOnly: z.literal(true).exactOptional(),
    }),
    state: z.union([
      z.strictObject({ lineage: z.string(), serial: z.number().int().min(0), content: z.string() }),
      /** There was no state: apply begins one with this lineage. */
      z.strictObject({ lineage: z.string().min(1) }),
    ]),
    moved: z.string(),
    /** The digest of all accepted drift: a change of it is a change of the plan. */
    accepted: z.string(),
    /**
     * Everything that was reviewed: by address, a value at each path. The first word of a path is its kind. Values are
     * digests, where the list does not say otherwise; STEP is an operation with its role.
     *
     * - `block`: the manifest has a block. No value.
     * - `declared env.A`: what the manifest says there. `missing env.A`: the names of secrets that the run did not have.
     * - `action move`, `action update`: the action; after it, what it comes to when a person does a part by hand. No value.
     * - `moved ADDRESS`: the former address of its record. No value.
     * - `id`: the id of the object, in clear.
     * - `was env.A`: what is overwritten there, or goes; of a set that others add to, one digest per member.
     * - `warning TEXT`: what the plan warned of. `risk`: the sentence about the data at risk. `consent`: it takes over an
     *   object that another person made. All in clear.
     * - `lapsed replicas`: the day until which a person had accepted what is written over, in clear.
     * - `send STEP`: a request. `order STEP after STEP`, `order STEP in teardown`: its place. No value.
     * - `member STEP NAME`: a member of it. `member STEP NAME KEY`: a key of a map that the member removes; no value.
     * - `changed STEP NAME`: the request changes that member, and does not only require it. No value.
     */
    facts: z.record(z.string(), z.record(path(), z.string())),
    /** What `plan` printed, packed and encrypted with a key that comes from the key of the state. */
    shown: z.string(),
    /** The MAC of all of it: only who has the key can change the file. */
    mac: z.string(),
  }),
);

/** A plan that was reviewed. */
export type PlanFile = z.output<ReturnType<typeof schema>>;

/** What of a plan file is compared with a plan that is made later. */
export type PlanFacts = Pick<PlanFile, (typeof comparedFacts)[number]>;

/** The members of those. */
export const comparedFacts = [
  ...(['platformVersion', 'organizationId', 'projectId'] as const),
  ...(['state', 'moved', 'accepted', 'facts'] as const),
];

/** What the facts of a file are about: an address, its block, and the part of that; undefined: the block itself. */
interface Subject {
  readonly address: string;
  readonly block: string;
  readonly part: Part | undefined;
}

/** Reads what facts are about. */
export function subjectsOf(facts: PlanFile['facts']): readonly Subject[] {
  return Object.keys(facts).map((address) => ({ address, ...readAddress(address) }));
}

/** The text of the file. */
export function planFileText(file: PlanFile): string {
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** Whether a text begins as plan files do. */
export function isPlanFileText(beginning: string): boolean {
  return new RegExp(`^\\s*\\{\\s*"format":\\s*"${format}"`).test(beginning);
}

/** Reads the text of a file; or says what it is instead, and what to do. */
export function parsePlanFile(text: string): PlanFile | { readonly problem: string; readonly remedy: string } {
  const remedy = 'trueup plan --out FILE writes one.';
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return isPlanFileText(text)
      ? { problem: 'is damaged: it ends too early, or was changed', remedy: 'Plan again.' }
      : { problem: 'is no plan file', remedy };
  }
  const named = content as { format?: unknown; version?: unknown; madeBy?: unknown } | null;
  if (named?.format === 'trueup/plan') {
    return { problem: 'is what plan --format json prints, and no plan file', remedy };
  }
  if (named?.format !== format) return { problem: 'is no plan file', remedy };
  if (typeof named.version === 'number' && named.version !== version) {
    const { madeBy } = named;
    const whose = named.version > version ? 'a newer' : 'an older';
    const which = typeof madeBy === 'string' && /^[\w.+-]{1,40}$/.test(madeBy) ? ` (${madeBy})` : '';
    return {
      problem: `has format ${named.version}, which ${whose} Trueup${which} wrote`,
      remedy: 'Plan again with the version that applies.',
    };
  }
  const { data, error } = schema().safeParse(content);
  if (data !== undefined) {
    // A member that stands twice is read once, and `__proto__` never.
    const isAsWritten = JSON.stringify(data) === text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
    return isAsWritten ? data : { problem: 'was changed: Trueup does not write it so', remedy: 'Plan again.' };
  }
  const place = error.issues[0]?.path.join('.') ?? '';
  return { problem: `is damaged at ${place === '' ? 'its top' : place}`, remedy: 'Plan again.' };
}
