import { isAbsolute, relative, sep } from 'node:path';
import { stop } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { usage } from '../diagnostics/usage.ts';
import { type ProjectFolder, fileOption } from '../project/folder.ts';
import type { SecretFile } from './root-file.ts';
import type { NamedSecret } from './secrets-of-export.ts';
import { readEnvText, writeEnvText } from '../formats/env-text.ts';
import { withoutMark } from '../formats/utf8.ts';
import { encryptArmored } from '../secrets/sources/age.ts';

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
 * The text of a file with the values of secrets, encrypted for recipients where there are some. `before`: the text that it replaces.
 * @throws {Stop} `env-value`, when no such file can hold a value; `file-unwritable`, when values would be lost.
 */
export async function secretsText(
  secrets: readonly NamedSecret[],
  { secretsFile = '', recipients = [] }: SecretsOptions,
  before: string | undefined,
): Promise<string> {
  if (before !== undefined && recipients.length === 0) checkKept(secretsFile, before, secrets);
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

/** @throws {Stop} `refused`, when a file has values that the new one would not have: git ignores it, so nothing else may. */
function checkKept(path: string, before: string, secrets: readonly NamedSecret[]): void {
  const names = new Set(secrets.map(({ name }) => name));
  const lost = [...readEnvText(withoutMark(before)).keys()].filter((name) => !names.has(name));
  if (lost.length === 0) return;
  const message = `cannot replace ${path}: the new one would not have ${someOf(lost)}; nothing was written`;
  throw stop('refused', 'file-unwritable', message, {
    remedy: 'Move these lines into another file that secrets: names.',
  });
}
