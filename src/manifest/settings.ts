import type { Profile } from '../api/contract.ts';
import * as z from 'zod';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { parseExpressions } from './expression.ts';
import type { Redact } from './problem.ts';
import { problemOf } from './problem.ts';
import type { ExpressionSource, Variable } from './sources/source.ts';
import type { MapNode, Node, Place } from './tree.ts';
import { toJson } from '../kind/simple-yaml.ts';
import { readableName } from '../kind/syntax.ts';
import { position } from './tree.ts';

/** What the top of `trueup.yaml` says besides the resources. */
export interface Settings {
  /** The embedded emulator, or a platform by its address. */
  readonly platform: 'emulator' | { readonly url: string };
  /** The profile of the platform; undefined: the manifest does not say. */
  readonly profile?: Profile | undefined;
  /** Id or name of the project. */
  readonly project: string;
  /** The manifest declares the project as a block: it is created, updated and deleted like every other object. */
  readonly ownsProject?: true;
  /** Where `project:` stands. */
  readonly projectAt?: Place;
  /** undefined: the environment may name one; otherwise it is in the folder of the manifest. */
  readonly state: StatePlace | undefined;
  readonly include: readonly string[];
  /** What was declared, by name; `undefined` for a variable that has no value. */
  readonly variables: ReadonlyMap<string, Variable>;
  readonly moved: readonly { readonly from: string; readonly to: string; readonly at: Place }[];
  /** In the order in which they are asked, after the environment. */
  readonly secrets: readonly SecretSource[];
  /** undefined: the defaults. */
  readonly drift?: DriftSettings | undefined;
  /** Where `trueup drift` reports what it finds; none when left out. */
  readonly notify?: readonly Receiver[] | undefined;
}

/** A receiver of notifications, as the manifest declares it. */
export interface Receiver {
  /** The form of its messages. */
  readonly as: 'json' | 'slack' | 'discord' | 'teams';
  /** `new`: only new, expired and resolved drift is worth a message. */
  readonly on: 'new' | 'any';
  /** The name of the secret that is its address. */
  readonly url: string;
  /** The name of the secret that signs messages. */
  readonly signature?: string | undefined;
  readonly at: Place;
}

/** What `trueup drift` leaves out, and where it remembers findings. */
export type DriftSettings = Readonly<NonNullable<z.output<typeof settingsShape.drift>>>;

/** Where the state is kept; the credentials come from the environment. */
export type StatePlace = Readonly<NonNullable<z.output<typeof settingsShape.state>>>;

/** Where secrets come from: an env file in clear, one encrypted with age, or a program that is run for each name. */
export type SecretSource = { readonly at: Place } & (
  | { readonly is: 'file' | 'age'; readonly path: string }
  | { readonly is: 'command'; readonly words: readonly string[]; readonly passes: readonly string[] }
);

/** `${secret:NAME}` and nothing else. A value that is refused may be the secret itself: no message holds it. */
const secretReference = z
  .string()
  .refine((text) => secretName.test(text), 'must be ${secret:NAME}, with letters, digits and "_" in NAME')
  .meta({ pattern: String.raw`^\$\{secret:[A-Za-z_][A-Za-z0-9_]*\}$` });

const secretName = /^\$\{secret:([A-Za-z_][A-Za-z0-9_]*)\}$/;

const plainScalar = z.union([z.string(), z.number(), z.boolean()]);

const profile = z
  .union(
    [
      z.literal('standard').describe('The names of the API document.'),
      z.literal('dokploy').describe('The names of Dokploy.'),
    ] satisfies z.ZodType<Profile>[],
    { error: 'must be standard or dokploy' },
  )
  .describe('Names that the API of the platform uses.');

