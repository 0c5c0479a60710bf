import { isAbsolute, relative, sep } from 'node:path';
import { stop } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { usage } from '../diagnostics/usage.ts';
import { type ProjectFolder, fileOption } from '../project/folder.ts';
import type { SecretFile } from './root-file.ts';
import type { NamedSecret } from './secrets-of-export.ts';
import { writeEnvText } from '../formats/env-text.ts';
import { identitiesOf } from '../manifest/ask-sources.ts';
import { readIdentity } from '../project/load.ts';
import { ciphertextInBytes } from '../secrets/ciphertext.ts';
import { decryptAge, encryptArmored } from '../secrets/sources/age.ts';
import { readEnvFile } from '../secrets/sources/env-file.ts';

/** The file for the secrets of an export. */
export interface SecretsOptions {
  /** The file that gets the values of secrets, absolute. With `.age` behind its name it is encrypted. */
  readonly secretsFile?: string | undefined;
  readonly recipients?: readonly string[];
}

/** The file of secrets as the manifest names it; undefined for one that it does not reach. `sealed`: its sealed files. */
export function secretFileOf(
  folder: string,
  { secretsFile, recipients = [] }: SecretsOptions,
  sealed: readonly string[],
): SecretFile | undefined {
  if (secretsFile === undefined) return undefined;
  const inFolder = relative(folder, secretsFile).split(sep).join('/');
  if (sealed.includes(inFolder)) {
    if (recipients.length === 0) return { is: 'sealed', path: inFolder };
    throw usage('the recipients of a sealed file stand in the manifest', 'Leave --age-recipient out.');
  }
  const isAge = secretsFile.endsWith('.age');
  if (isAge !== recipients.length > 0) {
    throw isAge
      ? usage(
          '--with-secrets FILE.age needs --age-recipient',
          'age-keygen makes a key and prints its recipient, age1….',
        )
      : usage('--age-recipient needs a file whose name ends with .age', 'Write --with-secrets secrets.env.age.');
  }
  const path = relative(folder, secretsFile);
  if (path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return { is: isAge ? 'age' : 'file', path: path.split(sep).join('/') };
}

/** The text of a file that names the secrets and holds none; `path` is the file for their values. */
export function exampleOf(
  secrets: readonly NamedSecret[],
  path: string,
  place: Pick<ProjectFolder, 'file'>,
  isSealed: boolean,
): string {
  const seal = secrets.map(({ name }) => `#   trueup secret set ${name}${fileOption(place)}`);
  const head = isSealed
    ? ['# The secrets that the manifest names. Give each as TRUEUP_SECRET_<NAME>, or seal it:', ...seal]
    : [
        `# The secrets that the manifest names. Give each as TRUEUP_SECRET_<NAME>, or copy this file to ${path}, fill it in,`,
        `# keep it out of git, and write in ${place.file}: secrets: [{ file: ${path} }]`,
      ];
  const lines = secrets.flatMap(({ name, usedBy }) => [
    '',
    ...usedBy.map((place) => `# ${oneLine(place)}`),
    `${name}=`,
  ]);
  return `${[...head, ...lines].join('\n')}\n`;
}

/** The first file name with these words whose example is not there, or has the same text; `isForced`: the first of all. */
export async function freeExample(
  stem: string,
  how: {
    readonly textFor: (path: string) => string;
    /** The text of a file; undefined: it is not there. */
    readonly read: (path: string) => Promise<string | undefined>;
    readonly isForced: boolean;
  },
): Promise<{ readonly path: string; readonly content: string }> {
  const { textFor, read, isForced } = how;
  for (let count = 1; ; count++) {
    const path = `${count === 1 ? stem : `${stem}-${count}`}.secrets.env`;
    const content = textFor(path);
    const found = await read(`${path}.example`);
    if (isForced || found === undefined || found === content) return { path, content };
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}

/**
 * The text of a file with the values of secrets, encrypted for recipients where there are some. `before`: what it replaces.
 * @throws {Stop} `env-value`, when no such file can hold a value; `file-unwritable`, when values would be lost.
 */
export async function secretsText(
  secrets: readonly NamedSecret[],
  { secretsFile = '', recipients = [] }: SecretsOptions,
  { before, env, redactor }: Pick<ProjectFolder, 'env' | 'redactor'> & { readonly before: Uint8Array | undefined },
): Promise<string> {
  if (before !== undefined) {
    const identity = () => readIdentity(env);
    checkKept(secretsFile, await valuesIn(before, { identity, addSecret: redactor.add }), secrets);
  }
  const { text, refused } = writeEnvText(new Map(secrets.map(({ name, value }) => [name, value])));
  if (refused.length > 0) {
    const names = refused.map(({ key }) => key).join(', ');
    throw stop(
      'refused',
      'env-value',
      `an env file cannot hold the value of ${names}: ${refused[0]?.reason ?? ''}; nothing was written`,
      {
        remedy: 'Export without --with-secrets, and give these values in another way.',
      },
    );
  }
  return recipients.length === 0 ? text : encryptArmored(text, recipients);
}

/** The values in a file of secrets, or why they cannot be seen. Opens one that is encrypted with age. */
async function valuesIn(
  bytes: Uint8Array,
  asking: Parameters<typeof identitiesOf>[0],
): Promise<ReturnType<typeof readEnvFile> | { readonly problem: string; readonly remedy: string }> {
  const of = ciphertextInBytes(bytes)?.of;
  if (of === undefined) return readValues(bytes, asking.addSecret);
  const problem = `its values are ciphertext of ${of}`;
  if (of !== 'age') return { problem };
  const identities = await identitiesOf(asking);
  if ('problem' in identities) return { problem: `${problem}, and ${identities.problem}`, remedy: identities.remedy };
  const opened = await decryptAge(bytes, identities);
  return 'problem' in opened
    ? { ...opened, problem: `it ${opened.problem}` }
    : readValues(opened.bytes, asking.addSecret);
}

function readValues(...about: Parameters<typeof readEnvFile>): ReturnType<typeof readEnvFile> {
  const found = readEnvFile(...about);
  return 'problem' in found ? { problem: `it ${found.problem}` } : found;
}

/** @throws {Stop} `refused`, when a file may have values that the new one would not have: nothing else need have them. */
function checkKept(path: string, before: Awaited<ReturnType<typeof valuesIn>>, secrets: readonly NamedSecret[]): void {
  if ('problem' in before) {
    const { problem } = before;
    const away = 'Move the file away, or name another one.';
    const remedy = 'remedy' in before ? `${away} ${before.remedy}` : away;
    throw stop('refused', 'file-unwritable', `cannot replace ${path}: ${problem}; nothing was written`, { remedy });
  }
  const names = new Set(secrets.map(({ name }) => name));
  const lost = [...before.values.keys()].filter((name) => !names.has(name));
  if (lost.length === 0) return;
  const message = `cannot replace ${path}: the new one would not have ${someOf(lost)}; nothing was written`;
  throw stop('refused', 'file-unwritable', message, {
    remedy: 'Move these lines into another file that secrets: names.',
  });
}
