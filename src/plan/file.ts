import * as z from 'zod';

/**
 * A plan that was reviewed, as a file: what it was made from, and every request that it has. It holds no value, neither
 * of the manifest nor of the platform, only keyed digests: enough to tell whether a plan that is made later is the same.
 */

/** What one value is. */
const value = z.strictObject({
  /** Of the value; of what is not known when the plan is made, of the text with its references. */
  digest: z.string(),
  /** The outputs that it is known after. */
  after: z.array(z.string()).optional(),
  /** The secrets in it that the run did not have. */
  missing: z.array(z.string()).optional(),
  /** A secret or a variable of the environment flows into it. */
  concealed: z.literal(true).optional(),
});

/** Where one member of a request comes from. */
const member = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('value'), name: z.string(), value }),
  z.strictObject({
    is: z.literal('map'),
    name: z.string(),
    keepsOthers: z.boolean(),
    entries: z.array(z.strictObject({ key: z.string(), value })),
    removed: z.array(z.string()),
  }),
  z.strictObject({ is: z.literal('set'), name: z.string(), value, formerly: z.string() }),
  z.strictObject({ is: z.literal('id'), name: z.string(), of: z.string() }),
  z.strictObject({ is: z.literal('as read'), name: z.string(), from: z.string() }),
  z.strictObject({ is: z.literal('mark'), name: z.string() }),
]);

const step = z.strictObject({
  operation: z.string(),
  role: z.enum(['create', 'update', 'move', 'delete', 'reset', 'deploy']),
  members: z.array(member),
  /** Members for whose sake it is sent. */
  changed: z.array(z.string()),
});

const action = z.strictObject({
  address: z.string(),
  action: z.enum(['create', 'update', 'move', 'replace', 'delete', 'adopt', 'forget', 'deploy']),
  id: z.string().optional(),
  teardown: z.array(step),
  steps: z.array(step),
  /** Digests of what the platform had where it is overwritten or goes; of a set that others add to, one per member. */
  before: z.array(
    z.strictObject({
      path: z.string(),
      was: z.array(z.string()),
      /** The outputs in what is wanted there. */
      refersTo: z.array(z.string()).optional(),
    }),
  ),
  needsConsent: z.literal(true).optional(),
  dataAtRisk: z.string().optional(),
  /** What the plan warned of. */
  warnings: z.array(z.string()),
});

const schema = z.strictObject({
  format: z.literal('trueup/plan-file'),
  version: z.literal(1),
  /** The version of Trueup. */
  madeBy: z.string(),
  madeAt: z.iso.datetime(),
  platform: z.string(),
  organizationId: z.string(),
  projectId: z.string(),
  /** What the plan was asked for. */
  deploys: z.boolean(),
  destroys: z.boolean(),
  state: z.union([
    z.strictObject({ lineage: z.string(), serial: z.number().int().min(0), content: z.string() }),
    /** There was none: what the one is to begin with that apply makes. */
    z.strictObject({ lineage: z.string().min(1), digestKey: z.string().min(1) }),
  ]),
  moved: z.string(),
  /** Everything that is declared. */
  resources: z.array(
    z.strictObject({ address: z.string(), declared: z.array(z.strictObject({ path: z.string(), value })) }),
  ),
  /** What changes something; unchanged resources are left out. */
  actions: z.array(action),
  /** The digest of all of it: nobody can change the file who does not have the key. */
  seal: z.string(),
});

/** A plan that was reviewed. */
export type PlanFile = z.output<typeof schema>;
export type FiledAction = PlanFile['actions'][number];
export type FiledStep = FiledAction['steps'][number];
export type FiledMember = FiledStep['members'][number];
export type FiledValue = z.output<typeof value>;

const format = schema.shape.format.value;
const version = schema.shape.version.value;

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
  const named = content as { format?: unknown; version?: unknown } | null;
  if (named?.format === 'trueup/plan') {
    return { problem: 'is what plan --format json prints, and no plan file', remedy };
  }
  if (named?.format !== format) return { problem: 'is no plan file', remedy };
  if (typeof named.version === 'number' && named.version !== version) {
    const whose = named.version > version ? 'a newer' : 'an older';
    return {
      problem: `has format ${named.version}, which ${whose} Trueup wrote`,
      remedy: 'Plan again with the version that applies.',
    };
  }
  const { data, error } = schema.safeParse(content);
  if (data !== undefined) return data;
  const place = error.issues[0]?.path.join('.') ?? '';
  return { problem: `is damaged at ${place === '' ? 'its top' : place}`, remedy: 'Plan again.' };
}
