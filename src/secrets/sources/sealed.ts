import { decodeUtf8, withoutMark } from '../../formats/utf8.ts';
import { decryptAge, encryptAge } from './age.ts';
import { nameForm } from './names.ts';

/** A line of a sealed file with a value: its name stands in clear. */
interface SealedValue {
  /** Counts from 1. */
  readonly line: number;
  /** An age file in base64. */
  readonly sealed: string;
}

/** An env file whose values are each an age file for all recipients. */
export interface SealedFile {
  /** The recipients that the first line lists, sorted; none where it lists none. */
  readonly recipients: readonly string[];
  readonly values: ReadonlyMap<string, SealedValue>;
}

/** A problem of a sealed file or of one of its values. No text of the file is in it but names. */
interface SealedProblem {
  readonly problem: string;
  readonly remedy: string;
}

const header = /^# sealed for((?: age1[a-z0-9]+)+) *$/;
const prefix = 'age:';

/** The first line of a sealed file. */
export function headerFor(recipients: readonly string[]): string {
  return `# sealed for ${recipients.toSorted().join(' ')}`;
}

/** Reads the lines of a sealed file; opens none of its values. */
export function readSealedFile(bytes: Uint8Array): SealedFile | SealedProblem {
  const decoded = decodeUtf8(bytes);
  if ('problem' in decoded) return { problem: decoded.problem, remedy: restore };
  const lines = withoutMark(decoded.text).split('\n');
  const values = new Map<string, SealedValue>();
  for (const [index, written] of lines.entries()) {
    const [line, text] = [index + 1, written.replace(/\r$/, '')];
    if (/^\s*(?:#.*)?$/.test(text)) continue;
    const found = readLine(text, line);
    if ('problem' in found) return found;
    const before = values.get(found.name);
    if (before !== undefined) {
      const problem = `has ${found.name} twice, on lines ${before.line} and ${line}`;
      return { problem, remedy: 'Keep the line with the newer value.' };
    }
    values.set(found.name, { line, sealed: found.sealed });
  }
  const listed = header.exec((lines[0] ?? '').replace(/\r$/, ''))?.[1] ?? '';
  return { recipients: listed.split(' ').filter(Boolean).toSorted(), values };
}

const restore = 'Restore the file from git.';

function readLine(text: string, line: number): { readonly name: string; readonly sealed: string } | SealedProblem {
  if (/^(?:<{7}|={7}|>{7}|\|{7})/.test(text)) {
    return {
      problem: `line ${line} is a conflict marker of git`,
      remedy: 'Keep both lines where the names differ, and the newer one where they are equal.',
    };
  }
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(0, equals));
  if (!nameForm.test(name)) {
    return {
      problem: `line ${line} is neither a comment nor NAME=age:…`,
      remedy: 'Write the file with trueup secret set only.',
    };
  }
  const value = text.slice(equals + 1);
  if (!value.startsWith(prefix)) {
    return {
      problem: `line ${line}: ${name} stands in clear`,
      remedy: `Remove the line, run trueup secret set ${name} with a new value, and withdraw the old one: git keeps it.`,
    };
  }
  const sealed = value.slice(prefix.length);
  const isWhole = sealed !== '' && Buffer.from(sealed, 'base64').toString('base64') === sealed;
  return isWhole ? { name, sealed } : { problem: `line ${line}: ${name} is damaged`, remedy: restore };
}

/** Sealed texts have a multiple of this length, so that the file shows little of how long a value is. */
const blockBytes = 64;

/**
 * The value of a line: sealed for all recipients, together with its name.
 * @throws {Stop} `usage`, when a recipient is none of age
 */
export async function seal(name: string, value: string, recipients: readonly string[]): Promise<string> {
  const text = Buffer.from(`${name}=${value}`, 'utf8');
  const padded = Buffer.alloc(Math.ceil((text.length + 1) / blockBytes) * blockBytes);
  text.copy(padded);
  return `${prefix}${Buffer.from(await encryptAge(padded, recipients, 'recipients:')).toString('base64')}`;
}

const otherIdentity =
  'Use an identity of a recipient in the first line of the file. To add a recipient, write it under recipients:, and let someone with such an identity run trueup secret recipients.';

/** Opens the value of a name with the first identity that fits. */
export async function openSealed(
  name: string,
  { sealed, line }: SealedValue,
  identities: readonly string[],
): Promise<{ readonly value: string } | SealedProblem> {
  const opened = await decryptAge(Buffer.from(sealed, 'base64'), identities);
  if ('problem' in opened) {
    const isOfOthers = opened.problem.startsWith('cannot be decrypted with');
    return {
      problem: `line ${line}: ${name} ${opened.problem}`,
      remedy: isOfOthers ? otherIdentity : restore,
    };
  }
  const decoded = decodeUtf8(opened.bytes);
  if ('problem' in decoded) return { problem: `line ${line}: ${name} ${decoded.problem}`, remedy: restore };
  const padded = decoded.text;
  let end = padded.length;
  while (padded[end - 1] === '\0') end--;
  if (padded.startsWith(`${name}=`)) return { value: padded.slice(name.length + 1, end) };
  const remedy = `Set it with trueup secret set ${name}: a line that is copied under another name does not open.`;
  return { problem: `line ${line}: ${name} was sealed under another name`, remedy };
}

/** The number of recipients that a value is sealed for; undefined: it is no age file. */
export function recipientCount({ sealed }: SealedValue): number | undefined {
  const head = Buffer.from(sealed, 'base64').toString('latin1');
  if (!head.startsWith('age-encryption.org/v1\n')) return undefined;
  return head.split('\n---', 1)[0]?.match(/^-> (?!\S*-grease)/gm)?.length ?? 0;
}
