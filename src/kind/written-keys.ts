import * as z from 'zod';
import { type Field, type Union, schemaOf } from './field.ts';
import { type Json, isObject } from '../formats/json.ts';
import type { ParentLink } from './parent.ts';
import { fieldAlias } from './aliases.ts';
import { codes } from '../diagnostics/codes.ts';
import { deploymentCodes } from './checks.ts';
import type { Kind } from './kind.ts';
import { readDuration, units } from '../formats/units.ts';
import { onceFor } from '../api/once.ts';

/** Settings that every resource has. */
const commonOptions = {
  id: z.string().min(1).describe('Id on the platform: adopts exactly this object.'),
  protect: z
    .boolean()
    .describe(
      'true: never deleted or replaced, also after the line or the block is gone. false, once applied: its data may be deleted without --allow-data-loss.',
    ),
  unset: z
    .array(z.string().min(1))
    .describe('A list of fields that have no value: [memoryLimit] is short for memoryLimit: null.'),
  private: z
    .array(z.string().min(1))
    .describe(
      'Keys of env, of compose files and of other texts, and fields, that no plan shows and the state keeps as digests.',
    ),
  createOnly: z
    .array(z.string().min(1))
    .describe(
      'Fields that others set later, by the names of this block: [source.image, replicas, env.TAG]. Apply writes them when it creates the object; from then on Trueup neither compares nor writes them.',
    ),
} satisfies Record<string, z.ZodType>;

/** Services whose deployments come first, without a reference to them. */
const afterOption = {
  schema: z
    .array(z.string().min(1))
    .describe(
      'Addresses of services: apply deploys this one when their deployments in the same run have succeeded. [postgres.main] is the one beside it.',
    ),
};

/** What a service that Trueup deploys may say beside that. */
const allowOption = z
  .strictObject(
    Object.fromEntries(
      deploymentCodes.map((code) => [code, z.string().min(1).describe(codes[code].meaning).optional()]),
    ),
  )
  .describe('Warnings and errors about its deployment that the block allows, by their codes, each with the reason.');

/** One second, in nanoseconds. */
const leastWatch = 1e9;

/** A time to wait after a deployment. */
const waited = z
  .string()
  .refine((text) => (readDuration(text) ?? 0) >= leastWatch, { message: 'must be a duration of 1s or more' });

/** The time that an option says with `within:`; undefined where it says none. Milliseconds. */
export function withinOf(option: Json | Probe | undefined): number | undefined {
  const within = isObject(option) ? option['within'] : undefined;
  const nanoseconds = typeof within === 'string' ? readDuration(within) : undefined;
  return nanoseconds === undefined ? undefined : nanoseconds / 1e6;
}

/** How long apply watches the containers of a service after its deployment. */
const healthOption = {
  schema: z
    .strictObject({
      within: waited.describe(
        'The time from its start within which a container has to come up, and in which it has to stay up.',
      ),
    })
    .describe('How long apply watches the containers after a deployment: { within: 90s }.'),
};