/** The keys of `trueup.yaml` that are no resources, with what they take: built when it is asked for, as most are left out. */
export const settingsShape = {
  get trueup() {
    return z.literal(1).describe('Version of the language: 1.');
  },
  get platform() {
    return z
      .union([
        z.literal('emulator').describe('The embedded emulator: a platform in a file of this folder.'),
        z.strictObject({
          url: z
            .url({ protocol: /^https?$/ })
            .refine((url) => !/[@?#]/.test(url), 'must have no user, no query and no fragment')
            .describe('Address of the platform, without /api.'),
          profile: profile.optional(),
        }),
        z.strictObject({ emulator: z.literal(true).describe('The embedded emulator.'), profile }),
      ])
      .optional()
      .describe(
        'The platform, or the word emulator for the embedded one; TRUEUP_URL when left out. The API key comes from TRUEUP_API_KEY.',
      );
  },
  get state() {
    return z
      .discriminatedUnion(
        'backend',
        [
          z.strictObject({ backend: z.literal('local').describe('Files in .trueup, beside the manifest.') }),
          z.strictObject({
            backend: z.literal('postgres').describe('Tables in PostgreSQL, at TRUEUP_STATE_URL.'),
            schema: z
              .string()
              .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'must be lower case letters, digits and "_"')
              .optional()
              .describe('Schema of its tables; trueup when left out.'),
            name: z.string().min(1).optional().describe('Name of this state; the project when left out.'),
          }),
          z.strictObject({
            backend: z.literal('s3').describe('Objects in an S3-compatible store.'),
            endpoint: z
              .url({ protocol: /^https?$/ })
              .refine((url) => !/[@?#]/.test(url), 'must have no user, no query and no fragment')
              .describe('Address of the store, without the bucket.'),
            bucket: z
              .string()
              .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits, ".", "-" and "_"')
              .describe('Bucket of the store.'),
            region: z.string().min(1).optional().describe('us-east-1 when left out.'),
            prefix: z
              .string()
              .regex(
                /^[A-Za-z0-9_-][A-Za-z0-9._/-]*$/,
                'must be letters, digits, ".", "-", "_" and "/", and must not begin with "." or "/"',
              )
              .optional()
              .describe('Begins the names of its objects; the project when left out.'),
          }),
        ],
        {
          error: ({ code }) =>
            code === 'invalid_union' ? 'must be local, postgres or s3' : 'must be a map such as { backend: local }',
        },
      )
      .optional()
      .describe(
        'Where the state is kept: in .trueup beside the manifest, in PostgreSQL (TRUEUP_STATE_URL), or in an S3 bucket (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY). When left out: TRUEUP_STATE_URL, or .trueup.',
      );
  },
  get include() {
    return z.array(z.string().min(1)).optional().describe('More files; * stands for part of a file name.');
  },
  get variables() {
    return z
      .record(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/),
        z.union(
          [
            z.null(),
            z.strictObject({ default: plainScalar.optional().describe('Value of a variable that is not set.') }),
          ],
          {
            error: 'must be { default: … } or nothing',
          },
        ),
      )
      .optional()
      .describe('Values for ${var:…}; set them with --var or TRUEUP_VAR_<name>.');
  },
  get secrets() {
    return z
      .array(
        z
          .strictObject({
            file: z.string().min(1).optional().describe('A file with lines NAME=value.'),
            age: z.string().min(1).optional().describe('The same file, encrypted with age.'),
            command: z
              .array(z.string())
              .refine(([program = '']) => program !== '', 'must name a program first')
              .refine(
                (words) => words.some((word) => word.includes('{name}')),
                'must contain {name}, which stands for the name of the secret',
              )
              .optional()
              .describe(
                'A program that prints a secret, with its arguments; {name} stands for the name of the secret.',
              ),
            env: z
              .array(
                z
                  .string()
                  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable')
                  .refine((name) => !/^TRUEUP_/i.test(name), 'must not be a variable of Trueup'),
              )
              .optional()
              .describe('More variables of the run that the program gets, such as VAULT_TOKEN.'),
          })
          .refine(
            (source) => Object.keys(source).filter((key) => key !== 'env').length === 1,
            'must have exactly one of file, age and command',
          )
          .refine(({ env, command }) => env === undefined || command !== undefined, 'can have env only beside command')
          .meta({ minProperties: 1, maxProperties: 2 }),
      )
      .optional()
      .describe('Where the values of ${secret:…} come from that TRUEUP_SECRET_<NAME> does not give, in this order.');
  },
  get project() {
    return (
      z
        .union(
          [
            z.string().min(1).describe('Id or name of the project.'),
            z.looseObject({ name: readableName.describe('Name of the project.') }).describe('The project as a block.'),
          ],
          { error: 'must be the name or id of a project, or a block with name:' },
        )
        // Within a union no problem of a text shows, except that it is empty.
        .superRefine((written, context) => {
          const isText = typeof written === 'string' && written !== '';
          const problems = isText ? (readableName.safeParse(written).error?.issues ?? []) : [];
          for (const { message } of problems) context.addIssue({ code: 'custom', message });
        })
        .describe('Id or name of the project; or a block with its name, which creates the project.')
    );
  },
  get drift() {
    return z
      .strictObject({
        memory: z
          .union(
            [
              z.literal('file').describe('In drift.yaml beside the manifest, to be kept in git.'),
              z.literal('state').describe('Beside the state.'),
            ],
            { error: 'must be file or state' },
          )
          .optional()
          .describe('Where trueup drift remembers findings; file when left out.'),
        ignore: z
          .array(
            z.strictObject({
              address: z
                .string()
                .min(1)
                .describe('Address, with everything below it; * stands for any text, as in --target.'),
              field: z.string().min(1).optional().describe('Field, such as env.REGION; * stands for any text.'),
              because: z.string().min(1).optional().describe('The reason, for people.'),
            }),
          )
          .optional()
          .describe('Drift that trueup drift counts and does not list.'),
        notify: z
          .array(
            z
              .strictObject({
                url: secretReference.describe(
                  'Address of the receiver: ${secret:NAME}, with the value of TRUEUP_SECRET_<NAME>.',
                ),
                as: z
                  .union(
                    [
                      z.literal('json').describe('A document for a program, which can be signed.'),
                      z.literal('slack').describe('For an incoming webhook of Slack.'),
                      z.literal('discord').describe('For a webhook of Discord.'),
                      z.literal('teams').describe('For a webhook of Teams, made by Workflows.'),
                    ],
                    { error: 'must be json, slack, discord or teams' },
                  )
                  .describe('Form of the messages.'),
                on: z
                  .union(
                    [
                      z.literal('new').describe('There is new or expired drift, or drift was resolved.'),
                      z.literal('any').describe('The same, or there is known or accepted drift.'),
                    ],
                    { error: 'must be new or any' },
                  )
                  .optional()
                  .describe('When a message is sent; new when left out.'),
                signature: secretReference
                  .optional()
                  .describe('Key that signs messages of the form json: ${secret:NAME}, with a value such as whsec_….'),
              })
              .refine(
                ({ as, signature }) => signature === undefined || as === 'json',
                'can have signature only beside as: json',
              ),
          )
          .max(10)
          .optional()
          .describe('Receivers of a message about drift.'),
      })
      .optional()
      .describe('What trueup drift reports, and where it remembers it.');
  },
  get outputs() {
    return z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/), plainScalar)
      .optional()
      .describe('Values that trueup output prints, such as ${ref:production.postgres.main.host}.');
  },
  get moved() {
    return z
      .array(
        z.strictObject({
          from: z.string().min(1).describe('Address before.'),
          to: z.string().min(1).describe('Address now.'),
        }),
      )
      .optional()
      .describe('Addresses that changed, so that a rename is not a deletion and a creation.');
  },
} satisfies Record<string, z.ZodType>;

