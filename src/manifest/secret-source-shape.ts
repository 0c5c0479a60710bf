import * as z from 'zod';
import { nameForm } from '../secrets/sources/names.ts';
import { type Recipe, namesOf, usualAlphabet } from '../secrets/generate-secret.ts';
import { type PresetWord, type Program, presets, programOf } from '../secrets/sources/presets.ts';
import { oneOf } from './one-of.ts';
import { alternatives } from './problem.ts';
import type { Report } from './report-at.ts';
import { type Node, type Place, entriesOf } from './tree.ts';

/** Where secrets come from: a file, or a program. */
export type SecretSource = { readonly at: Place } & (
  | { readonly is: 'file' | 'age' | 'dotenvx'; readonly path: string }
  | { readonly is: 'sealed'; readonly path: string; readonly recipients: readonly string[] }
  | { readonly is: 'sops'; readonly path: string; readonly passes: readonly string[] }
  | ({ readonly is: 'command' } & Program)
);

const filePath = () => z.string().min(1);

/** The words of sources that are files, each with what stands in it. */
const fileSources = {
  file: filePath().describe('A file with lines NAME=value.'),
  age: filePath().describe('The same file, encrypted with age.'),
  sealed: filePath().describe(
    'A file with lines NAME=age:…, each sealed for all recipients; trueup secret set writes it.',
  ),
  dotenvx: filePath().describe('An env file that dotenvx has encrypted, for the key in DOTENV_PRIVATE_KEY….'),
  sops: filePath().describe('A file in YAML, JSON or env form that sops has encrypted; the program sops reads it.'),
};

/** The words of sources that are tools. */
const toolSources = Object.fromEntries(
  Object.entries(presets).map(([word, { form, about }]) => [
    word,
    z
      .string()
      .refine((text) => programOf(word as PresetWord, text) !== undefined, `must be ${form}`)
      .describe(`${about}: ${form}.`),
  ]),
) as Record<PresetWord, z.ZodString>; // the keys of the table

/** The words for sources: each source has exactly one. */
const sourceWords = [...Object.keys(fileSources), 'command', ...Object.keys(presets)];

/** One entry of `secrets:`. */
export function secretSource() {
  const optional = <S extends Record<string, z.ZodType>>(shape: S) =>
    Object.fromEntries(Object.entries(shape).map(([word, type]) => [word, type.optional()])) as {
      [K in keyof S]: z.ZodOptional<S[K]>;
    }; // each is optional
  return z
    .strictObject({
      ...optional(fileSources),
      recipients: z
        .array(z.string().regex(/^age1[a-z0-9]+$/, 'must be a recipient of age, such as age1…'))
        .min(1)
        .optional()
        .describe('Beside sealed: who can open the values. age-keygen prints a recipient as the public key.'),
      command: z
        .array(z.string())
        .refine(([program = '']) => program !== '', 'must name a program first')
        .optional()
        .describe('A program that prints a secret, with its arguments; {name} stands for the name of the secret.'),
      prints: oneOf({
        env: 'All secrets at once, as lines NAME=value.',
        json: 'All secrets at once, as a JSON object.',
      })
        .optional()
        .describe('Beside command, without {name}: what it prints.'),
      ...optional(toolSources),
      env: z
        .array(
          z
            .string()
            .regex(nameForm, 'must be the name of a variable')
            .refine((name) => !/^TRUEUP_/i.test(name), 'must not be a variable of Trueup'),
        )
        .optional()
        .describe('More variables of the run that the program gets, such as VAULT_TOKEN.'),
    })
    .superRefine((source, context) => {
      const words = sourceWords.filter((word) => Object.hasOwn(source, word));
      const refuse = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path });
      const { command, prints, sealed, recipients, env, file, age, dotenvx } = source;
      if (words.length !== 1) refuse(`must have exactly one of ${alternatives(sourceWords)}`);
      else if ((sealed === undefined) !== (recipients === undefined))
        refuse('must have sealed and recipients together');
      else if (prints !== undefined && command === undefined) refuse('can have prints only beside command');
      else if (env !== undefined && [file, age, sealed, dotenvx].some((one) => one !== undefined))
        refuse('can have env only beside a program');
      else if (command !== undefined && prints === undefined && !namesSecret(command))
        refuse('must contain {name}, which stands for the name of the secret', 'command');
      else if (command !== undefined && prints !== undefined && namesSecret(command))
        refuse('cannot contain {name} beside prints, which says that it prints all secrets at once', 'command');
    })
    .meta({
      minProperties: 1,
      maxProperties: 3,
      dependentRequired: { sealed: ['recipients'], recipients: ['sealed'], prints: ['command'] },
    });
}

/** Whether a command is for one secret. */
function namesSecret(command: readonly string[]): boolean {
  return command.some((word) => word.includes('{name}'));
}

/** One entry of `generated:`. */
export function generatedSecret() {
  return z.union(
    [
      z.literal('uuid').describe('A random UUID.'),
      z.literal('ed25519').describe('A pair of keys in PEM: NAME_PRIVATE and NAME_PUBLIC.'),
      z.strictObject({
        length: z.number().int().min(8).max(1024).optional().describe('Number of characters; 32 when left out.'),
        alphabet: z
          .string()
          .regex(/^[!-~]{2,}$/, 'must be two printable characters of ASCII or more')
          .refine((text) => new Set(text).size === text.length, 'must have each character once')
          .optional()
          .describe('Characters to choose from; letters and digits when left out.'),
      }),
    ],
    { error: 'must be uuid, ed25519 or a map such as { length: 32 }' },
  );
}

/** Reads an entry of `secrets:` whose form was checked: it has one word of a source. */
export function readSource(written: z.output<ReturnType<typeof secretSource>>, at: Place): SecretSource {
  const { sealed, recipients = [], sops, command, prints = 'value', env: passes = [] } = written;
  if (sealed !== undefined) return { is: 'sealed', path: sealed, recipients, at };
  if (sops !== undefined) return { is: 'sops', path: sops, passes, at };
  for (const is of ['file', 'age', 'dotenvx'] as const) {
    const path = written[is];
    if (path !== undefined) return { is, path, at };
  }
  for (const word of Object.keys(presets) as PresetWord[]) {
    const program = written[word] === undefined ? undefined : programOf(word, written[word]);
    if (program !== undefined) return { is: 'command', ...program, passes: [...program.passes, ...passes], at };
  }
  return { is: 'command', words: command ?? [], passes, prints, at };
}

/**
 * Reads `generated:`, whose form was checked. Two names that make a secret of the same name are reported: a pair of keys makes
 * two.
 */
export function readRecipes(
  written: Readonly<Record<string, z.output<ReturnType<typeof generatedSecret>>>>,
  node: Node | undefined,
  report: Report,
): ReadonlyMap<string, Recipe> {
  const recipes = new Map(Object.entries(written).map(([name, recipe]) => [name, readRecipe(recipe)]));
  const makers = new Map<string, string>();
  for (const [name, recipe] of recipes)
    for (const made of namesOf(name, recipe)) {
      const other = makers.get(made);
      makers.set(made, name);
      const at = entriesOf(node).get(name)?.keyAt;
      if (other === undefined || at === undefined) continue;
      const message = `generated.${other} and generated.${name} both make the secret ${made}`;
      report('defined-twice', message, at, 'Give one of them another name.');
    }
  return recipes;
}

function readRecipe(written: z.output<ReturnType<typeof generatedSecret>>): Recipe {
  if (typeof written === 'string') return written;
  const { length = 32, alphabet = usualAlphabet } = written;
  return { length, alphabet };
}
