import { resolve } from 'node:path';
import type { Stop } from '../../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../../diagnostics/disk-errors.ts';
import { systemCode } from '../../diagnostics/system-code.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import { decodeUtf8 } from '../../formats/utf8.ts';
import { changeSealed, writeValues } from '../../project/sealed-secrets.ts';
import { nameForm } from '../../secrets/sources/names.ts';
import { type Run, defineCommand } from '../command.ts';
import { usage } from '../settle-options.ts';
import { openPrompt } from '../prompt.ts';
import { writingFormats, writtenEntries } from './secret-list.ts';

/** Seals one value, from standard input or a question, into the sealed file of the manifest. Needs no identity. */
export const command = defineCommand({
  arguments: { '<name>': 'name of the secret: letters, digits and "_"' },
  options: { '--from-file <path>': 'file that has the value, such as a key or a certificate' },
  notes:
    'Reads the value from standard input or a file, without the line end behind it, or asks for it on a terminal. It never stands on a command line: other programs see that.',
  examples: [
    'trueup secret set DB_PASSWORD -f staging.yaml',
    'openssl rand -hex 32 | trueup secret set SESSION_KEY -f staging.yaml',
    'trueup secret set TLS_KEY -f production.yaml --from-file server.key',
  ],
  formats: writingFormats('set'),
  execute: async (run, view, { args: [name = ''], flags: { fromFile } }) => {
    const { options } = run;
    // What is refused may be the value: no message holds it.
    if (!nameForm.test(name))
      throw usage(
        'the name of a secret must have letters, digits and "_" only',
        'Give the name; the value comes from standard input.',
      );
    let value: string | undefined;
    await changeSealed(options, async (project) => {
      value ??= await (fromFile === undefined ? readValue(run, name) : readFrom(fromFile, run.process));
      const written = await writeValues(options, project, new Map([[name, value]]));
      const report = writtenEntries(options, project, written);
      const isUsed = report.secrets.some(({ uses }) => uses.length > 0);
      const next = isUsed ? [] : [`Write \${secret:${name}} in the manifest to use it.`];
      view.report({ ...report, next: [...report.next, ...next] });
    });
    return 'done';
  },
});

/** Most bytes of a value. */
const maxBytes = 100_000;

async function readValue({ process, cannotAsk }: Run, name: string): Promise<string> {
  const value = process.stdin.isTTY === true ? await askValue({ process, cannotAsk }, name) : await readInput(process);
  if (value === '')
    throw usage('the value is empty', 'Write it to standard input, or run the command on a terminal: it asks.');
  return withoutNul(value);
}

/** The value in a file, which may be of several lines. @throws {Stop} `usage`, when there is no value in it */
async function readFrom(path: string, { cwd }: Pick<Run['process'], 'cwd'>): Promise<string> {
  const problem = (says: string, remedy = 'Name a file that has the value.'): Stop =>
    usage(`--from-file ${path} ${says}`, remedy);
  const bytes = await readRegularFile(resolve(cwd(), path), maxBytes).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') throw problem('does not exist');
    throw problem(`cannot be read (${reasonOf(error)})`, remedyForDisk(error));
  });
  if (bytes === undefined) throw problem(`is not a file, or has more than ${maxBytes} bytes`);
  const value = textOf(bytes);
  if (value === '') throw problem('is empty');
  return withoutNul(value);
}

function withoutNul(value: string): string {
  if (value.includes('\0')) throw usage('the value contains the character NUL, which no value can have');
  return value;
}

async function askValue({ process, cannotAsk }: Pick<Run, 'process' | 'cannotAsk'>, name: string): Promise<string> {
  if (cannotAsk !== undefined) throw usage(`cannot ask for the value: ${cannotAsk}`, 'Write it to standard input.');
  const prompt = openPrompt(process);
  try {
    return (await prompt.ask(`Value of ${name} (does not show): `, { isHidden: true })) ?? '';
  } finally {
    prompt.close();
  }
}

async function readInput({ stdin }: Run['process']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > maxBytes) throw usage(`the value has more than ${maxBytes} bytes`, 'Keep large files elsewhere.');
  }
  return textOf(Buffer.concat(chunks));
}

/** A value without the line end behind it. @throws {Stop} `usage`, when it is not text */
function textOf(bytes: Buffer): string {
  const decoded = decodeUtf8(bytes);
  if ('problem' in decoded) throw usage(`the value ${decoded.problem}`, 'Encode it, such as with base64.');
  return decoded.text.replace(/\r?\n$/, '');
}