/** The keys that a manifest cannot leave out. */
export const neededSettings: ReadonlySet<string> = new Set([
  'trueup',
  'project',
] satisfies (keyof typeof settingsShape)[]);

/** The first key of the memory of `trueup drift`, which tells it from a manifest. */
export const driftMemoryKey = 'trueup-drift';

/** The keys an included file may have besides resources. */
export const includedKeys: readonly string[] = ['variables', 'outputs', 'moved'];

/** Reads the settings of the root file; problems go into `diagnostics`. */
export function readSettings(
  root: MapNode,
  {
    given,
    platformUrl,
    sources,
    redact,
  }: {
    readonly given: (name: string) => string | undefined;
    /** The address of the platform where the manifest names none: TRUEUP_URL. */
    readonly platformUrl?: string | undefined;
    readonly sources: readonly ExpressionSource[];
    readonly redact: Redact;
  },
  diagnostics: Diagnostic[],
): Settings | undefined {
  const before = diagnostics.length;
  const read = <K extends keyof typeof settingsShape>(key: K): z.output<(typeof settingsShape)[K]> | undefined => {
    const entry = root.entries.get(key);
    const report = (code: 'missing-key' | 'wrong-type', message: string, place: Place) =>
      diagnostics.push(diagnostic(code, message, { remedy: remedies[key], position: position(place) }));
    if (entry === undefined) {
      if (neededSettings.has(key)) report('missing-key', `${key} is missing`, root.at);
      return undefined;
    }
    const value = toJson(entry.node);
    const result = settingsShape[key].safeParse(value);
    if (result.success) return result.data as z.output<(typeof settingsShape)[K]>; // the shape's own output
    const refused = { name: key, value, isSecret: key === 'secrets', redact };
    const { message, place } = problemOf(result.error, entry.node, refused);
    report('wrong-type', message, place);
    return undefined;
  };
  read('trueup');
  const state = read('state');
  const platform = root.entries.has('platform') ? read('platform') : platformAt(platformUrl);
  if (!root.entries.has('platform') && platform === undefined) {
    const why = platformUrl === undefined ? '' : ', and TRUEUP_URL is no address of a platform';
    const about = { remedy: remedies.platform, position: position(root.at) };
    diagnostics.push(diagnostic('missing-key', `platform is missing${why}`, about));
  }
  const written = read('project');
  const project = typeof written === 'string' ? written : written?.name;
  const include = read('include');
  const variables = read('variables');
  const moved = read('moved');
  refuseProto(root, diagnostics);
  const secrets = read('secrets');
  const drift = read('drift');
  read('outputs');
  for (const key of Object.keys(settingsShape)) {
    const node = root.entries.get(key)?.node;
    // A block takes expressions, except in its name.
    const plain = key === 'project' && node?.is === 'map' ? node.entries.get('name')?.node : node;
    if (plain !== undefined && key !== 'outputs') refuseExpressions([key], plain, sources, diagnostics);
  }
  if (diagnostics.length > before || platform === undefined || project === undefined) return undefined;
  const itemAt = (key: 'moved' | 'secrets', index: number): Place => {
    const list = root.entries.get(key)?.node;
    return (list?.is === 'list' ? list.items[index]?.at : undefined) ?? root.at;
  };
  return {
    ...platformOf(platform),
    project,
    ...(typeof written === 'string' ? {} : ({ ownsProject: true } as const)),
    projectAt: root.entries.get('project')?.node.at ?? root.at,
    state,
    include: include ?? [],
    variables: new Map(
      Object.entries(variables ?? {}).map(([name, declared]) => [name, variable(root, name, given(name), declared)]),
    ),
    moved: (moved ?? []).map((item, index) => ({ ...item, at: itemAt('moved', index) })),
    secrets: (secrets ?? []).map((source, index) => secretSource(source, itemAt('secrets', index))),
    ...(drift === undefined ? {} : { drift }),
    ...(drift?.notify === undefined ? {} : { notify: receivers(root, drift.notify) }),
  };
}