/** The answer that apply waits for after a deployment. */
const probeSchema = z.strictObject({
  path: z
    .string()
    .regex(/^\/[^\s#]*$/u, 'must begin with / and have neither blanks nor #')
    .describe('Path below that of the block: /health.')
    .optional(),
  port: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .describe('Port of the address: 8443; by default 443 with https, else 80. One with customEntrypoint needs it.')
    .optional(),
  status: z
    .number()
    .int()
    .min(200)
    .max(599)
    .describe('Status that the address has to answer; by default any from 200 to 299.')
    .optional(),
  within: waited.describe('How long the address may take to answer so, in rounds: 30s by default.').optional(),
  text: z.string().min(1).describe('Text that the answer has to contain.').optional(),
});

/** The answer that apply waits for at an address, after a deployment of its service. */
export type Probe = Readonly<z.output<typeof probeSchema>>;

const probeOption = {
  schema: probeSchema.describe(
    'After a deployment of its service, apply asks this address until it answers so: { path: /health }.',
  ),
  takesExpressions: true as const,
};

/** When Trueup deploys a service, `never`: only people deploy it; or what it does when a deployment fails. */
const deployOption = {
  schema: z
    .union([
      z.enum(['onChange', 'never']),
      z.strictObject({
        onFailure: z.literal('restore').describe('restore: apply writes the former values back and deploys these.'),
      }),
    ])
    .describe(
      'onChange: apply deploys it after changes that need it. never: apply leaves that to you. { onFailure: restore }: when a deployment fails, apply writes the former values back and deploys these.',
    ),
  words: {
    onChange: 'Apply deploys the service after changes that need it.',
    never: 'Apply leaves deployments to you.',
  },
  otherwise: 'onChange',
};

/** Whether apply puts the former version of a service back when a deployment fails. */
export function restoresOnFailure({ deploy }: Readonly<Record<string, Json>>): boolean {
  return isObject(deploy) && deploy.onFailure === 'restore';
}

/** The setting that says what happens to what is not declared in a map or a set; undefined for kinds that have none. */
export const mergeOption = onceFor((kind: Kind): typeof envMode | typeof accessMode | undefined => {
  const fields = Object.values(kind.fields);
  if (fields.some((field) => field.map !== undefined)) return envMode;
  return fields.some((field) => field.growsByItself === true) ? accessMode : undefined;
});

const envMode = {
  name: 'envMode',
  otherwise: 'own',
  schema: z.enum(['own', 'merge']).describe('own: keys of env that are not declared here go. merge: they stay.'),
  words: { own: 'Keys of env that are not declared here go.', merge: 'Keys of env that are not declared here stay.' },
} as const;

const accessMode = {
  name: 'accessMode',
  otherwise: 'merge',
  schema: z
    .enum(['own', 'merge'])
    .describe('merge: ids in the lists that are not declared here stay, as the platform adds to them. own: they go.'),
  words: { own: 'Ids that are not declared here go.', merge: 'Ids that are not declared here stay.' },
} as const;

/** What one key of a block means. */
export type Written =
  /** `isOther`: an alias that is the word of the API document. */
  | { readonly is: 'field'; readonly field: string; readonly isAlias?: true; readonly isOther?: true }
  | { readonly is: 'union'; readonly union: Union }
  /** `otherwise`: what leaving it out means. `words`: what each word of a choice means. */
  | {
      readonly is: 'option';
      readonly schema: z.ZodType;
      readonly otherwise?: Json;
      readonly words?: Readonly<Record<string, string>>;
      /** Expressions in it are filled in: all but references and secrets. */
      readonly takesExpressions?: true;
    };

/** The keys a block of a kind can have below one kind of parent, sections of children apart. */
export function writtenFields(kind: Kind, link: ParentLink): ReadonlyMap<string, Written> {
  const byLink = writtenBy.get(kind) ?? new Map<ParentLink, ReadonlyMap<string, Written>>();
  writtenBy.set(kind, byLink);
  const made = byLink.get(link) ?? collectWritten(kind, link);
  byLink.set(link, made);
  return made;
}

/** Declarations never change; kinds of several profiles share their links. */
const writtenBy = new WeakMap<Kind, Map<ParentLink, ReadonlyMap<string, Written>>>();

function collectWritten(kind: Kind, link: ParentLink): ReadonlyMap<string, Written> {
  const written = new Map<string, Written>();
  const elsewhere = new Set([...Object.keys(link.set), ...(link.lacks ?? [])]);
  for (const union of kind.unions ?? []) {
    if (union.at === undefined) continue;
    elsewhere.add(union.tag);
    for (const fields of Object.values(union.cases)) for (const field of Object.values(fields)) elsewhere.add(field);
    written.set(union.at, { is: 'union', union });
  }
  for (const [name, { written: key = name, alsoWritten }] of Object.entries(kind.fields)) {
    if (elsewhere.has(name)) continue;
    written.set(key, { is: 'field', field: name });
    if (alsoWritten !== undefined) written.set(alsoWritten, { is: 'field', field: name, isAlias: true });
    const alias = fieldAlias(name);
    if (alias !== undefined) written.set(alias, { is: 'field', field: name, isAlias: true, isOther: true });
  }
  for (const [name, schema] of Object.entries(commonOptions)) written.set(name, { is: 'option', schema });
  if (isDeployable(kind)) {
    const options = { deploy: deployOption, after: afterOption, allow: { schema: allowOption }, health: healthOption };
    for (const [name, option] of Object.entries(options)) written.set(name, { is: 'option', ...option });
  }
  if (kind.reachedAt !== undefined) written.set('probe', { is: 'option', ...probeOption });
  for (const [name, option] of Object.entries(kind.operations.deleteOptions ?? {}))
    written.set(name, { is: 'option', ...option });
  const merge = mergeOption(kind);
  if (merge !== undefined) {
    const { name, ...option } = merge;
    written.set(name, { is: 'option', ...option });
  }
  return written;
}

/** Whether the objects of a kind are services, which apply deploys. */
export function isDeployable({ commands }: Kind): boolean {
  return commands?.deploy !== undefined;
}

/** The keys of one case of a union, each with its field; its tag is not among them. */
export function caseFields(union: Union, word: string): readonly (readonly [key: string, field: string])[] {
  const also = word === union.local ? [] : (union.also ?? []).map((name) => [name, name] as const);
  return [...Object.entries(union.cases[word] ?? {}), ...also];
}

/** The schema of a field as users may write it: a field with a map takes a map too, and an amount needs no quotes. */
export function writtenSchema(field: Field): z.ZodType {
  if (field.map !== undefined)
    return z.union([z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])), schemaOf(field)]);
  return isNumberAsText(field) ? z.union([z.number(), schemaOf(field)]) : schemaOf(field);
}

/** Whether a field holds the digits of a number: users need not quote them. */
export function isNumberAsText({ unit }: Field): boolean {
  return typeof unit === 'string' && units[unit].isText;
}
