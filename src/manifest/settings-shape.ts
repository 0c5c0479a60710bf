import type { Profile } from '../api/contract.ts';
import * as z from 'zod';
import { once } from '../api/once.ts';
import { readableName } from '../kind/value-forms.ts';
import { declarationRules, declarationShape, writtenValue } from './declared.ts';
import { nameForm } from '../secrets/sources/names.ts';
import { oneOf } from './one-of.ts';
import { readDuration, units } from '../formats/units.ts';
import { generatedSecret, secretSource } from './secret-source-shape.ts';

/** `${secret:NAME}` and nothing else. A value that is refused may be the secret itself: no message holds it. */
const secretReference = z
  .string()
  .refine((text) => secretName.test(text), 'must be ${secret:NAME}, with letters, digits and "_" in NAME')
  .meta({ pattern: String.raw`^\$\{secret:[A-Za-z_][A-Za-z0-9_]*\}$` });

/** The name of a schema of PostgreSQL: it stands in statements as it is. */
export const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

/** A reference to a secret, with its name. */
export const secretName = /^\$\{secret:([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** A value of a variable or an output. */
export const plainScalar = z.union([z.string(), z.number(), z.boolean()]);

const profile = oneOf<Profile>({
  standard: 'The names of the API document.',
  dokploy: 'The names of Dokploy.',
}).describe('Names that the API of the platform uses.');

/** An address without credentials. */
const plainUrl = () =>
  z.url({ protocol: /^https?$/ }).refine((url) => !/[@?#]/.test(url), 'must have no user, no query and no fragment');

function ignoreRule() {
  return z.strictObject({
    address: z.string().min(1).describe('Address, with everything below it; * stands for any text, as in --target.'),
    field: z.string().min(1).optional().describe('Field, such as env.REGION; * stands for any text.'),
    because: z.string().min(1).optional().describe('The reason, for people.'),
  });
}

function receiver() {
  return z
    .strictObject({
      url: secretReference.describe('Address of the receiver: ${secret:NAME}, with the value of TRUEUP_SECRET_<NAME>.'),
      as: oneOf({
        json: 'A document for a program, which can be signed.',
        slack: 'For an incoming webhook of Slack.',
        discord: 'For a webhook of Discord.',
        teams: 'For a webhook of Teams, made by Workflows.',
      }).describe('Form of the messages.'),
      on: oneOf({
        new: 'There is new or expired drift, or drift was resolved.',
        any: 'The same, or there is known or accepted drift.',
      })
        .optional()
        .describe('When a message is sent; new when left out.'),
      signature: secretReference
        .optional()
        .describe('Key that signs messages of the form json: ${secret:NAME}, with a value such as whsec_….'),
    })
    .refine(({ as, signature }) => signature === undefined || as === 'json', 'can have signature only beside as: json');
}

/** The name of something, or a block of it with its name. */
function textOrBlock({
  name,
  text = name,
  block,
  error,
}: Readonly<Record<'name' | 'block' | 'error', string>> & { readonly text?: string }) {
  return (
    z
      .union([z.string().min(1).describe(text), z.looseObject({ name: readableName.describe(name) }).describe(block)], {
        error,
      })
      // Within a union no problem of a text shows, except that it is empty.
      .superRefine((written, context) => {
        const isText = typeof written === 'string' && written !== '';
        const problems = isText ? (readableName.safeParse(written).error?.issues ?? []) : [];
        for (const { message } of problems) context.addIssue({ code: 'custom', message });
      })
  );
}

/** The same getters; each builds its value once. */
function builtOnce<S extends Record<string, z.ZodType>>(shape: S): S {
  const built = {} as S;
  for (const key of Object.keys(shape))
    Object.defineProperty(built, key, { enumerable: true, get: once(() => shape[key]) });
  return built;
}

/** The keys of `trueup.yaml` that are no resources, with what they take: built when it is asked for, as most are left out. */
export const settingsShape = builtOnce({
  get trueup() {
    return z.literal(1).describe('Version of the language: 1.');
  },
  get platform() {
    return z
      .union([
        z.literal('emulator').describe('The embedded emulator: a platform in a file of this folder.'),
        z.strictObject({
          url: plainUrl().describe('Address of the platform, without /api.'),
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
              .regex(schemaName, 'must be lower case letters, digits and "_"')
              .optional()
              .describe('Schema of its tables; trueup when left out.'),
            name: z.string().min(1).optional().describe('Name of this state; the project when left out.'),
          }),
          z.strictObject({
            backend: z.literal('s3').describe('Objects in an S3-compatible store.'),
            endpoint: plainUrl().describe('Address of the store, without the bucket.'),
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
            z
              .strictObject({
                ...declarationShape(),
                promote: z.boolean().optional().describe('true: trueup promote copies its value to another root file.'),
              })
              .meta(declarationRules),
            writtenValue().describe('Value of a variable that this file or one that it includes declares.'),
          ],
          { error: 'must be { default: … }, a value or nothing' },
        ),
      )
      .optional()
      .describe(
        'Variables for ${var:…}: maps declare, everything else gives a value. So do --var-file, TRUEUP_VAR_<name> and --var, each before the ones above.',
      );
  },
  get templates() {
    const name = () => z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/);
    const parameter = z.union([z.null(), z.strictObject(declarationShape()).meta(declarationRules)], {
      error: 'must be { type: … }, or nothing',
    });
    return z
      .record(
        name(),
        z.strictObject({
          description: z.string().min(1).optional().describe('What it is for, for people.'),
          parameters: z.record(name(), parameter).optional().describe('Values that a block gives to it, below with.'),
          block: z.looseObject({}).describe('Keys of each block that uses it.'),
        }),
      )
      .optional()
      .describe('Blocks with holes, ${param:name}: a block with use: NAME has what its template has.');
  },
  get changes() {
    return z
      .looseObject({})
      .optional()
      .describe('What this root file changes in blocks of other files: sections, as at the top of a file.');
  },
  get secrets() {
    return z
      .array(secretSource())
      .optional()
      .describe('Where the values of ${secret:…} come from that TRUEUP_SECRET_<NAME> does not give, in this order.');
  },
  get generated() {
    return z
      .record(z.string().regex(nameForm, 'must be a name with letters, digits and "_"'), generatedSecret())
      .optional()
      .describe('Secrets that trueup secret generate creates and trueup secret rotate replaces, by name.');
  },
  get project() {
    return textOrBlock({
      text: 'Id or name of the project.',
      name: 'Name of the project.',
      block: 'The project as a block.',
      error: 'must be the name or id of a project, or a block with name:',
    }).describe('Id or name of the project; or a block with its name, which creates the project.');
  },
  get environment() {
    return textOrBlock({
      name: 'Name of the environment.',
      block: 'The environment as a block.',
      error: 'must be the name of an environment, or a block with name:',
    })
      .optional()
      .describe(
        'The environment of this root file: sections such as application stand at the top. A name, or a block with its name.',
      );
  },
  get preview() {
    return z
      .strictObject({
        for: z
          .string()
          .refine((text) => (readDuration(text) ?? 0) > 0, 'must be a duration such as 12h or 3d')
          .meta({ pattern: `^(${units.nanoseconds.pattern})$` })
          .optional()
          .describe('How long a preview stays after its last apply, before trueup preview prune removes it.'),
        most: z.int().min(1).max(1_000).optional().describe('Largest number of previews at a time.'),
        seed: z
          .array(z.string().min(1))
          .optional()
          .describe('Schedules that run once after the first apply of a preview: application.api.schedules.seed.'),
      })
      .optional()
      .describe(
        'Makes the root file one of previews: --preview names one, with an environment and a state of its own.',
      );
  },
  get drift() {
    return z
      .strictObject({
        memory: oneOf({
          file: 'In drift.yaml beside the manifest, to be kept in git.',
          state: 'Beside the state.',
        })
          .optional()
          .describe('Where trueup drift remembers findings; file when left out.'),
        ignore: z.array(ignoreRule()).optional().describe('Drift that trueup drift counts and does not list.'),
        notify: z.array(receiver()).max(10).optional().describe('Receivers of a message about drift.'),
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
});

/** The keys that a manifest cannot leave out. */
export const neededSettings: ReadonlySet<string> = new Set([
  'trueup',
  'project',
] satisfies (keyof typeof settingsShape)[]);

/** The first key of the memory of `trueup drift`, which tells it from a manifest. */
export const driftMemoryKey = 'trueup-drift';

/** The first key of the file of accepted drift, which tells it from a manifest. */
export const acceptedKey = 'trueup-accepted';

/** The keys an included file may have besides resources. */
export const includedKeys: readonly string[] = [
  'project',
  'state',
  'include',
  'environment',
  'templates',
  'variables',
  'generated',
  'outputs',
  'moved',
  'drift',
];