function receivers(root: MapNode, written: NonNullable<DriftSettings['notify']>): Receiver[] {
  const drift = root.entries.get('drift')?.node;
  const list = drift?.is === 'map' ? drift.entries.get('notify')?.node : undefined;
  const nameIn = (reference: string) => secretName.exec(reference)?.[1] ?? '';
  return written.map(({ url, as, on = 'new', signature }, index) => ({
    as,
    on,
    url: nameIn(url),
    ...(signature === undefined ? {} : { signature: nameIn(signature) }),
    at: (list?.is === 'list' ? list.items[index]?.at : undefined) ?? root.at,
  }));
}

/** The platform at the address that the environment gives; undefined: it gives none. */
function platformAt(url: string | undefined): z.output<typeof settingsShape.platform> {
  return settingsShape.platform.safeParse(url === undefined ? url : { url }).data;
}

/** A platform as it is written, and its profile. Never throws. */
export function platformOf(
  written: NonNullable<z.output<typeof settingsShape.platform>>,
): Pick<Settings, 'platform' | 'profile'> {
  if (written === 'emulator') return { platform: written };
  const { profile: named } = written;
  return {
    platform: 'url' in written ? { url: written.url } : 'emulator',
    ...(named === undefined ? {} : { profile: named }),
  };
}

/** Refuses a variable `__proto__` and a wrong output of that name: a record of zod drops the key instead of checking it. */
function refuseProto(root: MapNode, diagnostics: Diagnostic[]): void {
  const entryIn = (key: 'variables' | 'outputs') => {
    const node = root.entries.get(key)?.node;
    return node?.is === 'map' ? node.entries.get('__proto__') : undefined;
  };
  const report = (message: string, remedy: string, place: Place) =>
    diagnostics.push(diagnostic('wrong-type', message, { remedy, position: position(place) }));
  const [variable, output] = [entryIn('variables'), entryIn('outputs')];
  if (variable !== undefined) {
    report('variables: a variable cannot have the name __proto__', 'Choose another name.', variable.keyAt);
  }
  if (output !== undefined && !plainScalar.safeParse(toJson(output.node)).success) {
    report('outputs.__proto__ must be text, a number or a boolean', remedies.outputs, output.node.at);
  }
}

/** Its form was checked: one of the three is there. */
function secretSource(
  { file, age, command = [], env = [] }: NonNullable<z.output<typeof settingsShape.secrets>>[number],
  at: Place,
): SecretSource {
  if (file !== undefined) return { is: 'file', path: file, at };
  return age === undefined ? { is: 'command', words: command, passes: env, at } : { is: 'age', path: age, at };
}

function variable(
  root: MapNode,
  name: string,
  given: string | undefined,
  declared: { readonly default?: string | number | boolean | undefined } | null,
): Variable {
  const value = given ?? declared?.default;
  const declarations = root.entries.get('variables')?.node;
  const node = declarations?.is === 'map' ? declarations.entries.get(name)?.node : undefined;
  const source = node?.is === 'map' ? node.entries.get('default')?.node : undefined;
  const isNumber = given === undefined && typeof value !== 'string' && source?.is === 'scalar';
  return { value, written: isNumber ? source.source : String(value) };
}

/** Settings decide where values come from, so they hold none of them; only the addresses and keys of receivers are secrets. */
function refuseExpressions(
  path: readonly string[],
  node: Node,
  sources: readonly ExpressionSource[],
  diagnostics: Diagnostic[],
): void {
  if (node.is === 'list')
    for (const [at, item] of node.items.entries()) refuseExpressions([...path, String(at)], item, sources, diagnostics);
  else if (node.is === 'map')
    for (const [key, { node: value }] of node.entries.entries())
      refuseExpressions([...path, key], value, sources, diagnostics);
  else if (typeof node.value === 'string' && !ofReceiver.test(path.join('.'))) {
    const { parts, unclosed } = parseExpressions(node.value, sources);
    const first = unclosed ?? parts.find((part) => typeof part === 'object')?.source;
    if (first === undefined) return;
    diagnostics.push(
      diagnostic('bad-expression', `${path[0]} must not hold \${${first.name}:…}: settings take no expressions`, {
        remedy: 'Write the value itself. Expressions work in the fields of resources.',
        position: position(node.at),
      }),
    );
  }
}

/** Its form is checked: `${secret:NAME}` and nothing else. */
const ofReceiver = /^drift\.notify\.\d+\.(?:url|signature)$/;

/** The form of the names of variables and outputs, in words. */
const ruleOfNames = 'a name begins with a letter or "_", and has only letters, digits, "_" and "-".';

const remedies: Record<keyof typeof settingsShape, string> = {
  trueup: 'Write trueup: 1 at the top of the file.',
  state:
    'Write state: { backend: local }, { backend: postgres } or { backend: s3, endpoint: https://…, bucket: … }, or leave it out. Credentials come from the environment: docs/state.md.',
  include: 'Write a list of files: include: [environments/*.yaml].',
  variables: `Write variables: { name: { default: value } }; ${ruleOfNames}`,
  outputs: `Write outputs: { name: "\${ref:address.output}" }; ${ruleOfNames}`,
  moved: 'Write a list: moved: [{ from: address, to: address }].',
  secrets:
    'Write a list of { file: secrets.env }, { age: secrets.env.age } and { command: [pass, show, "shop/{name}"] }. The identity for age comes from TRUEUP_AGE_IDENTITY or TRUEUP_AGE_IDENTITY_FILE.',
  drift:
    'Write drift: { ignore: [{ address: production.compose.shop, field: env.REGION }], notify: [{ url: "${secret:HOOK}", as: slack }] }. docs/drift.md has all keys.',
  platform: 'Write platform: { url: https://… }, or set TRUEUP_URL. To try things out, write platform: emulator.',
  project: 'Write project: with the name of the project, or with its id, which stands in the address of its page.',
};
